"""The lock of a run's folder: the planrail that works on a run holds it as long as it lives, however it ends."""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator

from planrail.base.errors import Held
from planrail.store.failures import not_done

LOCK = "lock"
_PATIENCE, _PAUSE = 60.0, 0.05  # seconds


@contextlib.contextmanager
def hold_run(folder: str) -> Iterator[None]:
    """Be the one planrail that works on a run; wait for the one that does."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise not_done(f"{folder} could not be written", error) from error
    try:
        _wait_for(descriptor, folder)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int, folder: str) -> None:
    """Take the lock; the process that has it gets a while to end."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                text = f"another planrail still works on the run in {folder}; nothing was done"
                raise Held(text, remedy="planrail status; one that is suspended is woken by: kill -CONT PID") from None
        time.sleep(_PAUSE)


def is_live(folder: str) -> bool:
    """Whether a planrail is at work on the run: it holds the lock of the folder as long as it lives."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # for a moment; one that wants the lock waits for it
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
