"""The lock of a repository: one at a time, in any thread or process, for as long as a git that was started under it."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.git.git_writing import _held, hold, run_git
from tests.git.snapshot_trees import git

_ORPHAN = """
import os, sys, threading, time
from planrail.git.git_writing import run_git
from planrail.git.git_writing import hold
with hold(sys.argv[2]):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), 9)).start()
    run_git(sys.argv[1], "-c", "alias.slow=!echo $$ > pid; exec sleep 30", "slow")
"""


def test_another_process_waits_and_is_told(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    program = f"from planrail.git.git_writing import hold\nwith hold({path!r}, 0.05): pass"
    with hold(path):
        held = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    free = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "is held by another planrail" in held.stderr
    assert free.returncode == 0


def test_another_thread_waits(tmp_path: Path) -> None:
    path, inside = str(tmp_path / "x.lock"), list[str]()

    def work(name: str) -> None:
        with hold(path):
            inside.append(name)
            time.sleep(0.02)
            inside.append(name)

    with ThreadPoolExecutor() as threads:
        list(threads.map(work, "abcd"))
    assert [inside[place] == inside[place + 1] for place in range(0, 8, 2)] == [True] * 4


def test_it_can_be_held_again_in_the_same_thread(tmp_path: Path) -> None:
    path = str(tmp_path / "x.lock")
    with hold(path), hold(path, 0), hold(str(tmp_path / "y.lock")):
        assert len(_held[threading.get_ident()]) == 2
    assert _held[threading.get_ident()] == {}
    with hold(path, 0):
        pass


def test_a_lock_whose_file_was_removed_is_taken_under_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    entered = threading.Event()

    def wait() -> None:
        with hold(str(path)):
            entered.set()
            assert path.exists()

    with hold(str(path)):
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.02)  # it may have opened the file that goes now
        path.unlink()
        assert entered.wait(10)
    thread.join()


def test_two_locks_are_both_inherited(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    places = [str(tmp_path / name) for name in ("one", "two")]
    with hold(places[0]), hold(places[1]):
        listed = run_git(str(tmp_path), "-c", "alias.files=!ls -l /proc/self/fd", "files")
    assert all(place in listed for place in places)
    assert "one" not in run_git(str(tmp_path), "-c", "alias.files=!ls -l /proc/self/fd", "files")


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="reads /proc")
def test_the_lock_is_not_free_before_an_orphaned_git_is_gone(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    path = str(tmp_path / "x.lock")
    done = subprocess.run([sys.executable, "-c", _ORPHAN, str(tmp_path), path])
    assert done.returncode == -9
    with pytest.raises(ToolFailed, match="held by another planrail"), hold(path, 0.1):
        pass
    os.kill(int((tmp_path / "pid").read_text()), 9)
    with hold(path, 20):
        pass
