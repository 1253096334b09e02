"""A turn made ready to be sent: inputs worked out, identifiers given."""

import itertools

from planrail.base.records import record
from planrail.testing.model_server.requests import ModelRequest
from planrail.testing.model_server.script import Input, Turn, Usage

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
    """The reply to a request."""
    uses = tuple(
        Use(f"toolu_{next(_NUMBERS):024}", use.name, use.input(request) if callable(use.input) else use.input)
        for use in turn.calls
    )
    return Reply(f"{next(_NUMBERS):024}", request.reading.model, turn.text, uses, turn.usage)


def chunks(text: str) -> list[str]:
    """A text in the pieces that it is streamed in."""
    return [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK)]
