"""Signals that end a run: Ctrl-C lets it rest, SIGTERM ends it. Neither cuts in half what must be done as a whole.

A handler runs in the main thread; what it must not disturb may be done by any thread.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Stopped(BaseException):
    """Somebody asked this run to end."""


class Interruptions:
    """What people send to a run while it works."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the handler may find its own thread in here
        self._busy = 0
        self._held_back: int | None = None
        self._is_over = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Inside of this, signals raise `KeyboardInterrupt` or `Stopped` in the main thread."""
        before = {number: signal.signal(number, self._arrive) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

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
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            self._busy -= 1
            number = None if self._busy else self._held_back
        if number is not None:
            os.kill(os.getpid(), number)

    def _arrive(self, number: int, frame: FrameType | None) -> None:
        with self._lock:
            if self._busy:
                self._held_back = number
            if self._busy or (self._is_over and number == signal.SIGTERM):  # it is ending already
                return
            self._is_over = True
        raise KeyboardInterrupt if number == signal.SIGINT else Stopped
