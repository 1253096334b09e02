"""How a run is shown: by lines on a stream, for a pipe or a log. At a terminal the command line draws it."""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

from planrail.agents.model import Began, Event, Spent
from planrail.approval.channels import Refusal
from planrail.approval.people.terminals import open_terminal
from planrail.approval.person import is_confirmed
from planrail.base.run_model import Ending, Order, PhaseEnd
from planrail.base.values import unpack
from planrail.base.wording import clean
from planrail.planning.headless.board import describe
from planrail.store.journal_lines import BEGUN, WAITING, describe_step, render_time, split_key
from planrail.store.journal_lines import NAME as JOURNAL
from planrail.store.runs.run_folders import read_journal, run_folder

Clock = Callable[[], float]

_TAIL = 65_536  # bytes at the end of a journal in which the line is that was written a moment ago

_ENDS = {"landed": "has landed", "pr-ready": "is in the pull request", "failed": "has failed"}
_ENDS |= {state: f"is {state}" for state in ("waiting", "paused", "parked", "stopped")}
# Steps of a moment, and questions, which are seen when they are asked: no line of a log for them.
_SILENT = ("start", "fresh", "snapshot", "drift", "candidate", "prove", "end", *WAITING)


class Display:
    """Shows how a run goes on: nothing but notes, for those who asked for JSON.

    Every method may be called from any thread, before `begin` and after `end` as well.
    """

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        self._stream, self._clock = stream, clock
        self._lock = threading.RLock()
        self._order: Order | None = None

    def begin(self, order: Order) -> None:
        """The run begins, or goes on."""

    def step(self, key: str, state: str) -> None:
        """A step began or has ended."""

    def event(self, phase: str, event: Event) -> None:
        """The agent of a phase did something."""

    def note(self, text: str) -> None:
        """Something that a person should read, also later."""
        with self._lock, contextlib.suppress(OSError):  # nobody reads on (`2>&1 | head -1`): the run goes on
            self._stream.write(f"planrail: {clean(text)}\n")
            self._stream.flush()

    def ask(self, question: str) -> bool | None:
        """A person's answer; None where nobody is there."""
        return None

    def end(self, ending: Ending) -> None:
        """The last word."""

    def close(self) -> None:
        """Stop drawing, whatever happened; more than once does no harm."""


class PlainDisplay(Display):
    """A line for each event, for a pipe or a log."""

    def __init__(self, stream: TextIO, clock: Clock = time.time) -> None:
        super().__init__(stream, clock)
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


# How phases of a run have ended, as its journal has it: a display hears of steps, and not of their results.


def end_of(order: Order | None, key: str) -> str:
    """How a phase has ended just now, as the journal has it; "" where it does not say."""
    if order is None:
        return ""
    try:
        with open(os.path.join(run_folder(order.root, order.run), JOURNAL), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = [line for line in file.read().split(b"\n") if json.dumps(key).encode() in line]
        return _state_in(json.loads(lines[-1]).get("value"))
    except OSError:  # a team's journal is not in a file
        return ended_before(order).get(key, "")
    except (ValueError, IndexError, AttributeError):
        return ""


def ended_before(order: Order) -> dict[str, str]:
    """How phases of this run had ended before it was interrupted, by the keys of their last steps."""
    lines = read_journal(run_folder(order.root, order.run))
    ends = {line.key: _state_in(line.value) for line in lines if line.state != BEGUN and line.key.endswith("/end")}
    return {key: end for key, end in ends.items() if end not in ("", "failed")}


def _state_in(packed: object) -> str:
    try:
        found = unpack(packed)
    except (ValueError, RecursionError):  # what planrail has not written
        return ""
    return found.state if isinstance(found, PhaseEnd) else ""
