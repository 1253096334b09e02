"""How a run is shown: a row for each phase, and in a log a line for each event."""

import os
import sys
from typing import TextIO

from planrail.agents.model import Began, Event, UsageEvent
from planrail.approval.channels import ChannelRefusal
from planrail.approval.people.terminals import open_terminal
from planrail.approval.person import is_confirmed
from planrail.base.budgets import Spent, show_cost
from planrail.base.run_model import Ending, Order, PhaseEnd
from planrail.planning.headless.board import DONE, FAILED, RESTING, RUNNING, WAITING, PlanningRow, Screen, describe
from planrail.store.journal_lines import BEGUN, describe_step, render_time, split_key
from planrail.store.journal_lines import WAITING as WAITS
from planrail.store.runs.run_folders import read_journal, run_folder

_ENDS = {"landed": "has landed", "pr-ready": "is in the pull request", "failed": "has failed"}
_ENDS |= {state: f"is {state}" for state in ("waiting", "paused", "parked", "stopped")}
_STATES = dict.fromkeys(("failed", "stopped", "declined"), FAILED)
_STATES |= dict.fromkeys(("paused", "parked", "waiting"), RESTING)
# Steps of a moment, and questions, which are seen when they are asked: no line of a log for them.
_SILENT = ("start", "fresh", "snapshot", "drift", "candidate", "prove", "end", *WAITS)


class Display:
    """Shows how a run goes on. Every method may be called from any thread, before `begin` and after `end` as well."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._rows: dict[str, PlanningRow] = {}
        self._topics: set[str] = set()

    @property
    def is_quiet(self) -> bool:
        return self._screen.is_quiet

    def begin(self, order: Order) -> None:
        """The run begins, or goes on; phases that it had done before it was interrupted are shown as done."""
        done = {*order.adopted, *order.landed}
        for phase in order.phases:
            self._rows[phase.id] = PlanningRow(phase.id, phase.title, DONE if phase.id in done else WAITING)
        for line in read_journal(run_folder(order.root, order.run)):
            ended = line.result() if line.key.endswith("/end") else None
            if isinstance(ended, PhaseEnd) and ended.phase in self._rows and ended.state != "failed":
                self._rows[ended.phase].state = _STATES.get(ended.state, DONE)
        self._screen.log(f"run {order.run} of {order.path}")
        self._screen.start(list(self._rows.values()), order.path)

    def step(self, key: str, state: str, result: object = None) -> None:
        """A step began or has ended. A log has those that take their time, and the ends of phases."""
        phase, attempt, name = split_key(key)
        with self._screen.lock:
            row = self._rows.get(phase)
            if row is None:
                self._screen.doing = describe_step(name) if state == BEGUN else ""
            elif state == BEGUN:
                self._begun(row, attempt, name)
            elif name == "end":
                end = result.state if isinstance(result, PhaseEnd) else ""
                was_begun = row.began is not None
                took = render_time(row.end(_STATES.get(end, DONE), self._screen.clock()))
                if was_begun:
                    self._screen.log(f"{self._name(row)} {_ENDS.get(end, 'has ended')} ({took}){self._sum()}")
            self._screen.draw()

    def event(self, phase: str, event: Event) -> None:
        with self._screen.lock:
            if phase in self._rows:
                self._rows[phase].see(event)
            if not isinstance(event, Began | UsageEvent):
                self._screen.log(f"  {phase} | {describe(event)}")

    def note(self, text: str, topic: str = "") -> None:
        """Something that a person should read, also later; of a topic that is named, what was said of it first."""
        if not topic or topic not in self._topics:
            self._topics.add(topic)
            self._screen.note(text)

    def ask(self, question: str) -> bool | None:
        """A person's answer; None where nobody is there."""
        if self._screen.is_quiet:
            return None
        with self._screen.paused():
            return ask_person(question, self._screen.stream)

    def end(self, ending: Ending) -> None:
        """The last word: the rows stay as they are at the end."""
        with self._screen.lock:
            for row in self._rows.values():
                if (row.name == ending.phase and row.state != FAILED) or row.state in (RUNNING, RESTING):
                    row.end(_STATES.get(ending.state, DONE), self._screen.clock())
            self._screen.doing = ""
        self.close()

    def close(self) -> None:
        self._screen.close()

    def _begun(self, row: PlanningRow, attempt: int, name: str) -> None:
        again, kind = f" (attempt {attempt})" if attempt > 1 else "", name.partition(".")[0]
        if row.began is None:
            self._screen.log(f"{self._name(row)}{again}: {row.title}".rstrip(": "))
        if kind not in _SILENT:
            self._screen.log(f"{self._name(row)}{again}: {describe_step(name)}")
        row.begin(self._screen.clock(), RESTING if kind in WAITS else RUNNING)
        row.attempt, row.doing = attempt, describe_step(name)

    def _sum(self) -> str:
        """What this process has seen its agents use so far; "" where that is nothing."""
        rows = self._rows.values()
        used = Spent(sum(row.cost for row in rows), sum(row.tokens for row in rows))
        return f"; so far {show_cost(used)}" if used.tokens else ""

    def _name(self, row: PlanningRow) -> str:
        return f"[{list(self._rows).index(row.name) + 1}/{len(self._rows)}] phase {row.name}"


def ask_person(question: str, stream: TextIO) -> bool | None:
    """A person's approval at their terminal; None where there is none, or no person is at it."""
    if not (sys.stdin is not None and sys.stdin.isatty() and stream.isatty()):
        return None
    terminal = open_terminal(os.environ)
    if isinstance(terminal, ChannelRefusal):
        return None
    with terminal:
        return is_confirmed(terminal, question)
