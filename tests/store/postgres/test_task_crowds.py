"""Several machines change the tasks of one team at once: numbers are given once, nothing that was said is lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.tasks.book.task_rows import open_book
from planrail.tasks.book.task_views import check_views
from tests.conftest import ROOT
from tests.crash.task_updater import DONE
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


@pytest.mark.full
@pytest.mark.usefixtures("team")
def test_two_checkouts_on_two_machines_show_the_same_tasks(tmp_path: Path) -> None:
    here, there = make_project(tmp_path / "here"), make_project(tmp_path / "there")
    add(here, "First")
    add(there, "Second")
    command = [sys.executable, "-m", "tests.crash.task_updater"]
    both = [
        subprocess.Popen([*command, root, name, "0", "10", "2"], cwd=ROOT, env=dict(os.environ))
        for name, root in (("a", here), ("b", there))
    ]
    assert [process.wait(120) for process in both] == [0, 0]
    with open_book(here) as book:
        kept = [name for task in book.tasks() for name in task.extra.get(DONE, [])]  # type: ignore[attr-defined]
    assert sorted(kept) == sorted(f"{name}-{count}" for name in "ab" for count in range(10))
    written(here)
    written(there)
    texts = [Path(root, "specs", "state.json").read_bytes() for root in (here, there)]
    assert texts[0] == texts[1]


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
