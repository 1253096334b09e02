"""What is asked of agents and heard from them: schemas, JSON that may be anything, tools in a line, errors."""

import json
import re

from planrail.base.decoding import object_in as object_in
from planrail.base.decoding import text_in as text_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TELLING = ("command", "cmd", "file_path", "path", "pattern", "url", "query", "description", "prompt", "skill")
_COMMANDS = ("command", "cmd", "script")
_DETAIL = 160
_LIMIT = re.compile(
    r"usage limit|rate.?limit|limit (?:was )?reached|hit your .{0,40}limit|out of (?:extra )?usage"
    r"|too many requests|\b429\b|quota|credit balance",
    re.IGNORECASE,
)
_NO_CONVERSATION = re.compile(r"no conversation found|no rollout found|session .{0,80}not found", re.IGNORECASE)


def read_object(line: bytes) -> dict[str, object]:
    """The object that a line holds; empty where it holds none, since programs print what they like."""
    if not line.lstrip().startswith(b"{"):
        return {}
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def objects_in(holder: "Mapping[str, object]", key: str) -> list[dict[str, object]]:
    value = holder.get(key)
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def number_in(holder: "Mapping[str, object]", key: str) -> int:
    """The whole number under a key; 0 where there is none."""
    value = holder.get(key)
    return value if isinstance(value, int) else 0


def command_in(given: "Mapping[str, object]") -> str:
    """The shell command that a use of a tool would run, whole; "" where it is no such use."""
    told = next((given[key] for key in _COMMANDS if given.get(key)), "")
    if isinstance(told, list) and all(isinstance(word, str) for word in told):
        return told[2] if len(told) == 3 and told[1] in ("-c", "-lc") else " ".join(told)
    return told if isinstance(told, str) else ""


def describe_use(given: "Mapping[str, object]") -> str:
    told = next((text_in(given, key) for key in _TELLING if text_in(given, key)), "")
    line = " ".join(told.split())
    return line if len(line) <= _DETAIL else line[: _DETAIL - 1] + "…"


def reason_of(error: str, status: int = 0) -> str:
    """Which of the reasons an error is: a limit that passes by itself, a conversation that is gone, or another."""
    if _NO_CONVERSATION.search(error):
        return "no_conversation"
    return "limit" if status == 429 or _LIMIT.search(error) else "failed"


def an_object(**properties: object) -> dict[str, object]:
    """The JSON schema of an object that has these properties, and no others."""
    closed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **closed}


def a_list(items: object, description: str = "") -> dict[str, object]:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def a_text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}
