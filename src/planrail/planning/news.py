"""What happens in a planning, for those who watch."""

from contextlib import AbstractContextManager
from typing import Protocol

from planrail.agents.model import Event
from planrail.base.records import record


@record
class PhaseBegan:
    """A phase is asked for, for the first time or again."""

    index: int
    attempt: int


@record
class ExplorersSent:
    """Several agents begin to work at once: their names, and what each is about."""

    slots: tuple[tuple[str, str], ...]


@record
class PhaseDone:
    """The answer to a phase was good."""

    index: int


@record
class PhasesAdded:
    """A planning has grown: all its phases now, and what made it grow."""

    phases: tuple[str, ...]
    why: str


@record
class AnswerRefused:
    """An answer was not good enough."""

    index: int
    problems: tuple[str, ...]
    attempts_left: int


@record
class AgentFailed:
    """An agent did not answer; it is asked once more, or not."""

    role: str
    error: str
    is_asked_again: bool


News = PhaseBegan | ExplorersSent | PhaseDone | PhasesAdded | AnswerRefused | AgentFailed


class PlanningDisplay(Protocol):
    """Shows how a planning goes on."""

    def show(self, news: News) -> None:
        """Something happened to the planning."""

    def see(self, slot: str, event: Event) -> None:
        """An agent did something; from any thread."""

    def note(self, text: str) -> None:
        """Something that a person should read, also later."""

    def paused(self) -> AbstractContextManager[None]:
        """While another program uses the terminal."""

    def close(self, *, is_finished: bool) -> None:
        """The last word."""
