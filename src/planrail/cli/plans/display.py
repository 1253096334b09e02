"""Progress on standard error: redrawn in place on a terminal, one plain line for each change in a pipe."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TextIO

from planrail.agents.model import Denied, Event
from planrail.base.wording import clean
from planrail.cli.live_screen import LiveScreen, is_live
from planrail.planning.headless.board import DONE, STOPPED, Board, Slot, describe, name_rows, render_seconds
from planrail.planning.news import (
    AgentFailed,
    AnswerRefused,
    Display,
    ExplorersSent,
    News,
    PhaseBegan,
    PhaseDone,
    QuestionsOpen,
    ReportDropped,
)

Clock = Callable[[], float]
_MOST_PROBLEMS = 5


def open_display(phases: Sequence[str], index: int) -> Display:
    """The display that suits standard error."""
    return LiveDisplay(phases, index, sys.stderr) if is_live() else PlainDisplay(phases, sys.stderr)


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
        case PhaseBegan() | PhaseDone() | ExplorersSent():
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
        elif isinstance(news, ExplorersSent):
            for name, title in news.slots:
                self.note(f"  {name}: {title}")
        for line in tell(news, self._names):
            self.note(line)

    def see(self, slot: str, event: Event) -> None:
        """What an agent does is not told, but for what it was refused."""
        if isinstance(event, Denied):
            self.note(f"  {slot}: {describe(event)}")

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
    """The phases, and the agents at work, as a board."""

    def __init__(self, phases: Sequence[str], index: int, stream: TextIO, clock: Clock = time.monotonic) -> None:
        self._board, self._names = Board(phases, index), name_rows(phases)
        self._clock, self._screen = clock, LiveScreen(stream, clock)
        self._screen.start(self._board)

    def show(self, news: News) -> None:
        """Change the board, and write down what a person wants to read later."""
        with self._screen.lock:
            if isinstance(news, PhaseBegan):
                self._board.begin(news.index, news.attempt, self._clock())
            elif isinstance(news, PhaseDone):
                self._board.end(news.index, DONE, self._clock())
            elif isinstance(news, ExplorersSent):
                self._board.slots = [Slot(name, title) for name, title in news.slots]
            lines = tell(news, self._names)
            if lines:
                self._screen.note("\n".join(lines))
            else:
                self._screen.draw()

    def see(self, slot: str, event: Event) -> None:
        """Shown at the next turn of the spinner."""
        with self._screen.lock:
            self._board.see(slot, event)

    def note(self, text: str) -> None:
        """Write above the board."""
        self._screen.note(text)

    def paused(self) -> AbstractContextManager[None]:
        """Take the board away, and put it back afterwards."""
        return self._screen.paused()

    def close(self, *, is_finished: bool) -> None:
        """Leave the board as it is at the end."""
        with self._screen.lock:
            if not is_finished:
                self._board.end(self._board.current, STOPPED, self._clock())
        self._screen.close()
