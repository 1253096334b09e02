"""A run on standard error: redrawn in place on a terminal, one plain line for each event in a pipe."""

import sys
import time
from typing import TextIO

from planrail.agents.model import Event
from planrail.base.run_model import Ending, Order
from planrail.cli.live_screen import LiveScreen, is_live
from planrail.cli.runs.board import Board
from planrail.runs.request.display import Clock, Display, PlainDisplay, ask_person, end_of, ended_before
from planrail.store.journal_lines import BEGUN


def open_display(*, is_quiet: bool = False) -> Display:
    if is_quiet:
        return Display(sys.stderr)
    return LiveDisplay(sys.stderr) if is_live() else PlainDisplay(sys.stderr)


class LiveDisplay(Display):
    """The phases as a board."""

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        super().__init__(stream, clock)
        self._screen = LiveScreen(stream, clock)
        self._board: Board | None = None

    def begin(self, order: Order) -> None:
        """Draw the phases; those that this run had done before it was interrupted are shown as done."""
        with self._screen.lock:
            self._board, self._order = Board(order, self._clock()), order
            for key, end in ended_before(order).items():
                self._board.step(key, "ended", self._clock(), end)
            self._screen.start(self._board)

    def step(self, key: str, state: str) -> None:
        """Change the board."""
        with self._screen.lock:
            if self._board is not None:
                end = end_of(self._order, key) if state != BEGUN and key.endswith("/end") else ""
                self._board.step(key, state, self._clock(), end)
                self._screen.draw()

    def event(self, phase: str, event: Event) -> None:
        """Shown at the next turn of the spinner."""
        with self._screen.lock:
            if self._board is not None:
                self._board.see(phase, event)

    def note(self, text: str) -> None:
        """Write above the board."""
        self._screen.note(text)

    def ask(self, question: str) -> bool | None:
        """Ask below the board's place, and put the board back afterwards."""
        with self._screen.paused():
            return ask_person(question, self._stream)

    def end(self, ending: Ending) -> None:
        """Leave the board as it is at the end."""
        with self._screen.lock:
            if self._board is not None:
                self._board.end(ending, self._clock())
        self.close()

    def close(self) -> None:
        """Draw for the last time."""
        self._screen.close()
