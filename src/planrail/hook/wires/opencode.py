"""opencode, through the small plugin that planrail installs: plain fields in, plain fields out."""

from planrail.hook.sessions import answers, events
from planrail.hook.sessions.answers import Answer
from planrail.hook.sessions.events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "chat.message": events.PROMPT,
    "tool.execute.before": events.TOOL,
    "tool.execute.after": events.TOOL_DONE,
    "session.idle": events.STOP,
    "session.created": events.START,
    "session.deleted": events.END,
}


def read(agent: str, data: "Mapping[str, object]", environment: "Mapping[str, str]") -> Event | None:
    """The event; None for one that is nothing to planrail. Both the plugin's form and opencode's own are understood."""
    name = data.get("hook_event_name")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        return None
    nested = data.get("input")
    inner = nested if isinstance(nested, dict) else {}
    arguments = data.get("tool_input") or data.get("args") or inner.get("args")
    return Event(
        agent,
        kind,
        str(data.get("session_id") or inner.get("sessionID") or ""),
        cwd=str(data.get("cwd") or ""),
        mode=str(data.get("permission_mode") or ""),
        prompt=str(data.get("prompt") or ""),
        tool=str(data.get("tool_name") or inner.get("tool") or ""),
        input=arguments if isinstance(arguments, dict) else {},
        unattended=bool(environment.get("PLANRAIL_UNATTENDED")),
        name=str(name),
    )


def write(event: Event, answer: Answer) -> "dict[str, object]":
    """The answer; empty where there is nothing to say."""
    fields = {
        "decision": "" if answer.decision in (answers.GO_ON, answers.ALLOW, answers.ASK) else "deny",
        "reason": answer.reason,
        "context": answer.context,
        "message": answer.message,
    }
    return dict(fields) if any(fields.values()) else {}
