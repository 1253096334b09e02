"""A lock that lasts as long as the work under it: git's processes hold on to it too.

planrail may be killed while a git that it started is still at work. A new planrail that took the lock then would race
with it; so git inherits the descriptor, and the lock is free only when both are gone.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator

from planrail.base.errors import ToolFailed
from planrail.git.git_writing import inherited_by_git

PATIENCE = 300.0  # seconds; longer than git may take for one thing
_FIRST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05
_own = threading.local()


@contextlib.contextmanager
def hold(path: str, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of this name. Again in the same thread is no waiting; other threads and processes wait."""
    place = os.path.abspath(path)
    held: set[str] = _own.__dict__.setdefault("held", set())
    if place in held:
        yield
        return
    descriptor = _acquire(place, patience)
    inherited = inherited_by_git()
    held.add(place)
    inherited.append(descriptor)
    try:
        yield
    finally:
        inherited.remove(descriptor)
        held.remove(place)
        os.close(descriptor)


def _acquire(place: str, patience: float) -> int:
    deadline, pause = time.monotonic() + patience, _FIRST_PAUSE
    while (descriptor := _try(place)) is None:
        if time.monotonic() > deadline:
            raise ToolFailed(f"{place} is held by another planrail, or by a git that it started", remedy="try again")
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)
    return descriptor


def _try(place: str) -> int | None:
    """Take the lock, if it is free and the file still has its name: one that was removed guards nothing."""
    try:
        os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise ToolFailed(
            f"{place} cannot be locked: {error.strerror}", remedy="check the disk and its rights"
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.lstat(place)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
