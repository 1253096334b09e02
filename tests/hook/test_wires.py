"""The agents' own formats, in and out."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from planrail.hook import wires
from planrail.hook.sessions import events
from planrail.hook.sessions.events import SILENCE, Event, HookAnswer

_SAMPLES = Path(__file__).parents[3] / "shared" / "hook_samples"
_AGENTS = ("claude", "codex", "gemini", "opencode")
_KINDS = {
    "SessionStart": events.START,
    "session.created": events.START,
    "UserPromptSubmit": events.PROMPT,
    "BeforeAgent": events.PROMPT,
    "chat.message": events.PROMPT,
    "PreToolUse": events.TOOL,
    "PermissionRequest": events.PERMISSION,
    "BeforeTool": events.TOOL,
    "tool.execute.before": events.TOOL,
    "PostToolUse": events.TOOL_DONE,
    "PostToolUseFailure": events.TOOL_DONE,
    "AfterTool": events.TOOL_DONE,
    "tool.execute.after": events.TOOL_DONE,
    "Stop": events.STOP,
    "StopFailure": events.FAILED,
    "TaskCompleted": events.TASK,
    "AfterAgent": events.STOP,
    "session.idle": events.STOP,
    "SubagentStart": events.SUBAGENT_START,
    "SubagentStop": events.SUBAGENT_STOP,
    "SessionEnd": events.END,
    "session.deleted": events.END,
}
_TOLD = {"context": "", "message": ""}
_DENIED = HookAnswer(events.DENY, "no", message="to the person")


def _samples() -> list[Any]:
    paths = sorted(_SAMPLES.rglob("*.json")) if _SAMPLES.is_dir() else []
    return [pytest.param(path, id=str(path.relative_to(_SAMPLES))) for path in paths]


@pytest.mark.parametrize("path", _samples())
def test_a_recorded_event_is_read_as_what_it_is(path: Path) -> None:
    """Fields of a later version change nothing; of another type they are absent, and nothing raises."""
    values = json.loads(path.read_text("utf-8"))
    agent = path.parent.name if path.parent != _SAMPLES else "claude"
    event = wires.read(agent, values, {})
    assert (event.kind if event else None) == _KINDS.get(values.get("hook_event_name", ""))
    if event is not None:
        assert event.session in (values.get("session_id"), values.get("input", {}).get("sessionID"))
        assert event.tool == (values.get("tool_name") or values.get("input", {}).get("tool") or "")
        assert wires.write(event, SILENCE) == {}
    extended = {**values, "a_new_field": {"session_id": "another"}, "tools": [1, None]}
    assert wires.read(agent, extended, {}) == event
    odd: list[Any] = [None, 7, [], {}, ["x"], True]
    for name, value in itertools.product(values, odd):
        read = wires.read(agent, {**values, name: value}, {})
        if read is not None:
            assert all(isinstance(text, str) for text in (read.session, read.cwd, read.tool, read.prompt))
            assert isinstance(read.input, dict)


@pytest.mark.parametrize("agent", _AGENTS)
def test_an_unknown_event_is_nothing(agent: str) -> None:
    for name in ("", "PreModelSwitch", "pretooluse", "__class__"):
        assert wires.read(agent, {"hook_event_name": name, "session_id": "s"}, {}) is None
    assert wires.read(agent, {"session_id": "s"}, {}) is None


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_a_denial_of_a_tool_is_in_the_form_that_is_honoured(agent: str) -> None:
    event = Event(agent, events.TOOL, "s", name="PreToolUse")
    assert wires.write(event, _DENIED) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        },
        "systemMessage": "to the person",
    }


@pytest.mark.parametrize(
    ("agent", "kind", "name", "answer", "written"),
    [
        ("claude", events.STOP, "Stop", HookAnswer(events.HOLD, "no"), {"decision": "block", "reason": "no"}),
        ("claude", events.PROMPT, "x", HookAnswer(events.REFUSE, "no"), {"decision": "block", "reason": "no"}),
        ("claude", events.STOP, "Stop", HookAnswer(context="by the way"), {}),  # it would make the agent go on
        ("codex", events.TOOL, "PreToolUse", HookAnswer(events.ASK, "sure?"), {}),
        ("gemini", events.TOOL, "x", HookAnswer(events.HOLD, "no"), {"decision": "deny", "reason": "no"}),
        ("opencode", events.TOOL, "x", HookAnswer(events.REFUSE, "no"), {**_TOLD, "decision": "deny", "reason": "no"}),
        ("opencode", events.TOOL, "x", HookAnswer(events.DENY, "no"), {**_TOLD, "decision": "deny", "reason": "no"}),
        (
            "gemini",
            events.PROMPT,
            "",
            HookAnswer(context="read this", message="hello"),
            {"hookSpecificOutput": {"additionalContext": "read this"}, "systemMessage": "hello"},
        ),
    ],
)
def test_an_answer_is_written_as_its_agent_reads_it(
    agent: str, kind: str, name: str, answer: HookAnswer, written: dict[str, Any]
) -> None:
    assert wires.write(Event(agent, kind, "s", name=name), answer) == written


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"])
def test_context_names_the_event_that_it_belongs_to(name: str) -> None:
    event = Event("claude", _KINDS[name], "s", name=name)
    written = wires.write(event, HookAnswer(context="read this"))
    assert written == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "read this"}}


@pytest.mark.parametrize("decision", [events.ASK, events.ALLOW])
@pytest.mark.parametrize("agent", _AGENTS)
def test_asking_and_allowing_are_said_to_claude_alone_and_deny_nobody(agent: str, decision: str) -> None:
    event = Event(agent, events.TOOL, "s", name="PreToolUse")
    written: Any = wires.write(event, HookAnswer(decision, "why", context="read this"))
    specific = written.get("hookSpecificOutput", {})
    assert specific.get("permissionDecision") == (decision if agent == "claude" else None)
    assert written.get("decision", "") == ""
    assert "read this" in (specific.get("additionalContext"), written.get("context"))


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        ("<hook_context>a &lt;b&gt; plan</hook_context>\n\n/plan a cache", "/plan a cache"),
        ("<hook_context></hook_context>go on", "go on"),
        ("<hook_context>one</hook_context>\ntell me of </hook_context>", "tell me of </hook_context>"),
        ("<hook_context>without an end /plan", "<hook_context>without an end /plan"),
        ("what is <hook_context>x</hook_context>?", "what is <hook_context>x</hook_context>?"),
    ],
)
def test_what_hooks_said_before_the_first_prompt_of_gemini_was_not_typed(prompt: str, typed: str) -> None:
    event = wires.read("gemini", {"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": prompt}, {})
    other = wires.read("claude", {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": prompt}, {})
    assert event is not None
    assert other is not None
    assert (event.prompt, other.prompt) == (typed, prompt)


def test_a_process_is_known_by_its_number_and_its_start_and_a_mode_that_never_asks_by_its_name() -> None:
    values = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "permission_mode": "dontAsk"}
    event, other = (wires.read("claude", values, {"CLAUDE_PID": pid}) for pid in ("1", "../1"))
    assert event is not None
    assert other is not None
    assert (event.process.startswith("1:"), other.process) == (True, "")
    assert event.unattended  # nobody could approve
