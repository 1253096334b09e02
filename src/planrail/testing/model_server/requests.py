"""What an agent asked of the model, in one form for every dialect."""

from collections.abc import Mapping

from planrail.base.records import record

SYSTEM, USER, ASSISTANT, TOOL = "system", "user", "assistant", "tool"


@record
class Heard:
    """One thing that the model was told, or had said: who said it, and the text."""

    role: str
    text: str


# What a dialect reads from the body of a request: the model, all that it was told, its tools, whether it streams.
Reading = tuple[str, tuple[Heard, ...], tuple[str, ...], bool]


@record
class ModelRequest:
    """One request for a turn of the model."""

    dialect: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, object]
    model: str
    heard: tuple[Heard, ...]
    tools: tuple[str, ...]
    streams: bool

    @property
    def session(self) -> str:
        """The session that asks, where the agent says it."""
        return self.headers.get("x-claude-code-session-id", "")

    @property
    def subagent(self) -> str:
        """The sub-agent that asks; "" for the main chain."""
        return self.headers.get("x-claude-code-agent-id", "")

    @property
    def is_aside(self) -> bool:
        """Whether this is a question beside the conversation, such as one for a title: no tools are offered."""
        return not self.tools

    def said_by(self, *roles: str) -> str:
        return "\n".join(heard.text for heard in self.heard if heard.role in roles)

    def was_told(self, fragment: str) -> bool:
        """Whether the system, the user or a tool said this."""
        return fragment in self.said_by(SYSTEM, USER, TOOL)

    @property
    def news(self) -> str:
        """What was said since the model's last turn: tool results, prompts, hook context."""
        said: list[str] = []
        for heard in reversed(self.heard):
            if heard.role == ASSISTANT:
                break
            said.insert(0, heard.text)
        return "\n".join(said)


def text_of(value: object) -> str:
    """The text in a piece of content, whichever of its shapes it has."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, (text_of(part) for part in value)))
    if isinstance(value, Mapping):
        return next((text_of(value[key]) for key in ("text", "content", "output", "response") if key in value), "")
    return ""


def dicts(value: object) -> list[dict[str, object]]:
    """The objects of a list; nothing where it is not one."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
