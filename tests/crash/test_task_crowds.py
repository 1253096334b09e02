"""Many processes change the same tasks at once, and are killed in the middle of it: nothing that was acknowledged is
lost, nobody ever reads half a view, and in the end the views say what the ledger says."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.records import record
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.book.task_views import check_views, write_views
from tests.conftest import ROOT
from tests.crash.task_updater import DONE
from tests.store.task_stage import add, make_project, written
from tests.support.patience import PATIENCE

SHARED_TASKS = 5  # of which every process changes each now and then


@record
class Crowd:
    """What a crowd did: the updates that were acknowledged, and how often somebody was killed."""

    acknowledged: list[str]
    kills: int
    reader: dict[str, object]


def start(root: str, name: str, first: int = 0, last: int = 0, tasks: int = 0) -> subprocess.Popen[bytes]:
    words = [root, name, str(first), str(last), str(tasks)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash.task_updater", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def drive(root: str, processes: int, updates: int, tasks: int, kills: int, seed: int) -> Crowd:
    """Let a crowd work, kill some of it, and let others take up what those left."""
    chance = random.Random(seed)
    reader = start(root, "read")
    assert reader.stdout is not None
    assert reader.stdout.readline() == b"reading\n"
    acknowledged: list[str] = []
    live = {f"p{n}": start(root, f"p{n}", 0, updates, tasks) for n in range(processes)}
    killed = 0
    deadline = time.monotonic() + PATIENCE
    while live:
        assert time.monotonic() < deadline, "they come to an end"
        if killed < kills:
            time.sleep(chance.uniform(0.0, 0.4))
            os.kill(live[chance.choice(sorted(live))].pid, signal.SIGKILL)
            killed += 1
        else:
            time.sleep(0.05)
        for name, process in list(live.items()):
            if process.poll() is None:
                continue
            said, error = process.communicate()
            assert process.returncode in (0, -signal.SIGKILL), error.decode()
            acknowledged += said.decode().split()
            del live[name]
            done = [int(word.split("-")[1]) for word in acknowledged if word.startswith(f"{name}-")]
            following = max(done, default=-1) + 1
            if process.returncode and following < updates:
                live[name] = start(root, name, following, updates, tasks)
    reader.terminate()
    return Crowd(acknowledged, killed, json.loads(reader.communicate()[0].splitlines()[-1]))


def check(root: str, crowd: Crowd, processes: int, updates: int) -> None:
    """Nothing is lost, nothing was unreadable, and after the next command the views are what the ledger says."""
    with open_book(root) as book:
        kept = [name for task in book.tasks() for name in task.extra.get(DONE, [])]  # type: ignore[attr-defined]
        events = [
            happened.session
            for brief in book.briefs()
            for happened in book.history(brief.number)
            if happened.what == "updated"
        ]
    assert set(crowd.acknowledged) <= set(kept), "an acknowledged update is lost"
    assert set(kept) == {f"p{n}-{count}" for n in range(processes) for count in range(updates)}
    assert sorted(events) == sorted(kept), "the history tells each of them"
    # One that died after the ledger had its change and before it could say so is done once more by who follows.
    assert len(kept) - processes * updates <= crowd.kills
    assert crowd.reader["wrong"] == []
    assert int(str(crowd.reader["reads"])) > 0
    print(f"\n{len(kept)} updates of {len(crowd.acknowledged)} acknowledged ones, {crowd.kills} kills,")
    print(f"{crowd.reader['reads']} reads; views are behind before the next command: {bool(check_views(root))}")
    written(root)
    assert write_views(root).paths == ()
    assert sorted(path.name for path in Path(root, "specs").iterdir()) == ["TODO.md", "state.json"]


def stage(tmp_path: Path, tasks: int) -> str:
    root = make_project(tmp_path / "project")
    add(root, *(f"Task {n}" for n in range(tasks)), description="Some words about it. " * 20)
    written(root)
    return root


def test_a_few_processes_of_which_some_die_lose_nothing(tmp_path: Path) -> None:
    root = stage(tmp_path, SHARED_TASKS)
    crowd = drive(root, processes=4, updates=12, tasks=SHARED_TASKS, kills=4, seed=1)
    check(root, crowd, 4, 12)


@pytest.mark.soak
@pytest.mark.parametrize(("tasks", "seed"), [(SHARED_TASKS, 2), (64, 3)])
def test_a_crowd_of_which_many_die_loses_nothing(tmp_path: Path, tasks: int, seed: int) -> None:
    root = stage(tmp_path, tasks)
    crowd = drive(root, processes=32, updates=100, tasks=tasks, kills=120, seed=seed)
    check(root, crowd, 32, 100)
