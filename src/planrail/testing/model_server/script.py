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
class Refusal:
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
    """One use of a tool."""

    name: str
    input: InputOf


@record
class Turn:
    """One turn of the model."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    fault: Refusal | Cut | None = None


def say(text: str, usage: Usage | None = None) -> Turn:
    """A turn of text alone: the model ends its turn."""
    return Turn(text, usage=usage or Usage())


def call(name: str, given: InputOf | None = None, /, **inputs: object) -> Turn:
    return Turn(calls=(ToolCall(name, inputs if given is None else given),))


def calls(*uses: ToolCall) -> Turn:
    return Turn(calls=uses)


def fail(status: int, kind: str = "api_error") -> Turn:
    """A turn that does not come: the service answers with an error."""
    return Turn(fault=Refusal(status, kind))


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
        """How many turns nobody has asked for yet."""
        return sum(len(turns) for turns in self._waiting.values())


def is_compaction(request: ModelRequest) -> bool:
    """Whether the agent asks for a summary of the conversation, which it may do with its tools on offer."""
    return "create a detailed summary of" in request.news


def claude_limit(resets_at: int, now: float) -> Turn:
    """A subscription of Claude is used up for its five hours. Claude Code reads the headers, not the message."""
    window = {"status": "rejected", "reset": str(resets_at)}
    unified = {
        **window,
        "representative-claim": "five_hour",
        "fallback": "unavailable",
        **{f"5h-{name}": value for name, value in window.items()},
        "5h-utilization": "1.0",
        "overage-status": "rejected",
        "overage-disabled-reason": "org_level_disabled",
    }
    headers = {f"anthropic-ratelimit-unified-{name}": value for name, value in unified.items()}
    headers |= {"retry-after": str(max(1, int(resets_at - now))), "x-should-retry": "true"}
    message = "This request would exceed your account's rate limit. Please try again later."
    return Turn(fault=Refusal(429, "rate_limit_error", message, tuple(headers.items())))


def codex_limit(resets_at: int, now: float) -> Turn:
    """A plan of Codex is used up. Codex reads the body, and tells people the time without its seconds."""
    body = {"plan_type": "pro", "resets_at": resets_at, "resets_in_seconds": max(0, int(resets_at - now))}
    fault = Refusal(429, "usage_limit_reached", "The usage limit has been reached", fields=tuple(body.items()))
    return Turn(fault=fault)


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
    return Reply(f"{next(_NUMBERS):024}", request.reading.model, turn.text, uses, turn.usage)


def chunks(text: str) -> list[str]:
    return [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
