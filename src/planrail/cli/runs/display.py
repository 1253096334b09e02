"""A run on standard error: redrawn in place on a terminal, one plain line for each event in a pipe."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

from planrail.agents.model import Event
from planrail.base.run_model import Ending, Order
from planrail.cli.runs.board import Board
from planrail.planning.headless.board import cells
from planrail.runs.request.display import Clock, Display, PlainDisplay, QuietDisplay, ask_person
from planrail.runs.request.phase_ends import end_of, ended_before
from planrail.store.journal_lines import BEGUN

_TICK = 0.25  # seconds between two turns of the spinner


def open_display(*, is_quiet: bool = False) -> Display:
    """The display that suits standard error."""
    if is_quiet:
        return QuietDisplay(sys.stderr)
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return LiveDisplay(sys.stderr)
    return PlainDisplay(sys.stderr)


class LiveDisplay(QuietDisplay):
    """A board that is redrawn in place. What has to stay is written above it."""

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        super().__init__(stream, clock)
        self._board: Board | None = None
        self._order: Order | None = None
        self._drawn: list[str] = []
        self._frame = ""
        self._is_paused = False
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)

    def begin(self, order: Order) -> None:
        """Draw the phases; those that this run had done before it was interrupted are shown as done."""
        with self._lock:
            self._board, self._order = Board(order, self._clock()), order
            for key, end in ended_before(order).items():
                self._board.step(key, "ended", self._clock(), end)
            self._draw()
            self._ticker.start()

    def step(self, key: str, state: str) -> None:
        """Change the board."""
        with self._lock:
            if self._board is not None:
                end = end_of(self._order, key) if state != BEGUN and key.endswith("/end") else ""
                self._board.step(key, state, self._clock(), end)
                self._draw()

    def event(self, phase: str, event: Event) -> None:
        """Shown at the next turn of the spinner."""
        with self._lock:
            if self._board is not None:
                self._board.see(phase, event)

    def note(self, text: str) -> None:
        """Write above the board."""
        with self._lock:
            self._erase()
            super().note(text)
            self._draw()

    def ask(self, question: str) -> bool | None:
        """Ask below the board's place, and put the board back afterwards."""
        with self._paused():
            return ask_person(question, self._stream)

    def end(self, ending: Ending) -> None:
        """Leave the board as it is at the end."""
        with self._lock:
            if self._board is not None:
                self._board.end(ending, self._clock())
        self.close()

    def close(self) -> None:
        """Draw for the last time."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._ticker.ident is not None and self._ticker is not threading.current_thread():
            self._ticker.join()
        with self._lock:
            self._draw()

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        with self._lock:
            self._erase()
            self._is_paused = True
        try:
            yield
        finally:
            with self._lock:
                self._is_paused = False
                self._draw()

    def _tick(self) -> None:
        while not self._closed.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        """One write for each frame, line over line: nothing is blank in between. An equal frame is not drawn again."""
        if self._is_paused or self._board is None:
            return
        size, colour = _size(self._stream), not os.environ.get("NO_COLOR")
        now = self._clock()
        lines = self._board.render(now, size.columns, size.lines, colour=colour)
        frame = f"{size.columns} " + "".join(f"{line}\033[K\n" for line in lines) + "\033[J"
        if frame == self._frame and self._drawn:
            return
        self._write(self._home() + frame.partition(" ")[2])
        self._frame = frame
        self._drawn = self._board.render(now, size.columns, size.lines, colour=False)

    def _erase(self) -> None:
        self._write(self._home() + "\033[J")
        self._drawn = []

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)
            self._stream.flush()

    def _home(self) -> str:
        """Back to where the board begins. In a window that was made narrower its lines have been broken."""
        width = max(1, _size(self._stream).columns)
        rows = sum(max(1, -(-cells(line) // width)) for line in self._drawn)
        return f"\033[{rows}F" if rows else ""


def _size(stream: TextIO) -> os.terminal_size:
    """The size of the terminal; the usual one where it does not say."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        columns = lines = 0
    return os.terminal_size((columns or 80, lines or 24))
