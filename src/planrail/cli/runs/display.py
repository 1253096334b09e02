"""A run on standard error: redrawn in place on a terminal, one plain line for each event in a pipe."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol, TextIO

from planrail.agents.model import Began, Event, Spent
from planrail.approval.asking import is_confirmed
from planrail.approval.channels import Refusal
from planrail.approval.people.terminals import open_terminal
from planrail.base.run_model import Ending, Order
from planrail.base.wording import clean
from planrail.cli.runs.board import Board
from planrail.runs.request.phase_ends import end_of, ended_before
from planrail.store.runs.journal_lines import BEGUN, WAITING, describe_step, render_time, split_key

Clock = Callable[[], float]


_ENDS = {"landed": "has landed", "pr-ready": "is in the pull request", "failed": "has failed"}
_ENDS |= {state: f"is {state}" for state in ("waiting", "paused", "parked", "stopped")}
_TICK = 0.25  # seconds between two turns of the spinner
_SILENT = (
    "start",
    "fresh",
    "snapshot",
    "drift",
    "candidate",
    "prove",
    "end",
    *WAITING,
)  # steps of a moment, and questions, which are seen when they are asked: no line of a log for them


class Display(Protocol):
    """Shows how a run goes on. Every method may be called from any thread, before `begin` and after `end` as well."""

    def begin(self, order: Order) -> None:
        """The run begins, or goes on."""

    def step(self, key: str, state: str) -> None:
        """A step began or has ended."""

    def event(self, phase: str, event: Event) -> None:
        """The agent of a phase did something."""

    def note(self, text: str) -> None:
        """Something that a person should read, also later."""

    def ask(self, question: str) -> bool | None:
        """A person's answer; None where nobody is there."""

    def end(self, ending: Ending) -> None:
        """The last word."""

    def close(self) -> None:
        """Stop drawing, whatever happened; more than once does no harm."""


def open_display(*, is_quiet: bool = False) -> Display:
    """The display that suits standard error."""
    if is_quiet:
        return QuietDisplay(sys.stderr)
    if sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        return LiveDisplay(sys.stderr)
    return PlainDisplay(sys.stderr)


class QuietDisplay:
    """Notes only, for those who asked for JSON."""

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        self._stream, self._clock = stream, clock
        self._lock = threading.RLock()

    def begin(self, order: Order) -> None:
        """Nothing is shown."""

    def step(self, key: str, state: str) -> None:
        """Nothing is shown."""

    def event(self, phase: str, event: Event) -> None:
        """Nothing is shown."""

    def note(self, text: str) -> None:
        """One line, or several."""
        with self._lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the run goes on
            self._stream.write(f"planrail: {clean(text)}\n")
            self._stream.flush()

    def ask(self, question: str) -> bool | None:
        """A program asked for JSON: there is nobody."""
        return None

    def end(self, ending: Ending) -> None:
        """Nothing is shown."""

    def close(self) -> None:
        """There is nothing to stop."""


class PlainDisplay(QuietDisplay):
    """A line for each event, for a pipe or a log."""

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        super().__init__(stream, clock)
        self._order: Order | None = None
        self._titles: dict[str, str] = {}
        self._began: dict[str, float] = {}

    def begin(self, order: Order) -> None:
        """Say what begins."""
        self._order, self._titles = order, {phase.id: phase.title for phase in order.phases}
        self.note(f"run {order.run} of {order.path}")

    def step(self, key: str, state: str) -> None:
        """A line when a step begins that takes its time, and when a phase ends."""
        phase, attempt, name = split_key(key)
        if state == BEGUN and phase and attempt:
            self._begun(phase, attempt, name)
        elif state != BEGUN and name == "end" and phase in self._began:
            took = render_time(self._clock() - self._began.pop(phase))
            self.note(f"{self._name(phase)} {_ENDS.get(end_of(self._order, key), 'has ended')} ({took})")

    def event(self, phase: str, event: Event) -> None:
        """A line for what the agent says and uses."""
        from planrail.planning.headless.board import describe

        if not isinstance(event, Began | Spent):
            self.note(f"  {phase} | {describe(event)}")

    def ask(self, question: str) -> bool | None:
        """Ask at a plain terminal; in a pipe there is nobody."""
        return ask_person(question, self._stream)

    def _begun(self, phase: str, attempt: int, name: str) -> None:
        again = f" (attempt {attempt})" if attempt > 1 else ""
        if phase not in self._began:
            self._began[phase] = self._clock()
            self.note(f"{self._name(phase)}{again}: {self._titles.get(phase, '')}".rstrip(": "))
        if name.partition(".")[0] not in _SILENT:
            self.note(f"{self._name(phase)}{again}: {describe_step(name)}")

    def _name(self, phase: str) -> str:
        place = f"[{list(self._titles).index(phase) + 1}/{len(self._titles)}] " if phase in self._titles else ""
        return f"{place}phase {phase}"


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
        from planrail.planning.headless.board import cells

        width = max(1, _size(self._stream).columns)
        rows = sum(max(1, -(-cells(line) // width)) for line in self._drawn)
        return f"\033[{rows}F" if rows else ""


def ask_person(question: str, stream: TextIO) -> bool | None:
    """A person's approval at their terminal; None where there is none, or no person is at it."""
    if not (sys.stdin is not None and sys.stdin.isatty() and stream.isatty()):
        return None
    terminal = open_terminal(os.environ)
    if isinstance(terminal, Refusal):
        return None
    with terminal:
        return is_confirmed(terminal, question)


def _size(stream: TextIO) -> os.terminal_size:
    """The size of the terminal; the usual one where it does not say."""
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        columns = lines = 0
    return os.terminal_size((columns or 80, lines or 24))
