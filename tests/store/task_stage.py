"""A project with tasks, in both databases: `root` is its folder, and the ledger is where its settings say."""

import subprocess
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.tasks.book.task_rows import Note, TaskBook, open_book
from planrail.tasks.book.task_views import Written, check_views, write_views
from planrail.tasks.model import Task

EMBEDDED, TEAM = "embedded", "team"
NOTE = Note("tried", "sess_1_abcdef", 1_782_900_000.0)


@pytest.fixture(params=[EMBEDDED, TEAM])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A git repository whose tasks are in its own ledger, or in a team's database."""
    if request.param == TEAM:
        monkeypatch.setenv("PLANRAIL_DATABASE", request.getfixturevalue("database"))
        monkeypatch.setenv("PLANRAIL_REPOSITORY", "example.org/team/shop")
    return make_project(tmp_path / "project")


def make_project(place: Path) -> str:
    """An empty git repository."""
    place.mkdir(parents=True)
    git(place, "init", "-q", "-b", "main")
    git(place, "config", "user.email", "a@example.org")
    git(place, "config", "user.name", "A")
    return str(place)


def git(place: Path | str, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True, text=True).stdout


def add(root: str, *titles: str, **fields: object) -> list[Task]:
    """New tasks with these titles."""
    with open_book(root) as book:
        return [_add(book, title, fields) for title in titles]


def _add(book: TaskBook, title: str, fields: dict[str, object]) -> Task:
    return book.create(lambda number: replace(Task(number, f"task_{number}", title), **fields), NOTE)


def change(root: str, number: int, **fields: object) -> Task:
    """The task with other fields."""
    with open_book(root) as book:
        return book.change(number, lambda task: replace(task, **fields), NOTE)


def written(root: str, *, archive: bool = False) -> Written:
    """The views, written; they have to be what the ledger says."""
    answer = write_views(root, archive=archive)
    assert check_views(root) == [], answer
    return answer


def view(root: str, name: str = "state.json") -> Path:
    """Where a view lies."""
    return Path(root) / "specs" / name
