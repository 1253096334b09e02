"""What the scripted model says: turns in order, for the main chain, for sub-agents, and beside the conversation."""

import itertools
import threading
from collections.abc import Callable, Mapping

from planrail.base.records import record
from planrail.testing.model_server.requests import ModelRequest

# The input of a tool: an object, a free text, or a function of the request (for paths that the agent chose).
Input = Mapping[str, object] | str
InputOf = Input | Callable[[ModelRequest], Input]


@record
class Usage:
    """The figures that a turn reports."""

    input: int = 10
    output: int = 5
    cache_read: int = 0
    cache_write: int = 0


@record
class ServiceError:
    """The service answers with an error. `headers` come with it, `fields` stand beside the message in its body."""

    status: int
    kind: str = "api_error"
    message: str = "the script says so"
    headers: tuple[tuple[str, str], ...] = ()
    fields: tuple[tuple[str, object], ...] = ()


@record
class Cut:
    """The stream breaks off after some events."""

    after: int


@record
class ToolCall:
    name: str
    input: InputOf


@record
class Turn:
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    fault: ServiceError | Cut | None = None


def say(text: str, usage: Usage | None = None) -> Turn:
    """A turn of text alone: the model ends its turn."""
    return Turn(text, usage=usage or Usage())


def call(name: str, given: InputOf | None = None, /, **inputs: object) -> Turn:
    return Turn(calls=(ToolCall(name, inputs if given is None else given),))


def calls(*uses: ToolCall) -> Turn:
    return Turn(calls=uses)


def fail(status: int, kind: str = "api_error") -> Turn:
    """A turn that does not come: the service answers with an error."""
    return Turn(fault=ServiceError(status, kind))


_END = say("The script is over.")


class Script:
    """Hands out turns in order. Sub-agents have their own; a question without tools gets the aside and uses up none."""

    def __init__(
        self,
        *turns: Turn,
        subagents: tuple[Turn, ...] = (),
        aside: str = '{"title": "A title"}',
        summary: str = "<summary>A summary.</summary>",
    ) -> None:
        self._waiting = {False: list(turns), True: list(subagents)}
        self._aside, self._summary = say(aside), say(summary)
        self._lock = threading.Lock()
        self.overrun = 0

    def next_turn(self, request: ModelRequest) -> Turn:
        """The turn that answers a request. After the last one, a text that ends the conversation."""
        if is_compaction(request):
            return self._summary
        if request.is_aside:
            return self._aside
        with self._lock:
            waiting = self._waiting[bool(request.subagent)]
            if waiting:
                return waiting.pop(0)
            self.overrun += 1
            return _END

    @property
    def left(self) -> int:
        return sum(len(turns) for turns in self._waiting.values())


def is_compaction(request: ModelRequest) -> bool:
    """Whether the agent asks for a summary of the conversation, which it may do with its tools on offer."""
    return "create a detailed summary of" in request.news


_NUMBERS = itertools.count(1)
_CHUNK = 40  # characters in one delta: enough that a client has to put several together


@record
class Use:
    """A tool call with its identifier."""

    id: str
    name: str
    input: Input


@record
class Reply:
    """What one answer carries."""

    id: str
    model: str
    text: str
    uses: tuple[Use, ...]
    usage: Usage


def prepare(turn: Turn, request: ModelRequest) -> Reply:
    uses = tuple(
        Use(f"toolu_{next(_NUMBERS):024}", use.name, use.input(request) if callable(use.input) else use.input)
        for use in turn.calls
    )
    return Reply(f"{next(_NUMBERS):024}", request.model, turn.text, uses, turn.usage)


def chunks(text: str) -> list[str]:
    return [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
