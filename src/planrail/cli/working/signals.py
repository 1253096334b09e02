"""Signals as bytes on a socket, so that a loop that sleeps hears them like anything else."""

import contextlib
import signal
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


@contextlib.contextmanager
def hear_signals() -> "Iterator[socket.socket]":
    """A socket that becomes readable when a signal arrives: one byte for each, its number."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    before = {number: signal.signal(number, _leave_it_to_the_socket) for number in _NUMBERS}
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    try:
        yield ours
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


def _leave_it_to_the_socket(number: int, frame: object) -> None:
    pass
