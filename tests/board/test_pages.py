"""What the pages read, and what they hear while something happens."""

import json
import os
from pathlib import Path

import pytest

from planrail.board.guarding import Rate
from planrail.board.watched_files import Watched
from planrail.store.places import ledger_folder
from tests.board.stage import BoardStage


@pytest.mark.parametrize(
    "page",
    ["start", "inbox", "plans", "tasks", "queue", "costs", "run?plan=plans/greet.md", "report?plan=plans/greet.md"],
)
def test_every_page_of_a_project_that_was_never_run_can_be_read(stage: BoardStage, page: str) -> None:
    assert stage.get(f"/api/{page}").status == 200


def test_the_inbox_names_what_waits_with_its_command(stage: BoardStage) -> None:
    (entry,) = stage.get("/api/inbox").told["waiting"]
    assert entry["kind"] == "approval"
    assert entry["command"].startswith("planrail approve ")
    assert entry["path"] == "plans/greet.md"


def test_the_picture_of_a_plan_has_no_style_of_its_own(stage: BoardStage) -> None:
    graph = stage.get("/api/report?plan=plans/greet.md").told["graph"]
    assert "<svg" in graph
    assert "<style" not in graph


def test_what_is_not_there_is_said(stage: BoardStage) -> None:
    assert stage.get("/api/run?plan=plans/none.md").status == 409
    assert stage.get("/api/start?project=other").status == 409
    assert stage.get("/api/task?number=7").status == 409
    assert stage.get("/api/diff?plan=plans/greet.md&run=x&phase=1&attempt=1").status == 409
    assert stage.get("/api/nothing").status == 404
    for action in ("pause", "resume"):
        assert stage.post(action).status == 409
    assert stage.post("priority", number="x").status == 409
    assert stage.post("remove").status == 409


def test_the_page_and_its_scripts_are_small_and_load_nothing_from_elsewhere(stage: BoardStage) -> None:
    import gzip

    names = ("/", "/board.js", "/parts.js", "/pages.js", "/review.js", "/preact.js", "/board.css", "/icon.svg")
    bodies = {name: stage.get(name).body for name in names}
    assert len(gzip.compress(b"".join(bodies.values()))) < 60_000
    for name in names[:-1]:
        assert b"https://" not in bodies[name]
        assert b"http://" not in bodies[name].replace(b"http://www.w3.org/", b"")


def test_a_page_hears_a_line_of_the_journal(stage: BoardStage) -> None:
    folder = Path(ledger_folder(str(stage.root)), "runs", "20260101-000000-abcdef")
    folder.mkdir(parents=True)
    journal = folder / "journal.jsonl"
    journal.touch()
    with stage.following() as page:
        page.hear("hello")
        journal.write_text(json.dumps({"at": 1.0, "key": "2/1/implement", "state": "begun"}) + "\n")
        (line,) = page.hear("journal")["lines"]
        assert line["state"] == "begun"


def test_a_page_hears_what_another_page_did(stage: BoardStage) -> None:
    with stage.following() as page:
        page.hear("hello")
        stage.post("reject", feedback="no")
        assert page.hear("changed")


def test_a_page_hears_that_its_plan_was_edited(stage: BoardStage) -> None:
    with stage.following("plans/greet.md") as page:
        page.hear("hello")
        stage.plan.write_text("# Another\n")
        assert page.hear("changed")
        assert stage.get("/api/plan?plan=plans/greet.md").told["title"] == "Another"


def test_only_what_is_new_and_whole_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    run = Path(ledger_folder(str(tmp_path)), "runs", "r")
    output = run / "output" / "1-1"
    output.mkdir(parents=True)
    (output / "01.log").write_text("before\n")
    watched = Watched(str(tmp_path))
    assert list(watched.look(10.0)) == []
    with (output / "01.log").open("a") as file:
        file.write("\x1b[31mafter token=ghp_" + "a1B2c3D4e5F6" * 3)
    (told,) = watched.look(20.0)
    assert (told["kind"], told["run"]) == ("output", "r")
    assert str(told["text"]).startswith("\\x1b[31mafter")
    assert "ghp_" not in str(told["text"])
    (run / "journal.jsonl").write_text('{"at": 1, "key": "1/1/land", "state": "begun"}\n{"at": 2, "ke')
    (told,) = (message for message in watched.look(30.0) if message["kind"] == "journal")
    assert len(told["lines"]) == 1  # type: ignore[arg-type]
    os.truncate(output / "01.log", 3)
    assert [message["kind"] for message in watched.look(40.0)] == ["output"]
    (run / "ending.json").write_text("{}")
    list(watched.look(50.0))
    (output / "01.log").write_text("nobody hears this any more")
    assert list(watched.look(60.0)) == []


def test_too_many_in_a_time_are_refused_and_let_in_again_later() -> None:
    rate = Rate(2, 10)
    assert [rate.is_over(at) for at in (0, 1, 2, 9, 10.5, 12)] == [False, False, True, True, False, False]
