"""Signals as bytes on a socket, so that a loop that sleeps hears them; and what a worker hides from its agents."""

import contextlib
import ctypes
import signal
import socket
from collections.abc import Iterator

from planrail.base.errors import ToolFailed

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
_SET_DUMPABLE = 4  # PR_SET_DUMPABLE, of Linux


@contextlib.contextmanager
def hear_signals() -> Iterator[socket.socket]:
    """A socket that becomes readable when a signal arrives: one byte for each, its number."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    before = {number: signal.signal(number, lambda *_: None) for number in _NUMBERS}
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


@contextlib.contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """What takes too long inside of this is ended by a `ToolFailed`: no kernel tells of a server that hangs."""

    def end_it(number: int, frame: object) -> None:
        raise ToolFailed("it does not answer", remedy="planrail doctor --database")

    before = signal.signal(signal.SIGALRM, end_it)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def keep_private() -> None:
    """Hide the environment and the memory of this process from others of the same user, where the kernel can.

    What it starts by another program is not hidden. Root reads everything.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
