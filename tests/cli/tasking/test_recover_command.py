"""`planrail task recover`: out of the archive, and out of what a stage that died has left."""

from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.model import Task
from tests.cli.tasking.projects import Out, committed, git, project, task, told
from tests.tasks.importing.specs_trees import Tree, entry, plan_text, section

__all__ = ["project"]


def _import(root: Path, *entries: dict[str, Any], archived: tuple[dict[str, Any], ...] = ()) -> None:
    tree = Tree(root, list(entries), list(archived), [section(one) for one in entries], next_number=50)
    tree.write()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "as it was")
    assert task("import") == 0


def _task(root: Path, number: int) -> Task:
    with open_book(str(root)) as book:
        return book.load(number)


def _set(root: Path, number: int, **changes: object) -> None:
    with open_book(str(root)) as book:
        book.change(number, lambda known: replace(known, **changes), Note("a test"))


def test_an_archived_task_comes_back_with_its_folder_and_its_state(project: Path, capsys: Out) -> None:
    path = Tree(project).document("specs/001_a/reports/01_x.md")
    _import(project, entry(1, "a", "abandoned", artifacts=[{"path": path, "type": "report"}]))
    before = _task(project, 1)
    assert task("archive", "1") == 0
    assert not (project / path).exists()
    assert task("recover", "1") == 0
    assert _task(project, 1) == before
    assert (project / path).is_file()
    assert path in committed(project)
    assert git(project, "status", "--porcelain") == ""
    assert told(capsys, "check")["divergences"] == []


def test_one_whose_number_is_another_tasks_gets_a_new_number(project: Path) -> None:
    _import(project, entry(1, "a"), archived=(entry(1, "old", "completed"),))
    assert task("recover", "1", "--name", "old") == 0
    assert _task(project, 50).name == "old"
    assert _task(project, 1).name == "a"


def test_of_several_archived_tasks_with_a_number_one_has_to_be_named(project: Path, capsys: Out) -> None:
    _import(project, archived=(entry(1, "one", "completed"), entry(1, "two", "completed")))
    assert task("recover", "1") == 2
    assert "planrail task recover 1 --name one" in capsys.readouterr().err
    assert task("recover", "1", "--name", "two") == 0
    assert _task(project, 1).name == "two"


@pytest.mark.parametrize(
    ("status", "folder", "after"),
    [
        ("researching", "reports", "researched"),
        ("planning", "plans", "planned"),
        ("researching", "plans", "planned"),
    ],
)
def test_a_stage_that_died_is_over_where_its_document_is_there(
    project: Path, status: str, folder: str, after: str
) -> None:
    _import(project, entry(1, "a"))
    _set(project, 1, status=status)
    path = Tree(project).document(f"specs/001_a/{folder}/01_x.md")
    assert task("recover", "1") == 0
    found = _task(project, 1)
    assert (found.status, [one.path for one in found.artifacts]) == (after, [path])
    assert path in committed(project)


def test_work_that_no_phase_proves_is_partial_whatever_the_summary_says(project: Path) -> None:
    tree = Tree(project)
    plan = tree.document("specs/001_a/plans/01_x.md", plan_text("COMPLETED", "NOT STARTED"))
    tree.document("specs/001_a/summaries/01_x.md")
    _import(project, entry(1, "a", "implementing", artifacts=[{"path": plan, "type": "plan"}]))
    assert task("recover") == 0
    found = _task(project, 1)
    assert found.status == "partial"
    assert found.resume_phase


def test_a_folder_of_no_task_becomes_one(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"))
    Tree(project).document("specs/archive/032_mend_the_roof/plans/01_x.md", plan_text("NOT STARTED"))
    assert task("recover", "specs/archive/032_mend_the_roof") == 0
    found = _task(project, 32)
    assert (found.title, found.status) == ("Mend the roof", "planned")
    assert [one.path for one in found.artifacts] == ["specs/032_mend_the_roof/plans/01_x.md"]
    assert (project / found.artifacts[0].path).is_file()
    assert told(capsys, "check")["divergences"] == []


def test_where_there_is_nothing_to_recover_nothing_is_changed(project: Path, capsys: Out) -> None:
    _import(project, entry(1, "a"))
    before = git(project, "rev-parse", "HEAD")
    assert task("recover") == 0
    assert "nothing to recover" in capsys.readouterr().out
    assert git(project, "rev-parse", "HEAD") == before
    assert task("recover", "77") == 1
