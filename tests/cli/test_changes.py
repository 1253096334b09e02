"""`planrail changes` tells what changed while an agent planned; `planrail undo` takes it back, for a person alone."""

import json
import os
from pathlib import Path

import pytest

from planrail.base.state_folder import state_folder
from planrail.cli.main import main
from planrail.git.snapshots.parking import park
from planrail.git.snapshots.snapshots import TreeSnapshot, compare, take_snapshot
from tests.cli.processes import call, type_at_terminal
from tests.git.snapshot_trees import git_state, make_repository, walk, write


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_repository(tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


def take(root: Path, session: str = "s1", taken_at: float = 1e9) -> TreeSnapshot:
    folder = os.path.join(state_folder(), "snapshots")
    name = f"claude-{session}-{int(taken_at)}"
    return take_snapshot(str(root), folder, name, session=session, agent="claude", taken_at=taken_at)


def test_the_changes_are_listed_with_the_branch_they_are_parked_on(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["changes"]) == 0
    said = capsys.readouterr().out
    assert ("No agent has planned" in said, "next:" in said) == (True, True)
    snapshot = take(root)
    write(root, "a.py", "x\n")
    write(root, "new.py", "x\n")
    assert main(["changes"]) == 0
    assert "planrail changes --park" in capsys.readouterr().out
    assert main(["changes", "--park"]) == 0
    said = capsys.readouterr().out
    for part in ("~ a.py", "+ new.py", "planrail/parked/s1-1", snapshot.session):
        assert part in said
    assert said.rstrip().endswith("planrail undo")
    assert main(["changes", "--json", "--park"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sessions"]
    assert told["files"][1] == {"path": "new.py", "kind": "added", "reason": None}
    assert told["parked"] == ["planrail/parked/s1-1"]


def test_a_snapshot_of_another_project_is_not_spoken_of(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    take(make_repository(tmp_path / "project two"))
    assert main(["changes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"sessions": []}
    monkeypatch.chdir(tmp_path / "project two/d")
    assert main(["changes", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["sessions"]) == 1


def test_the_newest_snapshot_of_each_session_counts(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take(root, "s1", 1e9)
    write(root, "a.py", "x\n")
    take(root, "s1", 2e9)
    take(root, "other", 1.5e9)
    assert main(["changes", "--json"]) == 0
    told = {entry["session"]: entry["changed"] for entry in json.loads(capsys.readouterr().out)["sessions"]}
    assert told == {"s1": False, "other": False}
    assert main(["changes", "--session", "nobody"]) == 1


def test_the_plan_of_the_session_is_no_change(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from planrail.hook.sessions.state import Session
    from planrail.hook.sessions.store import update

    take(root)
    plan = write(root, "plans/p.md", "# P\n")
    write(root, "plans/p-agent-1.md", "# P\n")
    write(root, "plans/q.md", "# Q\n")
    update(state_folder(), "claude", "s1", lambda _: Session("claude", "s1", plan=str(plan)))
    assert main(["changes", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["sessions"]
    assert [file["path"] for file in told["files"]] == ["plans/q.md"]


def test_a_persons_yes_at_a_terminal_restores_all_and_nothing_else_does(root: Path) -> None:
    take(root)
    before = walk(root), git_state(root)
    write(root, "a.py", "x\n")
    write(root, "new.py", "x\n")
    for words in (["undo"], ["undo", "--yes"]):
        done = call(*words, cwd=root)
        assert (done.returncode, "person at a terminal" in done.stderr) == (1, True)
    for answer in ("no", "yess"):
        code, said = type_at_terminal(["undo"], [("Type yes: ", answer)], root)
        assert (code, "Nothing was undone" in said) == (1, True)
    assert (root / "a.py").read_text() == "x\n"
    code, said = type_at_terminal(["undo"], [("Type yes: ", "yes")], root)
    assert (code, "planrail/parked/s1-1" in said) == (0, True), said
    assert (walk(root), git_state(root)) == before


def test_of_several_sessions_one_has_to_be_named(root: Path) -> None:
    take(root, "one")
    take(root, "two")
    write(root, "a.py", "x\n")
    code, said = type_at_terminal(["undo"], [("Type yes: ", "yes")], root)
    assert (code, "--session" in said) == (1, True)
    assert type_at_terminal(["undo", "--session", "two"], [("Type yes: ", "yes")], root)[0] == 0
    assert (root / "a.py").read_text() == "a\n"


def test_what_a_person_wrote_after_the_parking_is_left(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.py", "the agent's\n")
    write(root, "new.py", "the agent's\n")
    park(snapshot, compare(snapshot), "s1")
    write(root, "a.py", "mine\n")
    code, said = type_at_terminal(["undo", "--yes"], [("Type yes: ", "")], root)
    assert code == 1
    assert "a.py: it has changed since it was parked" in said
    assert (root / "a.py").read_text() == "mine\n"
    assert not (root / "new.py").exists()
