"""Claude Code, and Codex, which speaks the same JSON.

What the real programs do beyond their documents: `PreToolUse` comes before permission rules; `tool_input` of a
finished ExitPlanMode is empty, its plan is in `tool_response`; the "clear context" approval reports neither that tool
nor a prompt; for files in its own folder Claude Code asks the person although `PreToolUse` allowed them, unless
`PermissionRequest` is answered as well; Codex refuses `ask` and `continue: false` before a tool, and does not tell its
own plan mode (`hook.turns`).
"""

from planrail.hook.sessions import answers, events
from planrail.hook.sessions.answers import Answer
from planrail.hook.sessions.events import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "SessionStart": events.START,
    "UserPromptSubmit": events.PROMPT,
    "PreToolUse": events.TOOL,
    "PermissionRequest": events.PERMISSION,
    "PostToolUse": events.TOOL_DONE,
    "PostToolUseFailure": events.TOOL_DONE,
    "Stop": events.STOP,
    "SubagentStart": events.SUBAGENT_START,
    "SubagentStop": events.SUBAGENT_STOP,
    "SessionEnd": events.END,
}
# A mode in which the agent never asks anybody, so that nobody could approve a plan.
_NEVER_ASKS = "dontAsk"


def read(agent: str, data: "Mapping[str, object]", environment: "Mapping[str, str]") -> Event | None:
    """The event; None for one that is nothing to planrail."""
    name = _text(data, "hook_event_name")
    kind = _KINDS.get(name)
    if kind is None:
        return None
    tool_input, tasks = data.get("tool_input"), data.get("background_tasks")
    mode = _mode(agent, data)
    return Event(
        agent,
        kind,
        _text(data, "session_id"),
        cwd=_text(data, "cwd"),
        transcript=_text(data, "transcript_path"),
        mode=mode,
        model=_text(data, "model"),
        source=_text(data, "source") or _text(data, "reason"),
        prompt=_text(data, "prompt"),
        tool=_text(data, "tool_name"),
        input=tool_input if isinstance(tool_input, dict) else {},
        response=data.get("tool_response"),
        failed=name == "PostToolUseFailure",
        subagent=_text(data, "agent_id"),
        stop_active=data.get("stop_hook_active") is True,
        last_message=_text(data, "last_assistant_message"),
        waits_for_tasks=bool(tasks) and isinstance(tasks, list),
        process=_process(environment.get("CLAUDE_PID", "")),
        unattended=mode == _NEVER_ASKS or bool(environment.get("PLANRAIL_UNATTENDED")),
        name=name,
    )


def write(event: Event, answer: Answer) -> "dict[str, object]":
    """The answer as the agent wants it; empty where there is nothing to say."""
    written: dict[str, object] = {}
    specific: dict[str, object] = {}
    if event.kind == events.PERMISSION:
        specific = {"decision": {"behavior": "allow"}} if answer.decision == answers.ALLOW else {}
    elif answer.decision in (answers.ASK, answers.ALLOW) and event.agent != "claude":
        pass  # Codex refuses to ask at this place, and allows by saying nothing
    elif answer.decision in (answers.DENY, answers.ASK, answers.ALLOW):
        specific = {"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason}
    elif answer.decision != answers.GO_ON:
        written = {"decision": "block", "reason": answer.reason}
    if answer.context and event.kind != events.STOP:
        specific["additionalContext"] = answer.context
    if specific:
        written["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if answer.message:
        written["systemMessage"] = answer.message
    return written


def _mode(agent: str, data: "Mapping[str, object]") -> str:
    if agent == "codex" and "turn_id" in data:
        from planrail.hook.turns import is_plan_turn

        if is_plan_turn(_text(data, "transcript_path")):
            return events.PLAN_MODE
    return _text(data, "permission_mode")


def _process(pid: str) -> str:
    """The agent's process as "PID:START": a number alone could be another process by now."""
    if not pid.isdigit():
        return ""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may contain spaces; the start time is the 20th field behind it.
            return f"{pid}:{file.read().rpartition(')')[2].split()[19]}"
    except (OSError, IndexError):
        return f"{pid}:"


def _text(data: "Mapping[str, object]", name: str) -> str:
    value = data.get(name)
    return value if isinstance(value, str) else ""
