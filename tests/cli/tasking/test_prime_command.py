"""`planrail prime`: the lines for people and programs, and that sessions are told the same after each change."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.primed import load_primed
from planrail.cli.main import main
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_view_files import load_excerpt, refresh_prime
from planrail.tasks.model import Task
from planrail.tasks.priming import render_prime
from planrail.tasks.statuses import STATUSES
from tests.cli.tasking.projects import Out, git, task
from tests.cli.tasking.projects import project as project


def _state() -> str:
    return os.environ["PLANRAIL_STATE_DIR"]


def _put(root: Path, tasks: list[Task]) -> None:
    with open_book(str(root)) as book:
        book.put(tasks, Note("put"))


def test_a_project_without_tasks_gets_the_command_that_makes_one(project: Path, capsys: Out) -> None:
    before = sorted(project.rglob("*"))
    assert main(["prime"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("next: planrail task new")
    assert sorted(project.rglob("*")) == before
    assert load_primed(_state(), str(project)) == ""


def test_what_is_printed_is_what_sessions_are_told_and_programs_get_it_with_what_it_costs(
    project: Path, capsys: Out
) -> None:
    _put(
        project,
        [
            Task(1, "a", "First", "planning"),
            Task(2, "b", "Second", "partial", resume_phase="3"),
            Task(3, "c", "Third", "completed"),
        ],
    )
    assert main(["prime"]) == 0
    printed = capsys.readouterr().out
    assert '- 1 "First" [PLANNING]: `planrail task plan 1`' in printed
    assert load_primed(_state(), str(project)) == printed.strip()
    assert main(["prime", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "(at phase 3)" in told["text"]
    assert (told["open"], told["in_hand"]) == (2, [1, 2])
    assert 0 < told["tokens"] < 1_500


def test_sessions_are_told_of_a_task_as_soon_as_it_is_there_and_no_longer_than_it_is_open(project: Path) -> None:
    assert task("new", "teach the herons") == 0
    assert '1 "Teach the herons" [NOT STARTED]' in load_primed(_state(), str(project))
    assert task("abandon", "1") == 0
    assert load_primed(_state(), str(project)) == ""


def test_where_nobody_wants_it_nothing_is_kept(project: Path) -> None:
    (project / "planrail.toml").write_text("[tasks]\nprime = false\n", "utf-8")
    git(project, "add", "planrail.toml")
    assert task("new", "teach the herons") == 0
    assert main(["prime"]) == 0
    assert load_primed(_state(), str(project)) == ""


@pytest.mark.full
@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.lists(st.integers(1, 12), max_size=4)), max_size=10))
def test_an_excerpt_tells_what_all_tasks_tell(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, list[int]]]
) -> None:
    root = tmp_path_factory.mktemp("root")
    tasks = [
        Task(n, f"t{n}", f"Title {n}", status, dependencies=tuple(deps)) for n, (status, deps) in enumerate(rows, 1)
    ]
    with open_book(str(root)) as book:
        book.put(tasks, Note("put"))
        assert render_prime(load_excerpt(book)) == render_prime(book.briefs())


def test_an_excerpt_of_many_tasks_says_that_there_are_more(project: Path) -> None:
    _put(
        project,
        [
            Task(n, f"t{n}", f"Title {n}", STATUSES[n % 12], dependencies=(n - 1,) if n % 3 == 0 else ())
            for n in range(1, 901)
        ],
    )
    with open_book(str(project)) as book:
        refresh_prime(str(project), book)
        text = load_primed(_state(), str(project))
        parts = {part.split(" (")[0]: part for part in text.split("\n\n")}
        whole = {part.split(" (")[0]: part for part in render_prime(book.briefs()).split("\n\n")}
    for name in ("In hand", "Ready", "Blocked"):
        assert "and more" in parts[name]
        assert parts[name].splitlines()[1:-1] == whole[name].splitlines()[1 : len(parts[name].splitlines()) - 1]


def test_a_project_that_came_to_lie_at_the_place_of_another_is_told_nothing_of_it(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLANRAIL_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    assert main(["task", "new", "Teach the herons"]) == 0
    state = str(tmp_path / "home" / "planrail")
    assert "Teach the herons" in load_primed(state, str(project))
    shutil.rmtree(project / ".git")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert load_primed(state, str(project)) == ""
