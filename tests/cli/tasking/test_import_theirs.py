"""`planrail task import --theirs`: fields are taken from the files, states only as far as the ledger's rules lead."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.tasking.projects import Out, git, project, task, told
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section

__all__ = ["project"]


def _import(root: Path, *entries: dict[str, Any]) -> None:
    tree = Tree(root, list(entries), todo=[section(one) for one in entries], next_number=50)
    tree.order = [f"{one['project_number']} [{one['status'].upper().replace('_', ' ')}] — x" for one in entries]
    tree.write()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    assert task("import") == 0


def _edit(root: Path, number: int, **changes: object) -> None:
    path = root / "specs" / "state.json"
    value = json.loads(path.read_text())
    for one in value["active_projects"]:
        if one["project_number"] == number:
            one.update(changes)
    path.write_text(json.dumps(value))


def _events(capsys: Out, number: int) -> list[str]:
    return [one["what"] for one in told(capsys, "show", str(number))["history"]]


def test_that_an_open_task_is_completed_is_a_claim_and_never_taken_but_its_other_fields_are(
    project: Path, capsys: Out
) -> None:
    plan = Tree(project).document("specs/001_a/plans/01_x.md", plan_text("NOT STARTED"))
    _import(project, entry(1, "a", artifacts=[{"path": plan, "type": "plan"}]), entry(2, "b"))
    _edit(project, 1, status="completed", title="Another title")
    for words, changed in (([], []), (["--theirs", "--dry-run"], [1]), (["--theirs"], [1])):
        answer = told(capsys, "import", *words)
        assert answer["changed"] == changed
        (claim,) = [one for one in answer["divergences"] if one["kind"] == "claimed"]
        assert claim["remedy"] == "planrail task complete 1"
        assert told(capsys, "show", "1")["status"] == "not_started"
        _edit(project, 1, status="completed", title="Another title")
    assert told(capsys, "show", "1")["title"] == "Another title"
    archive = {"completed_projects": [entry(1, "a", "completed")]}
    (project / "specs" / "archive" / "state.json").write_text(json.dumps(archive))
    path = project / "specs" / "state.json"
    value = json.loads(path.read_text())
    path.write_text(json.dumps({**value, "active_projects": value["active_projects"][1:]}))
    (project / "specs" / "TODO.md").unlink()
    assert told(capsys, "import", "--theirs")["counts"]["claimed"] == 1
    assert {one["number"] for one in told(capsys, "list")["tasks"]} == {1, 2}


def test_another_state_goes_by_its_event_which_is_in_the_history_once(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"), entry(2, "b"), entry(3, "c", "planned"))
    _edit(project, 1, status="researched", topic="roofs")
    _edit(project, 2, status="blocked", reason="the vendor")
    _edit(project, 3, status="not_started")  # to which no step leads
    answer = told(capsys, "import", "--theirs")
    assert (answer["changed"], answer["counts"]["state_refused"]) == ([1, 2], 1)
    assert [told(capsys, "show", number)["status"] for number in "13"] == ["researched", "planned"]
    before = [_events(capsys, number) for number in (1, 2)]
    assert [events[-1] for events in before] == ["end_research", "block"]
    assert told(capsys, "import", "--theirs")["changed"] == []
    assert [_events(capsys, number) for number in (1, 2)] == before
    assert task("reopen", "2") == 0
    assert told(capsys, "show", "2")["status"] == "not_started"


@pytest.mark.parametrize("status", ["planned", "completed", "expanded"])
def test_a_closed_task_stays_closed_whatever_the_files_say(project: Path, capsys: Out, status: str) -> None:
    _import(project, entry(1, "a"))
    assert task("abandon", "1") == 0
    _edit(project, 1, status=status)
    answer = told(capsys, "import", "--theirs")
    assert answer["counts"]["claimed" if status == "completed" else "state_refused"] == 1
    assert told(capsys, "show", "1")["status"] == "abandoned"


def test_a_task_that_the_ledger_never_knew_is_completed_by_the_word_of_the_files_on_record(
    project: Path, capsys: Out
) -> None:
    _import(project, entry(1, "a", "completed"), entry(2, "b"))
    shown = told(capsys, "show", "1")
    assert shown["status"] == "completed"
    (event,) = shown["history"]
    assert (event["what"], event["to"]) == ("imported", "completed")
    assert "word of the files" in event["why"]
    assert "why" not in told(capsys, "show", "2")["history"][0]
