"""What every driver speaks: assignments, events, questions and outcomes, and the two protocols that a driver keeps."""

from collections.abc import Callable, Iterator, Mapping

from planrail.base.records import record
from planrail.base.values import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object

# Answers the agent's questions: the answers by the text of the question; a question may stay unanswered.
Ask = Callable[[list["Question"]], Mapping[str, str]]
# Whether the agent may use a tool: None for yes, else the reason that the agent is told.
Judge = Callable[[str, Mapping[str, object]], str | None]


@value
class AgentConfinement:
    """In what an agent is held. `backend` is "" where nobody asked for it, and `none` where it cannot be: `reason`.

    `scratch` has its home folder and its temporary files, and outlasts the job: a conversation goes on there.
    """

    backend: str = ""
    program: str = ""
    reason: str = ""
    is_required: bool = False
    network: str = "on"
    scratch: str = ""
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return self.backend not in ("", "none")

    @property
    def told(self) -> str:
        """As it is put on record."""
        if self.backend == "none":
            return f"none, because {self.reason}"
        return self.backend + ("" if self.network == "on" else f", network {self.network}")


@record
class Assignment:
    """What an agent is to do. `conversation` is one to go on with; `log` is a file that everything said is added to.

    `schema` is a JSON schema that the answer shall have. `scripts` are what the runbook agent executes. `protected` are
    places that an agent which may write must leave alone, as far as its driver can see to that. `mark` is a word that
    all processes of the agent carry, so that another process can find them; "" makes one up.
    """

    role: str
    prompt: str
    folder: str
    conversation: str = ""
    read_only: bool = True
    timeout: int = 1800
    model: str = ""
    log: str = ""
    schema: str = ""
    scripts: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    mark: str = ""
    confinement: AgentConfinement = AgentConfinement()


@record
class Question:
    """A question of the agent, with the answers that it offers."""

    text: str
    options: tuple[str, ...] = ()
    many: bool = False


@record
class Began:
    """The agent has begun, in this conversation."""

    conversation: str


@record
class Said:
    """A message of the agent."""

    text: str


@record
class Used:
    """The agent wants to use a tool; `detail` is one short line about it, `command` a shell command, whole."""

    tool: str
    detail: str
    command: str = ""


@record
class Denied:
    """A use of a tool was refused, and why. `command` as in the `Used` that told of it."""

    tool: str
    reason: str
    command: str = ""


@record
class Asked:
    """The agent has questions; `ask` is called with them next."""

    questions: tuple[Question, ...]


@record
class UsageEvent:
    """What the work cost since the last `UsageEvent`. Tokens that came from a cache count as tokens in."""

    tokens_in: int
    tokens_out: int
    cost: float = 0.0


Event = Began | Said | Used | Denied | Asked | UsageEvent


@record
class Outcome:
    """How an assignment ended. `error` says the reason for a person to read.

    `reason` is "", timeout, stopped, failed, limit, missing, no_conversation or lost.
    `structured` is the answer as JSON where a schema was given. `resets_at` is when a usage limit ends, in seconds
    since 1970; 0 where that is not known. `seconds` is how long the agent worked, where the runner has measured it.
    `confined` says by what it was held, or why by nothing.
    """

    text: str
    ok: bool
    conversation: str = ""
    error: str = ""
    reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    structured: str = ""
    resets_at: int = 0
    seconds: float = 0.0
    confined: str = ""


def failure(reason: str, error: str, conversation: str = "") -> Outcome:
    return Outcome("", ok=False, conversation=conversation, error=error, reason=reason)


class Running(Protocol):
    """An agent at work. `wait` may be called without reading the events; `stop` from any thread, more than once."""

    def events(self) -> Iterator[Event]:
        """What the agent does, as it happens; ends when the agent has ended."""

    def wait(self) -> Outcome:
        """The outcome, once there is one. By then no process of the agent is left."""

    def stop(self) -> None:
        """End the agent and everything that it started."""


class Driver(Protocol):
    """One kind of agent program. It keeps nothing between two assignments, so that several can run at once."""

    name: str

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start the agent. Never raises for a missing program or the like: that is the outcome.

        Without `ask` the agent cannot put questions. Both functions are called in the thread that reads the events.
        """
