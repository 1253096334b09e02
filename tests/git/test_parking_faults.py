"""Killed at any instant, on a full disk or side by side: parking and undoing finish when they are run again."""

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.git.snapshots.parking import park, parked_branches, undo
from planrail.git.snapshots.snapshots import TreeSnapshot, compare, load_snapshot, take_snapshot
from tests.git.snapshot_trees import git, git_state, make_repository, users_files, walk, write

SOURCE = str(Path(__file__).parent.parent.parent / "src")
PROGRAM = """
import sys
sys.path.insert(0, {source!r})
from planrail.git.snapshots.parking import park, undo
from planrail.git.snapshots.snapshots import compare, load_snapshot, take_snapshot
root, folder, act = sys.argv[1:]
if act == "take":
    take_snapshot(root, folder, "again", taken_at=1e9)
else:
    snapshot = load_snapshot(folder, "n")
    changes = compare(snapshot)
    if act == "park":
        park(snapshot, changes, "p")
    else:
        undone = undo(snapshot, changes)
        sys.exit(3 if undone.left else 0)
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "r")


def _start(root: Path, act: str, file_bytes: int = resource.RLIM_INFINITY) -> "subprocess.Popen[bytes]":
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    command = [sys.executable, "-c", PROGRAM.format(source=SOURCE), str(root), str(root.parent / "s"), act]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=quiet, stderr=quiet, preexec_fn=limit, start_new_session=True)


def _slip(root: Path) -> None:
    for number in range(12):
        write(root, f"new/{number}", f"{number}\n")
    write(root, "a.py", "other\n")
    (root / "notes.txt").unlink()
    (root / "d/e/deep.txt").unlink()
    git(root, "add", "a.py")
    git(root, "branch", "slipped")


def _take(root: Path) -> TreeSnapshot:
    return take_snapshot(str(root), str(root.parent / "s"), "n", taken_at=1e9)


def _kill_after(root: Path, act: str, seconds: float) -> None:
    process = _start(root, act)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _instants(count: int, longest: float) -> list[float]:
    return [longest * number / count for number in range(count)]


def _time_of(root: Path, act: str) -> float:
    began = time.monotonic()
    assert _start(root, act).wait() == 0
    return time.monotonic() - began


def _remove_lock(root: Path) -> None:
    """git's own locks outlive a killed git; removing them is what git tells a person to do."""
    for lock in (root / ".git").rglob("*.lock"):
        lock.unlink()


@pytest.mark.parametrize("count", [pytest.param(8, marks=pytest.mark.full), pytest.param(100, marks=pytest.mark.soak)])
def test_an_undoing_that_was_killed_is_finished_by_the_next(root: Path, count: int) -> None:
    snapshot = _take(root)
    before = walk(root), git_state(root)
    _slip(root)
    park(snapshot, compare(snapshot), "p")
    longest = _time_of(root, "undo")
    assert (walk(root), git_state(root)) == before
    for instant in _instants(count, longest):
        _slip(root)
        park(snapshot, compare(snapshot), "p")
        assert len(parked_branches(snapshot)) == 1
        _kill_after(root, "undo", instant)
        _remove_lock(root)
        undone = undo(snapshot, compare(snapshot))
        assert undone.left == []
        assert (walk(root), git_state(root)) == before


@pytest.mark.parametrize("count", [pytest.param(8, marks=pytest.mark.full), pytest.param(100, marks=pytest.mark.soak)])
def test_a_parking_that_was_killed_is_finished_by_the_next(root: Path, count: int) -> None:
    snapshot = _take(root)
    _slip(root)
    before = walk(root), git_state(root)
    longest = _time_of(root, "park")
    git(root, "branch", "-q", "-D", *parked_branches(snapshot))
    for instant in _instants(count, longest):
        _kill_after(root, "park", instant)
        _remove_lock(root)
        park(snapshot, compare(snapshot), "p")
        assert len(parked_branches(snapshot)) == 1
        assert (walk(root), git_state(root)) == before
        git(root, "branch", "-q", "-D", *parked_branches(snapshot))


@pytest.mark.full
def test_a_snapshot_that_was_killed_is_not_there_or_whole_and_can_be_taken_again(root: Path) -> None:
    longest = _time_of(root, "take")
    before = walk(root), git_state(root), users_files(root)
    folder = root.parent / "s"
    for instant in _instants(8, longest):
        (folder / "again.json").unlink(missing_ok=True)
        _kill_after(root, "take", instant)
        if (folder / "again.json").exists():
            assert not compare(load_snapshot(str(folder), "again"))
        assert not compare(take_snapshot(str(root), str(folder), "again", taken_at=1e9))
        assert (walk(root), git_state(root), users_files(root)) == before


def test_on_a_full_disk_nothing_is_lost_and_undoing_finishes_later(root: Path) -> None:
    write(root, "large.txt", "x" * 200_000)
    snapshot = _take(root)
    before = walk(root), git_state(root)
    write(root, "large.txt", "y")
    write(root, "a.py", "z\n")
    park(snapshot, compare(snapshot), "p")
    assert _start(root, "undo", file_bytes=50_000).wait() == 3
    assert (root / "large.txt").read_text() == "y"
    assert (root / "a.py").read_text() == "a\n"
    assert undo(snapshot, compare(snapshot)).left == []
    assert (walk(root), git_state(root)) == before


def test_on_a_full_disk_neither_a_snapshot_nor_a_branch_is_half_made(root: Path) -> None:
    snapshot = _take(root)
    write(root, "large.txt", os.urandom(200_000))
    before = walk(root), git_state(root)
    assert _start(root, "take", file_bytes=50_000).wait() != 0
    assert not (root.parent / "s/again.json").exists()
    assert _start(root, "park", file_bytes=50_000).wait() not in (0, 3)
    assert parked_branches(snapshot) == []
    assert (walk(root), git_state(root)) == before


@pytest.mark.full
def test_many_that_park_at_once_make_one_branch(root: Path) -> None:
    snapshot = _take(root)
    _slip(root)
    processes = [_start(root, "park") for _ in range(8)]
    assert [process.wait() for process in processes] == [0] * 8
    assert len(parked_branches(snapshot)) == 1


def test_a_lock_on_the_index_is_said_and_the_files_are_restored(root: Path) -> None:
    snapshot = _take(root)
    _slip(root)
    park(snapshot, compare(snapshot), "p")
    write(root, ".git/index.lock", "")
    undone = undo(snapshot, compare(snapshot))
    assert [name for name, _ in undone.left] == ["index"]
    (root / ".git/index.lock").unlink()
    assert undo(snapshot, compare(snapshot)).left == []


@pytest.mark.full
def test_files_that_come_and_go_do_not_disturb_a_snapshot(root: Path) -> None:
    churn = subprocess.Popen(
        [sys.executable, "-c", "import os, sys\nos.chdir(sys.argv[1])\n"
         "while True:\n open('flicker', 'w').close()\n os.unlink('flicker')", str(root)]
    )  # fmt: skip
    try:
        for number in range(5):
            try:
                snapshot = take_snapshot(str(root), str(root.parent / "s"), f"n{number}")
                told = {file.path for file in compare(snapshot).files}
            except ToolFailed:
                continue  # it may give up, loudly, on a tree that never holds still
            assert told <= {"flicker"}
    finally:
        churn.kill()
        churn.wait()
