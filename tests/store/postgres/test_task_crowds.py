"""Several machines change the tasks of one team at once: numbers are given once, nothing that was said is lost."""

from pathlib import Path

import pytest

from planrail.tasks.book.task_rows import open_book
from planrail.tasks.book.task_views import check_views
from tests.crash.test_task_crowds import check, drive
from tests.store.task_stage import NOTE, add, make_project, written

PROCESSES, UPDATES, TASKS = 4, 8, 3


@pytest.fixture
def team(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All projects of the test are one repository of a team."""
    monkeypatch.setenv("PLANRAIL_DATABASE", database)
    monkeypatch.setenv("PLANRAIL_REPOSITORY", "example.org/team/shop")


@pytest.mark.full
@pytest.mark.usefixtures("team")
def test_processes_of_which_some_die_lose_nothing_of_a_team(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    add(root, *(f"Task {n}" for n in range(TASKS)))
    written(root)
    crowd = drive(root, processes=PROCESSES, updates=UPDATES, tasks=TASKS, kills=3, seed=4)
    check(root, crowd, PROCESSES, UPDATES)


@pytest.mark.usefixtures("team")
@pytest.mark.soak
def test_a_crowd_of_which_many_die_loses_nothing_of_a_team(tmp_path: Path) -> None:
    root = make_project(tmp_path / "project")
    add(root, *(f"Task {n}" for n in range(8)))
    written(root)
    crowd = drive(root, processes=16, updates=50, tasks=8, kills=60, seed=5)
    check(root, crowd, 16, 50)


@pytest.mark.usefixtures("team")
def test_repositories_of_one_team_have_books_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_project(tmp_path / "project")
    add(root, "First", "Second")
    monkeypatch.setenv("PLANRAIL_REPOSITORY", "example.org/team/other")
    other = make_project(tmp_path / "other")
    (task,) = add(other, "Theirs")
    assert task.number == 1
    written(other)
    with open_book(other) as book:
        assert [brief.title for brief in book.briefs()] == ["Theirs"]
        assert book.change(1, lambda task: task, NOTE) == task
    assert check_views(other) == []
