"""The wire formats of the agents, translated into one kind of event and back.

Claude Code and Codex speak the same JSON; Gemini CLI has other names for the same events, and `decision: deny` where
they have a field of its own; opencode comes through the small plugin that planrail installs, with plain fields.
What the real programs do beyond their documents: `PreToolUse` comes before permission rules; `tool_input` of a
finished ExitPlanMode is empty, its plan is in `tool_response`; the "clear context" approval reports neither that tool
nor a prompt; for files in its own folder Claude Code asks the user although `PreToolUse` allowed them, unless
`PermissionRequest` is answered as well; Codex refuses `ask` and `continue: false` before a tool, and does not tell its
own plan mode (`hook.turns`).
"""

from planrail.base.decoding import text_in
from planrail.base.records import replace
from planrail.hook.sessions import events
from planrail.hook.sessions.events import Event, HookAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_CLAUDE = {
    "SessionStart": events.START, "UserPromptSubmit": events.PROMPT, "PreToolUse": events.TOOL,
    "PermissionRequest": events.PERMISSION, "PostToolUse": events.TOOL_DONE, "PostToolUseFailure": events.TOOL_DONE,
    "Stop": events.STOP, "StopFailure": events.FAILED, "TaskCompleted": events.TASK,
    "SubagentStart": events.SUBAGENT_START, "SubagentStop": events.SUBAGENT_STOP,
    "SessionEnd": events.END,
}  # fmt: skip
_GEMINI = {
    "SessionStart": events.START, "BeforeAgent": events.PROMPT, "BeforeTool": events.TOOL,
    "AfterTool": events.TOOL_DONE, "AfterAgent": events.STOP, "SessionEnd": events.END,
}  # fmt: skip
_OPENCODE = {
    "chat.message": events.PROMPT, "tool.execute.before": events.TOOL, "tool.execute.after": events.TOOL_DONE,
    "session.idle": events.STOP, "session.created": events.START, "session.deleted": events.END,
}  # fmt: skip
_KINDS = {"gemini": _GEMINI, "opencode": _OPENCODE}  # the others speak as Claude Code does
_TEXTS = {"cwd": "cwd", "transcript": "transcript_path", "model": "model", "tool": "tool_name"}
_TEXTS |= {"subagent": "agent_id", "last_message": "last_assistant_message"}
_CONTEXT, _END_OF_CONTEXT = "<hook_context>", "</hook_context>"  # of Gemini CLI
# A mode in which the agent never asks, so that nobody could approve a plan.
_NEVER_ASKS = "dontAsk"


def read(agent: str, data: "Mapping[str, object]", environment: "Mapping[str, str]") -> Event | None:
    """The event; None for one that is nothing to planrail."""
    name = text_in(data, "hook_event_name")
    kind = _KINDS.get(agent, _CLAUDE).get(name)
    if kind is None:
        return None
    if agent == "opencode":
        data, environment = _plain_fields(data), {"PLANRAIL_UNATTENDED": environment.get("PLANRAIL_UNATTENDED", "")}
    elif kind == events.TASK:
        data = {**data, "last_assistant_message": f"Completed: {text_in(data, 'task_subject')}"}
    elif agent == "gemini":
        data = {**data, "last_assistant_message": data.get("prompt_response")}
    tool_input, tasks = data.get("tool_input"), data.get("background_tasks")
    mode = text_in(data, "permission_mode")
    if agent == "codex" and "turn_id" in data:
        from planrail.hook.turns import is_plan_turn

        mode = events.PLAN_MODE if is_plan_turn(text_in(data, "transcript_path")) else mode
    return Event(
        agent,
        kind,
        text_in(data, "session_id"),
        **{field: text_in(data, told) for field, told in _TEXTS.items()},
        mode=mode,
        source=text_in(data, "source") or text_in(data, "reason") or text_in(data, "error"),
        prompt=_typed(text_in(data, "prompt")) if agent == "gemini" else text_in(data, "prompt"),
        input=tool_input if isinstance(tool_input, dict) else {},
        response=data.get("tool_response"),
        failed=name == "PostToolUseFailure",
        stop_active=data.get("stop_hook_active") is True,
        waits_for_tasks=bool(tasks) and isinstance(tasks, list),
        process=_process(environment.get("CLAUDE_PID", "")),
        unattended=mode == _NEVER_ASKS or bool(environment.get("PLANRAIL_UNATTENDED")),
        name=name,
    )


def _plain_fields(data: "Mapping[str, object]") -> "dict[str, object]":
    """What opencode tells, in the plugin's form or in its own."""
    nested = data.get("input")
    inner = nested if isinstance(nested, dict) else {}
    return {
        **{name: data.get(name) for name in ("cwd", "permission_mode", "prompt", "last_assistant_message")},
        "session_id": data.get("session_id") or inner.get("sessionID"),
        "tool_name": data.get("tool_name") or inner.get("tool"),
        "tool_input": data.get("tool_input") or data.get("args") or inner.get("args"),
    }


def _typed(prompt: str) -> str:
    """What the user typed: without a screen, what hooks said at the start stands in front of the first prompt.

    Gemini CLI escapes angle brackets in it, so that the first end is the end.
    """
    _, end, typed = prompt.partition(_END_OF_CONTEXT) if prompt.startswith(_CONTEXT) else ("", "", "")
    return typed.lstrip() if end else prompt


def write(event: Event, answer: HookAnswer) -> "dict[str, object]":
    """The answer as the agent wants it; empty where there is nothing to say. What people see is short."""
    if answer.message or answer.decision == events.DENY:
        reason = events.fit(answer.reason) if answer.decision == events.DENY else answer.reason
        answer = replace(answer, message=events.fit(answer.message), reason=reason)
    is_denied = answer.decision not in (events.GO_ON, events.ALLOW, events.ASK)
    if event.agent == "opencode":
        told = {"reason": answer.reason, "context": answer.context, "message": answer.message}
        fields: dict[str, object] = {"decision": "deny" if is_denied else "", **told}
        return fields if any(fields.values()) else {}
    if event.agent == "gemini":
        fields = {"decision": "deny", "reason": answer.reason} if is_denied else {}
        fields |= {"hookSpecificOutput": {"additionalContext": answer.context}} if answer.context else {}
        return {**fields, "systemMessage": answer.message} if answer.message else fields
    written: dict[str, object] = {}
    specific: dict[str, object] = {}
    if event.kind == events.PERMISSION:
        specific = {"decision": {"behavior": "allow"}} if answer.decision == events.ALLOW else {}
    elif answer.decision in (events.ASK, events.ALLOW) and event.agent != "claude":
        pass  # Codex refuses to ask at this place, and allows by saying nothing
    elif answer.decision in (events.DENY, events.ASK, events.ALLOW):
        specific = {"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason}
    elif answer.decision != events.GO_ON:
        written = {"decision": "block", "reason": answer.reason}
    if answer.context and event.kind != events.STOP:
        specific["additionalContext"] = answer.context
    if specific:
        written["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    if answer.message:
        written["systemMessage"] = answer.message
    return written


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
