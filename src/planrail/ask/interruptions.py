"""Signals that end planrail. In a run, Ctrl-C and a closed terminal let it rest and SIGTERM ends it; none cuts in half
what must be done as a whole. Elsewhere each is taken like Ctrl-C: agents are ended, what was answered is kept.

A handler runs in the main thread; what it must not disturb may be done by any thread.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """The user or another process asked this run to end."""


class HungUp(KeyboardInterrupt):
    """The terminal is gone: like Ctrl-C, but nobody has said anything."""


class Interruptions:
    """What people send to a run while it works."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the handler may find its own thread in here
        self._busy = 0
        self._held_back: int | None = None
        self._is_over = False

    def listening(self) -> contextlib.AbstractContextManager[None]:
        """Inside of this, signals raise `KeyboardInterrupt` or `Stopped` in the main thread."""
        hang_up = [number for number in heeded() if number == signal.SIGHUP]
        return _handled((signal.SIGINT, signal.SIGTERM, *hang_up), self._arrive)

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Inside of this nothing is raised; what arrived is raised afterwards. A run that is over begins no more."""
        with self._lock:
            if self._is_over:
                raise Stopped
            self._busy += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy -= 1
                number = None if self._busy else self._held_back
            if number is not None:
                os.kill(os.getpid(), number)

    def _arrive(self, number: int, frame: FrameType | None) -> None:
        with self._lock:
            if self._busy:
                self._held_back = number
            if self._busy or (self._is_over and number != signal.SIGINT):  # it is ending already
                return
            self._is_over = True
        if number == signal.SIGTERM:
            raise Stopped
        raise HungUp if number == signal.SIGHUP else KeyboardInterrupt


def heeded() -> list[signal.Signals]:
    """The signals that end planrail, less those that its caller had ignored."""
    return [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Signals are an interruption while this is open. One is enough: a second must not keep agents from being ended.

    What was ignored before stays so: under `nohup` a terminal may be closed.
    """

    def interrupt(number: int, frame: object) -> None:
        for one in _SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise KeyboardInterrupt

    with _handled(heeded(), interrupt):
        yield


@contextlib.contextmanager
def _handled(numbers: Iterable[int], handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, known in before.items():
            signal.signal(number, known)
