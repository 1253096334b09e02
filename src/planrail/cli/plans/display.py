"""Progress on standard error: redrawn in place on a terminal, one plain line for each change in a pipe."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from planrail.agents.model import Denied, Event
from planrail.base.wording import clean
from planrail.planning.crew import AgentFailed, AnswerRefused, News, PhaseBegan, PhaseDone, QuestionsOpen, ReportDropped
from planrail.planning.headless.board import DONE, STOPPED, Board, Slot, cells, describe, name_rows, render_seconds
from planrail.planning.headless.crew import Display

Clock = Callable[[], float]
_TICK = 0.25  # seconds between two turns of the spinner
_MOST_PROBLEMS = 5


def open_display(phases: Sequence[str], index: int) -> Display:
    """The display that suits standard error."""
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return LiveDisplay(phases, index, sys.stderr)
    return PlainDisplay(phases, sys.stderr)


def tell(news: News, names: Sequence[str]) -> list[str]:
    """What is written down of an event, for those who read it later."""
    match news:
        case AnswerRefused(index=index, problems=problems, attempts_left=left):
            after = f"{left} attempt{'s' * (left != 1)} left" if left else "that was the last attempt"
            more = [f"  … and {len(problems) - _MOST_PROBLEMS} more"] if len(problems) > _MOST_PROBLEMS else []
            listed = [f"  - {problem}" for problem in problems[:_MOST_PROBLEMS]]
            return [f"{names[index]}: the answer is not good enough ({after})", *listed, *more]
        case AgentFailed(role=role, error=error, is_asked_again=again):
            return [f"the {role} did not answer: {error}{'; it is asked once more' if again else ''}"]
        case ReportDropped(number=number, why=why):
            return [f"the report of explorer {number} is left out: {why}"]
        case QuestionsOpen(count=count):
            return [f"the plan asks {count} question{'s' * (count != 1)}"]
        case PhaseBegan() | PhaseDone():
            return []


class PlainDisplay:
    """Lines for a pipe or a log."""

    def __init__(self, phases: Sequence[str], stream: TextIO, clock: Clock = time.monotonic) -> None:
        self._names, self._stream, self._clock = name_rows(phases), stream, clock
        self._began: dict[int, float] = {}
        self._lock = threading.Lock()

    def show(self, news: News) -> None:
        """A line for each change."""
        if isinstance(news, PhaseBegan):
            self._began.setdefault(news.index, self._clock())
            again = f", attempt {news.attempt}" if news.attempt > 1 else ""
            self.note(f"[{news.index + 1}/{len(self._names)}] {self._names[news.index]}{again}")
        elif isinstance(news, PhaseDone):
            took = render_seconds(self._clock() - self._began.get(news.index, self._clock()))
            self.note(f"[{news.index + 1}/{len(self._names)}] {self._names[news.index]} is done ({took})")
        for line in tell(news, self._names):
            self.note(line)

    def see(self, slot: str, event: Event) -> None:
        """What an agent does is not told, but for what it was refused."""
        if isinstance(event, Denied):
            self.note(f"  {slot}: {describe(event)}")

    def open_slots(self, slots: Sequence[tuple[str, str]]) -> None:
        """Name those who begin."""
        for name, title in slots:
            self.note(f"  {name}: {title}")

    def note(self, text: str) -> None:
        """One line, or several."""
        with self._lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the planning goes on
            self._stream.write(f"planrail: {clean(text)}\n")
            self._stream.flush()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Nothing is redrawn here."""
        yield

    def close(self, *, is_finished: bool) -> None:
        """Everything has been told."""


class LiveDisplay:
    """A board that is redrawn in place. What has to stay is written above it."""

    def __init__(self, phases: Sequence[str], index: int, stream: TextIO, clock: Clock = time.monotonic) -> None:
        self._board, self._names = Board(phases, index), name_rows(phases)
        self._stream, self._clock = stream, clock
        self._drawn: list[str] = []
        self._lock = threading.RLock()
        self._is_paused = False
        self._closed = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True)
        self._ticker.start()

    def show(self, news: News) -> None:
        """Change the board, and write down what a person wants to read later."""
        with self._lock:
            if isinstance(news, PhaseBegan):
                self._board.begin(news.index, news.attempt, self._clock())
            elif isinstance(news, PhaseDone):
                self._board.end(news.index, DONE, self._clock())
            lines = tell(news, self._names)
            if lines:
                self.note("\n".join(lines))
            else:
                self._draw()

    def see(self, slot: str, event: Event) -> None:
        """Shown at the next turn of the spinner."""
        with self._lock:
            self._board.see(slot, event)

    def open_slots(self, slots: Sequence[tuple[str, str]]) -> None:
        """A line for each of those who begin."""
        with self._lock:
            self._board.slots = [Slot(name, title) for name, title in slots]

    def note(self, text: str) -> None:
        """Write above the board."""
        with self._lock:
            self._erase()
            self._stream.write(f"planrail: {clean(text)}\n")
            self._draw()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Take the board away, and put it back afterwards."""
        with self._lock:
            self._erase()
            self._is_paused = True
        try:
            yield
        finally:
            with self._lock:
                self._is_paused = False
                self._draw()

    def close(self, *, is_finished: bool) -> None:
        """Leave the board as it is at the end."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._ticker.join()
        with self._lock:
            if not is_finished:
                self._board.end(self._board.current, STOPPED, self._clock())
            self._draw()

    def _tick(self) -> None:
        while not self._closed.wait(_TICK):
            with self._lock:
                self._draw()

    def _draw(self) -> None:
        if self._is_paused:
            return
        size = _size(self._stream)
        colour = not os.environ.get("NO_COLOR")
        lines = self._board.render(self._clock(), size.columns, size.lines, colour=colour)
        up = self._home()
        self._stream.write(up + "".join(f"\033[2K{line}\n" for line in lines) + "\033[J")
        self._stream.flush()
        self._drawn = self._board.render(self._clock(), size.columns, size.lines, colour=False)

    def _erase(self) -> None:
        self._stream.write(self._home() + "\033[J")
        self._stream.flush()
        self._drawn = []

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
