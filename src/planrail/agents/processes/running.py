"""An agent at work: the process on one side, the agent's own language on the other, events and an outcome for us."""

import time
from collections.abc import Iterator, Mapping

from planrail.agents.model import Ask, Assignment, Event, Judge, Outcome, Question, Spent, failure
from planrail.agents.processes.processes import AgentProcess, Clock, Masking
from planrail.base.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


@record
class Send:
    """Say this to the agent."""

    text: str


@record
class Note:
    """Keep this in the log, as something that the agent was told in another way."""

    text: str


@record
class CloseInput:
    """There is nothing more to say to the agent."""


@record
class Finish:
    """The answer is there: the agent may end."""


@record
class Abort:
    """The agent has done what it must not: end it, with this error."""

    error: str


Part = Event | Send | Note | CloseInput | Finish | Abort
Parts = Iterator[Part]
_PARTING = 20.0  # seconds that an agent gets to end after its answer


def send_json(value: object) -> Send:
    """A message of a language that has one JSON object on each line."""
    import json

    return Send(json.dumps(value) + "\n")


class Wire(Protocol):
    """The language of one agent program: what its lines mean, and how it is answered."""

    conversation: str

    def open(self) -> Parts:
        """What is said first."""

    def hear(self, line: bytes) -> Parts:
        """What follows from a line of the agent. A line that means nothing is nothing."""

    def settle(self) -> Parts:
        """What is still to be told when the process has ended."""

    def conclude(self, code: int, errors: str) -> Outcome:
        """The outcome of a process that ended by itself."""


class Desk:
    """Where an agent's requests are decided. What goes wrong here is a refusal, never a permission."""

    def __init__(self, ask: Ask | None, judge: Judge, clock: Clock) -> None:
        self._ask, self._judge, self._clock = ask, judge, clock

    @property
    def answers_questions(self) -> bool:
        return self._ask is not None

    def refuse(self, tool: str, given: Mapping[str, object]) -> str | None:
        """Why the agent may not use the tool so; None if it may."""
        try:
            return self._judge(tool, given)
        except Exception as error:
            return f"this call could not be judged ({type(error).__name__}), so it is refused"

    def answer(self, questions: list[Question]) -> dict[str, str]:
        """The answers that somebody gives. The time that it takes is not the agent's."""
        if self._ask is None:
            return {}
        began = time.monotonic()
        try:
            return dict(self._ask(questions))
        finally:
            self._clock.give_back(time.monotonic() - began)


class AgentRun:
    """See `model.Running`."""

    def __init__(self, name: str, process: AgentProcess, wire: Wire, assignment: Assignment) -> None:
        self._name, self._process, self._wire, self._timeout = name, process, wire, assignment.timeout
        self._outcome: Outcome | None = None
        self._aborted = ""
        self._masking = Masking(process.environment)
        self._spent = Spent(0, 0, 0.0)
        self._stream = self._work()

    def events(self) -> Iterator[Event]:
        """What the agent does. A reader who leaves early can come back, or `wait`."""
        return self._stream

    def wait(self) -> Outcome:
        for _ in self._stream:
            pass
        return self._outcome or failure("stopped", f"{self._name} was interrupted", self._wire.conversation)

    def stop(self) -> None:
        """End the agent; `wait` then tells that it was stopped, unless it had finished before."""
        if self._outcome is None:
            self._process.stop()

    def _work(self) -> Iterator[Event]:
        try:
            yield from self._perform(self._wire.open())
            for line in self._process.lines():
                yield from self._perform(self._wire.hear(line))
                if self._aborted:
                    break
            yield from self._perform(self._wire.settle())
        finally:
            code = self._process.end()
        self._outcome = self._conclude(code)

    def _perform(self, parts: Parts) -> Iterator[Event]:
        for part in parts:
            if isinstance(part, Send):
                self._process.send(part.text)
            elif isinstance(part, Note):
                self._process.note(part.text)
            elif isinstance(part, CloseInput):
                self._process.close_input()
            elif isinstance(part, Finish):
                self._process.finish(_PARTING)
            elif isinstance(part, Abort):
                self._aborted = part.error
                return
            else:
                if isinstance(part, Spent):
                    self._count(part)
                yield self._masking.mask_event(part)

    def _count(self, more: Spent) -> None:
        was = self._spent
        self._spent = Spent(was.tokens_in + more.tokens_in, was.tokens_out + more.tokens_out, was.cost + more.cost)

    def _conclude(self, code: int) -> Outcome:
        outcome = self._masking.mask_outcome(_with_reset(self._how_it_ended(code)))
        spent = self._spent
        return replace(outcome, tokens_in=spent.tokens_in, tokens_out=spent.tokens_out, cost=spent.cost)

    def _how_it_ended(self, code: int) -> Outcome:
        conversation = self._wire.conversation
        if self._aborted:
            return failure("failed", self._aborted, conversation)
        if self._process.timed_out:
            error = f"{self._name} did not finish within {self._timeout} seconds, and was ended"
            return failure("timeout", error, conversation)
        if self._process.was_stopped:
            return failure("stopped", f"{self._name} was stopped", conversation)
        return self._wire.conclude(code, self._process.errors)


def _with_reset(outcome: Outcome) -> Outcome:
    """A limit, with the time of its end as far as the message tells it."""
    if outcome.reason != "limit" or outcome.resets_at:
        return outcome

    from planrail.agents.limits import read_reset

    return replace(outcome, resets_at=read_reset(outcome.error, time.time()))


class NeverRan:
    """An agent that could not even be started. See `model.Running`."""

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def events(self) -> Iterator[Event]:
        return iter(())

    def wait(self) -> Outcome:
        return self._outcome

    def stop(self) -> None:
        """There is nothing to stop."""
