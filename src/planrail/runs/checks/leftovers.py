"""What a check leaves: processes of its session, those that went away and still carry its mark, temporary files.

A check that was begun by a planrail that died is found by the same mark, because the mark is made of its name.
"""

import contextlib
import hashlib
import os
import tempfile
import threading
import time
from collections.abc import Iterator

from planrail.agents.processes.trees import SIGKILL, become_reaper, end_tree
from planrail.git.tree_removal import remove_tree

MARK = "CHECK_ID"
_GRACE = 1.0  # seconds between asking and killing
_PAUSE = 0.02
_ROUNDS = 50  # a process that forks faster than we look is killed again, this often
_SOON = 1.0  # seconds in which process numbers cannot come round
_adopts: list[bool] = []  # whether this process is the parent of orphans; empty where it was not tried yet


def make_mark(name: str) -> str:
    return hashlib.sha256(os.path.abspath(name).encode(errors="surrogateescape")).hexdigest()[:24]


def end_leftovers(leader: int, mark: str, began: float, *, politely: bool = False) -> None:
    """End whatever is left of a check, its leader too, which leads its session since this monotonic time."""
    is_young = time.monotonic() - began < _SOON
    since = leader if is_young and not politely else 0
    end_tree(leader, mark, grace=_GRACE if politely else 0.0, since=since)


def end_forgotten(name: str, temporary: str = "") -> int:
    """End what an earlier planrail left running of the check with this output; how many processes that were."""
    count = end_tree(0, make_mark(name), grace=0.0)
    _remove_own(_private(name, temporary))
    return count


def make_private(name: str, temporary: str = "") -> str:
    """A new folder for the temporary files of the check with this output. After a crash it is found by its name."""
    place = _private(name, temporary)
    _remove_own(place)
    try:
        os.mkdir(place, 0o700)
    except FileExistsError:  # another process has taken the name
        return tempfile.mkdtemp(prefix="t-", dir=temporary or None)
    return place


def _private(name: str, temporary: str) -> str:
    if temporary:  # a folder of the run's own: a short name leaves more for the paths below it
        return os.path.join(temporary, f"t-{make_mark(name)[:8]}")
    return os.path.join(tempfile.gettempdir(), f"check-{make_mark(name)}")


def _remove_own(place: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        if os.lstat(place).st_uid == os.geteuid():
            remove_tree(place)


# Orphans: processes that left their parent and forgot their marks. On Linux this process becomes their parent.
# So nothing that a check or an agent started lives while the next check looks. It is done where one phase runs at a
# time: side by side, nobody could tell an orphan from what another phase has just started.


@contextlib.contextmanager
def without_orphans() -> Iterator[None]:
    """What is begun here and ends well leaves no orphan. On an error nobody is ended: an agent outlives planrail."""
    if not _adopts:
        _adopts.append(become_reaper())
    if threading.current_thread() is not threading.main_thread() or not _adopts[0]:
        yield
        return
    before = _children()
    yield
    for _ in range(_ROUNDS):
        found = set()
        for pid in _children() - before:
            with contextlib.suppress(
                OSError
            ):  # of another session: what we start ourselves by the way, such as git, is not
                found |= {pid} if os.getsid(pid) != os.getsid(0) else set()
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, SIGKILL)
                os.waitpid(pid, os.WNOHANG)
        time.sleep(_PAUSE)


def _children() -> set[int]:
    """The children of this process, of all its threads; none where the system does not tell."""
    found: set[int] = set()
    with contextlib.suppress(OSError, ValueError):
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", "rb", 0) as file:
                found.update(int(number) for number in file.read().split())
    return found
