"""A board on a terminal, redrawn in place; what has to stay is written above it."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO

from planrail.base.wording import clean
from planrail.planning.headless.board import cells

_TICK = 0.25  # seconds between two turns of the spinner


class Board(Protocol):
    """What is drawn."""

    def render(self, now: float, width: int, height: int, *, colour: bool) -> list[str]:
        """The lines, none wider than the terminal and not more than it has."""


def is_live() -> bool:
    """Whether standard error is a terminal in which lines can be drawn over."""
    return sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


class LiveScreen:
    """Draws nothing before `start`. Who changes the board holds the lock."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self.lock = threading.RLock()
        self._stream, self._clock = stream, clock
        self._board: Board | None = None
        self._drawn: list[str] = []
        self._frame = ""
        self._is_paused = False
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def start(self, board: Board) -> None:
        """Draw the board, from now on again and again."""
        with self.lock:
            self._board = board
            self.draw()
            self._ticker.start()

    def draw(self) -> None:
        """One write for each frame, line over line: nothing is blank in between. An equal frame is not drawn again."""
        with self.lock:
            if self._is_paused or self._board is None:
                return
            size, now = self._size(), self._clock()
            lines = self._board.render(now, size.columns, size.lines, colour=not os.environ.get("NO_COLOR"))
            frame = f"{size.columns} " + "".join(f"{line}\033[K\n" for line in lines) + "\033[J"
            if frame == self._frame and self._drawn:
                return
            self._write(self._home() + frame.partition(" ")[2])
            self._frame = frame
            self._drawn = self._board.render(now, size.columns, size.lines, colour=False)

    def note(self, text: str) -> None:
        """Write above the board."""
        with self.lock:
            self._erase()
            self._write(f"planrail: {clean(text)}\n")
            self.draw()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Take the board away, and put it back afterwards."""
        with self.lock:
            self._erase()
            self._is_paused = True
        try:
            yield
        finally:
            with self.lock:
                self._is_paused = False
                self.draw()

    def close(self) -> None:
        """Leave the board as it is now; more than once does no harm."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._ticker.ident is not None and self._ticker is not threading.current_thread():
            self._ticker.join()
        self.draw()

    def _tick(self) -> None:
        while not self._closed.wait(_TICK):
            self.draw()

    def _erase(self) -> None:
        self._write(self._home() + "\033[J")
        self._drawn = []

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # nobody reads on: the work goes on
            self._stream.write(text)
            self._stream.flush()

    def _home(self) -> str:
        """Back to where the board begins. In a window that was made narrower its lines have been broken."""
        width = max(1, self._size().columns)
        rows = sum(max(1, -(-cells(line) // width)) for line in self._drawn)
        return f"\033[{rows}F" if rows else ""

    def _size(self) -> os.terminal_size:
        """The size of the terminal; the usual one where it does not say."""
        try:
            columns, lines = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            columns = lines = 0
        return os.terminal_size((columns or 80, lines or 24))
