"""How a run is shown: the port of those who carry it out, and lines on a stream for a pipe or a log."""

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Protocol, TextIO

from planrail.agents.model import Began, Event, Spent
from planrail.approval.channels import Refusal
from planrail.approval.desk import is_confirmed
from planrail.approval.people.terminals import open_terminal
from planrail.base.run_model import Ending, Order
from planrail.base.wording import clean
from planrail.planning.headless.board import describe
from planrail.runs.request.phase_ends import end_of
from planrail.store.journal_lines import BEGUN, WAITING, describe_step, render_time, split_key

Clock = Callable[[], float]

_ENDS = {"landed": "has landed", "pr-ready": "is in the pull request", "failed": "has failed"}
_ENDS |= {state: f"is {state}" for state in ("waiting", "paused", "parked", "stopped")}
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


def ask_person(question: str, stream: TextIO) -> bool | None:
    """A person's approval at their terminal; None where there is none, or no person is at it."""
    if not (sys.stdin is not None and sys.stdin.isatty() and stream.isatty()):
        return None
    terminal = open_terminal(os.environ)
    if isinstance(terminal, Refusal):
        return None
    with terminal:
        return is_confirmed(terminal, question)
