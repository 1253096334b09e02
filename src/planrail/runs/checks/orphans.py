"""Orphans: processes that left whoever started them and forgot their marks. On Linux this process becomes their parent.

So nothing that a check or an agent started lives while the next check looks. It is done where one phase runs at a time:
side by side, nobody could tell an orphan from what another phase has just started.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator

_BECOME_REAPER = 36  # PR_SET_CHILD_SUBREAPER
_PAUSE = 0.01
_ROUNDS = 100  # a process that forks faster than we look is killed again, this often
_adopts: list[bool] = []  # whether this process is the parent of orphans; empty where it was not tried yet


@contextlib.contextmanager
def without_orphans() -> Iterator[None]:
    """What is begun here and ends well leaves no orphan. On an error nobody is ended: an agent outlives planrail."""
    if threading.current_thread() is not threading.main_thread() or not _adopt():
        yield
        return
    before = _children()
    yield
    _end(before)


def _adopt() -> bool:
    """Become the parent of all orphans below, if the system can."""
    if not _adopts:
        try:
            import _ctypes  # `ctypes` costs 6 ms, its C half 1

            prctl = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type] # None: the program itself
            _adopts.append(_ctypes.call_function(prctl, (_BECOME_REAPER, 1, 0, 0, 0)) == 0)
        except (ImportError, AttributeError, OSError):
            _adopts.append(False)
    return _adopts[0]


def _end(before: set[int]) -> None:
    for _ in range(_ROUNDS):
        found = {pid for pid in _children() - before if _is_elsewhere(pid)}
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
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


def _is_elsewhere(pid: int) -> bool:
    """Whether a process is of another session than ours: what we start ourselves by the way, such as git, is not."""
    with contextlib.suppress(OSError):
        return os.getsid(pid) != os.getsid(0)
    return False
