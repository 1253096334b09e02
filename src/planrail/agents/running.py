"""An agent at work: the process on one side, the agent's own language on the other, events and an outcome for us."""

import time
from collections.abc import Iterator

from planrail.agents.model import Assignment, Event, Outcome, UsageEvent, failure
from planrail.agents.processes.processes import AgentProcess, Masking
from planrail.agents.wires import Abort, CloseInput, Finish, LogNote, Parts, Send, Wire
from planrail.base.records import replace

_PARTING = 20.0  # seconds that an agent gets to end after its answer


class AgentRun:
    """See `model.Running`."""

    def __init__(self, name: str, process: AgentProcess, wire: Wire, assignment: Assignment) -> None:
        self._name, self._process, self._wire, self._timeout = name, process, wire, assignment.timeout
        self._confined = assignment.confinement.told
        self._outcome: Outcome | None = None
        self._aborted = ""
        self._masking = Masking(process.environment)
        self._spent = UsageEvent(0, 0, 0.0)
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
            elif isinstance(part, LogNote):
                self._process.note(part.text)
            elif isinstance(part, CloseInput):
                self._process.close_input()
            elif isinstance(part, Finish):
                self._process.finish(_PARTING)
            elif isinstance(part, Abort):
                self._aborted = part.error
                return
            else:
                if isinstance(part, UsageEvent):
                    was = self._spent
                    counts = (was.tokens_in + part.tokens_in, was.tokens_out + part.tokens_out)
                    self._spent = UsageEvent(*counts, was.cost + part.cost)
                yield self._masking.mask_event(part)

    def _conclude(self, code: int) -> Outcome:
        """How it ended; a limit with the time of its end as far as the message tells it."""
        outcome, spent = self._how_it_ended(code), self._spent
        if outcome.reason == "limit" and not outcome.resets_at:
            from planrail.agents.limits import read_reset

            outcome = replace(outcome, resets_at=read_reset(outcome.error, time.time()))
        counts = {"tokens_in": spent.tokens_in, "tokens_out": spent.tokens_out, "cost": spent.cost}
        return replace(self._masking.mask_outcome(outcome), **counts, confined=self._confined)

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
