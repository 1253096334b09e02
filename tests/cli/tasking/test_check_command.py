"""`planrail task check`: views, ledger and documents, compared; each line says what to do."""

import json
import os
from pathlib import Path
from typing import Any

from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.model import folder_of
from tests.cli.tasking.projects import Out, project, task, told
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section

__all__ = ["project"]


def _found(capsys: Out, *words: str) -> Any:
    capsys.readouterr()
    assert task("check", "--json", *words) == 1
    return json.loads(capsys.readouterr().out)


def _import(root: Path, *entries: dict[str, Any]) -> None:
    tree = Tree(root, list(entries), todo=[section(one) for one in entries], next_number=50)
    tree.write()
    assert task("import", "--no-commit") == 0


def test_a_project_without_tasks_or_with_views_that_are_the_ledgers_agrees(project: Path, capsys: Out) -> None:
    assert task("check") == 0
    assert not os.path.exists(ledger_folder(str(project)))
    assert task("new", "some work") == 0
    assert told(capsys, "check")["divergences"] == []
    assert task("check") == 0
    assert "agree" in capsys.readouterr().out
    Tree(project).document("specs/040_nobody/reports/01_x.md")
    assert _found(capsys)["next"] == "planrail task recover specs/040_nobody"


def test_a_folder_that_nobody_took_over_is_told(project: Path, capsys: Out) -> None:
    Tree(project, [entry(1, "a")]).write()
    assert _found(capsys)["next"] == "planrail task import"


def test_an_edited_view_is_told_and_generated_anew_and_only_what_is_gone_is_called_fixed(
    project: Path, capsys: Out
) -> None:
    assert task("new", "some work") == 0
    todo, state = project / "specs" / "TODO.md", project / "specs" / "state.json"
    before = todo.read_bytes()
    todo.write_bytes(before.replace(b"NOT STARTED", b"COMPLETED"))
    found = _found(capsys)
    assert found["counts"] == {"view_differs": 1}
    assert found["next"] == "planrail task check --fix"
    assert told(capsys, "check", "--fix")["fixed"]
    assert todo.read_bytes() == before
    todo.write_text("edited")
    state.unlink()
    state.mkdir()
    capsys.readouterr()
    assert task("check", "--fix") == 1
    said = capsys.readouterr().out
    fixed = [line for line in said.splitlines() if line.startswith("fixed")]
    assert fixed == ["fixed: specs/TODO.md is not what the ledger says"]
    assert said.rstrip().endswith("next: ls -ld specs/state.json")


def test_a_document_that_is_gone_and_one_that_nobody_linked_are_told(project: Path, capsys: Out) -> None:
    listed = Tree(project).document("specs/001_a/reports/01_x.md")
    _import(project, entry(1, "a", artifacts=[{"path": listed, "type": "report"}]))
    Tree(project).document("specs/001_a/plans/01_y.md")
    (project / listed).unlink()
    found = _found(capsys)
    assert found["counts"] == {"artifact_missing": 1, "file_unlisted": 1}
    assert "planrail task recover 1" in [one["remedy"] for one in found["divergences"]]


def test_a_completed_task_with_open_phases_and_needs_that_lead_nowhere_are_told(project: Path, capsys: Out) -> None:
    path = Tree(project).document("specs/001_a/plans/01_x.md", plan_text("COMPLETED", "NOT STARTED"))
    done = entry(1, "a", "completed", artifacts=[{"path": path, "type": "plan"}])
    _import(
        project,
        done,
        entry(2, "b", dependencies=[77]),
        entry(3, "c", dependencies=[4]),
        entry(4, "d", dependencies=[3]),
    )
    assert _found(capsys)["counts"] == {"dependency": 2, "open_phases": 1}


def test_a_folder_that_an_interrupted_archiving_left_is_moved(project: Path, capsys: Out) -> None:
    path = Tree(project).document("specs/001_a/reports/01_x.md")
    _import(project, entry(1, "a", "abandoned", artifacts=[{"path": path, "type": "report"}]))
    assert task("archive", "1", "--no-commit") == 0
    with open_book(str(project)) as book:
        [archived] = book.tasks(archived=True)
    os.rename(project / folder_of(archived, "specs/archive"), project / folder_of(archived, "specs"))
    assert _found(capsys)["counts"]["folder_misplaced"] == 1
    assert told(capsys, "check", "--fix")["divergences"] == []
    assert (project / archived.artifacts[0].path).is_file()


def test_completed_tasks_without_a_plan_are_told_in_one_line_unless_somebody_answers_for_them(
    project: Path, capsys: Out
) -> None:
    _import(project, *(entry(number, f"t{number}", "completed") for number in range(1, 31)), entry(40, "open"))
    (one,) = _found(capsys)["divergences"]
    assert one["kind"] == "no_plan"
    assert one["text"].startswith("30 tasks are COMPLETED without plans that prove it: 1, 2, 3,")
    assert one["remedy"] == "planrail task reopen 1 --force"
    assert task("archive", "1-30", "--no-commit") == 0
    assert told(capsys, "check")["divergences"] == []
    assert task("complete", "40", "--force", "--why", "seen with my own eyes", "--no-commit") == 0
    assert told(capsys, "check")["divergences"] == []


def test_one_thing_is_not_told_as_several(project: Path, capsys: Out) -> None:
    entries = [entry(number, f"t{number}", dependencies=[900 + number]) for number in range(1, 25)]
    _import(project, *entries)
    Tree(project).document("specs/040_nobody/reports/01_x.md")
    capsys.readouterr()
    assert task("check") == 1
    said = capsys.readouterr().out
    assert "     1  folder of no task" in said
    assert "    24  dependencies on tasks that are not there" in said
    assert "all of them: planrail task check --json" in said
