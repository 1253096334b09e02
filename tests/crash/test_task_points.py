"""kill -9 at every named instant of writing the views: the ledger has the change, each view is whole, the next command
makes good what is missing, and nobody takes the half-done work for a person's edit."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from planrail.tasks.book.task_rows import open_book
from tests.conftest import ROOT
from tests.crash.task_updater import DONE, look
from tests.store.task_stage import add, make_project, written
from tests.support.crash_names import read_points

POINTS = ["views.begun", "views.drafted", "views.noted", "views.placed", "views.placed:2"]


def crash(root: str, point: str, count: int) -> int:
    words = [root, "p", str(count), str(count + 1), "1"]
    return subprocess.run(
        [sys.executable, "-m", "tests.crash.task_updater", *words],
        cwd=ROOT,
        env={**os.environ, VARIABLE: point},
    ).returncode


def test_every_named_instant_of_the_views_is_tried() -> None:
    assert {name for name in read_points() if name.startswith("views.")} == {point.split(":")[0] for point in POINTS}


@pytest.mark.parametrize("first", POINTS)
def test_who_dies_while_the_views_are_written_loses_nothing(tmp_path: Path, first: str) -> None:
    root = make_project(tmp_path / "project")
    add(root, "One", "Two")
    written(root)
    names = []
    for count, point in enumerate([first, *POINTS]):  # and dies again, before anybody has made it good
        assert crash(root, point, count) == -signal.SIGKILL
        names.append(f"p-{count}")
        with open_book(root) as book:
            assert book.load(1).extra[DONE] == names
        assert look(root) == ""
    answer = written(root)
    assert (answer.kept, answer.problems) == ((), ())
    state = json.loads(Path(root, "specs", "state.json").read_text())
    assert state["active_projects"][0][DONE] == names
    assert sorted(path.name for path in Path(root, "specs").iterdir()) == ["TODO.md", "state.json"]
