"""A worker can be found and woken, and what a dead one left is in nobody's way."""

import contextlib
import json
import os
import threading
from pathlib import Path

import pytest

from planrail.team import waking
from planrail.team.engines import open_dispatch
from tests.store.queue_stage import make


def serve(door: object, count: int) -> threading.Thread:
    def answer() -> None:
        left = count
        while left:
            left -= waking.answer_one(door, lambda: {"ok": True, "pid": os.getpid()})  # type: ignore[arg-type]

    thread = threading.Thread(target=answer)
    thread.start()
    return thread


def test_nobody_is_there_where_no_worker_listens() -> None:
    assert waking.find_workers() == []
    assert waking.wake_workers() == 0
    assert waking.ask_workers() == []


def test_a_worker_hears_a_knock_and_answers_a_question() -> None:
    with waking.listen() as door:
        thread = serve(door, 2)
        assert waking.wake_workers() == 1
        assert waking.ask_workers() == [{"ok": True, "pid": os.getpid()}]
        thread.join()
    assert waking.find_workers() == []


def test_what_is_submitted_wakes_the_workers_of_the_machine_once_it_is_there(tmp_path: Path) -> None:
    with waking.listen() as door, open_dispatch(str(tmp_path)) as dispatch:
        with contextlib.suppress(InterruptedError), dispatch.tables.exclusive():
            dispatch.submit(make("a"))
            raise InterruptedError
        assert not waking.answer_one(door, dict)
        with dispatch.tables.exclusive():
            dispatch.submit(make("a"))
            assert not waking.answer_one(door, dict)
        assert waking.answer_one(door, dict)
        dispatch.end_schedules("a", "over")
        assert not waking.answer_one(door, dict)


def test_a_worker_that_is_busy_for_a_moment_is_heard_all_the_same() -> None:
    with waking.listen() as door:
        begun = threading.Timer(0.2, lambda: serve(door, 1).join())
        begun.start()
        assert waking.ask_workers() == [{"ok": True, "pid": os.getpid()}]
        begun.join()


def test_a_worker_that_says_nothing_is_not_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking.say, "__defaults__", (0.1,))
    with waking.listen():
        assert [worker["ok"] for worker in waking.ask_workers()] == [False]


def test_a_worker_listens_though_its_folders_have_long_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / ("x" * 120)))
    monkeypatch.setenv("TMPDIR", str(tmp_path / ("y" * 120)))
    with waking.listen() as door:
        place = waking.find_workers()[0].socket
        thread = serve(door, 1)
        assert waking.wake_workers() == 1
        thread.join()
    assert not os.path.exists(os.path.dirname(place))


def test_what_a_dead_worker_left_is_taken_away() -> None:
    os.makedirs(waking.workers_folder())
    note = os.path.join(waking.workers_folder(), "7.json")
    Path(note).write_text(json.dumps({"pid": os.getpid(), "start": "another", "socket": "/nowhere"}))
    assert waking.find_workers() == []
    assert not os.path.exists(note)
