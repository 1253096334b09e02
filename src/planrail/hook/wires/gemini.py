"""Gemini CLI: other names for the same events, and `decision: deny` where Claude Code has a field of its own."""

from planrail.hook.sessions import answers, events
from planrail.hook.sessions.answers import Answer
from planrail.hook.sessions.events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "SessionStart": events.START,
    "BeforeAgent": events.PROMPT,
    "BeforeTool": events.TOOL,
    "AfterTool": events.TOOL_DONE,
    "AfterAgent": events.STOP,
    "SessionEnd": events.END,
}
_CONTEXT, _END_OF_CONTEXT = "<hook_context>", "</hook_context>"


def read(agent: str, data: "Mapping[str, object]", environment: "Mapping[str, str]") -> Event | None:
    """The event; None for one that is nothing to planrail."""
    from planrail.hook.wires import claude

    name = data.get("hook_event_name")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    # The fields are the same; only the names of the events differ.
    renamed = dict(data)
    renamed["hook_event_name"] = {
        events.PROMPT: "UserPromptSubmit",
        events.TOOL: "PreToolUse",
        events.TOOL_DONE: "PostToolUse",
        events.STOP: "Stop",
    }.get(kind, name)
    if isinstance(data.get("prompt"), str):
        renamed["prompt"] = _typed(str(data["prompt"]))
    return claude.read(agent, renamed, environment)


def _typed(prompt: str) -> str:
    """What the person typed: without a screen, what hooks said at the start stands in front of the first prompt.

    The program escapes angle brackets in it, so that the first end is the end.
    """
    _, end, typed = prompt.partition(_END_OF_CONTEXT) if prompt.startswith(_CONTEXT) else ("", "", "")
    return typed.lstrip() if end else prompt


def write(event: Event, answer: Answer) -> "dict[str, object]":
    """The answer as the agent wants it; empty where there is nothing to say."""
    written: dict[str, object] = {}
    if answer.decision not in (answers.GO_ON, answers.ALLOW, answers.ASK):
        written = {"decision": "deny", "reason": answer.reason}
    if answer.context:
        written["hookSpecificOutput"] = {"additionalContext": answer.context}
    if answer.message:
        written["systemMessage"] = answer.message
    return written
