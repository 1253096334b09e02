"""The agents' own formats, in and out."""

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
    "AfterAgent": events.STOP,
    "session.idle": events.STOP,
    "SubagentStart": events.SUBAGENT_START,
    "SubagentStop": events.SUBAGENT_STOP,
    "SessionEnd": events.END,
    "session.deleted": events.END,
}
_DENIED = HookAnswer(events.DENY, "no", message="to the person")


def _samples() -> list[Any]:
    paths = sorted(_SAMPLES.rglob("*.json")) if _SAMPLES.is_dir() else []
    return [pytest.param(path, id=str(path.relative_to(_SAMPLES))) for path in paths]


def _agent(path: Path) -> str:
    return path.parent.name if path.parent != _SAMPLES else "claude"


def _read(path: Path) -> tuple[dict[str, Any], Event | None]:
    values = json.loads(path.read_text("utf-8"))
    return values, wires.read(_agent(path), values, {})


@pytest.mark.parametrize("path", _samples())
def test_a_recorded_event_is_read_as_what_it_is(path: Path) -> None:
    values, event = _read(path)
    kind = _KINDS.get(values.get("hook_event_name", ""))
    assert (event.kind if event else None) == kind
    if event is not None:
        assert event.session in (values.get("session_id"), values.get("input", {}).get("sessionID"))
        assert event.tool == (values.get("tool_name") or values.get("input", {}).get("tool") or "")


@pytest.mark.parametrize("path", _samples())
def test_nothing_to_say_is_said_with_nothing(path: Path) -> None:
    _, event = _read(path)
    if event is not None:
        assert wires.write(event, SILENCE) == {}


@pytest.mark.parametrize("path", _samples())
def test_fields_of_a_later_version_change_nothing(path: Path) -> None:
    values, event = _read(path)
    extended = {**values, "a_new_field": {"session_id": "another"}, "tools": [1, None]}
    assert wires.read(_agent(path), extended, {}) == event


@pytest.mark.parametrize("path", _samples())
def test_fields_of_another_type_are_read_as_absent(path: Path) -> None:
    """What matters is that nothing raises: an event that cannot be read must not become a crash."""
    values, _ = _read(path)
    for name in values:
        odd: Any
        for odd in (None, 7, [], {}, ["x"], True):
            event = wires.read(_agent(path), {**values, name: odd}, {})
            if event is not None:
                assert all(isinstance(text, str) for text in (event.session, event.cwd, event.tool, event.prompt))
                assert isinstance(event.input, dict)


@pytest.mark.parametrize("agent", _AGENTS)
@pytest.mark.parametrize("name", ["", "PreModelSwitch", "pretooluse", "Stop2", "__class__"])
def test_an_unknown_event_is_nothing(agent: str, name: str) -> None:
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


@pytest.mark.parametrize(("kind", "name"), [(events.STOP, "Stop"), (events.PROMPT, "UserPromptSubmit")])
def test_a_held_stop_and_a_refused_prompt_are_blocks(kind: str, name: str) -> None:
    decision = events.HOLD if kind == events.STOP else events.REFUSE
    written = wires.write(Event("claude", kind, "s", name=name), HookAnswer(decision, "because"))
    assert written == {"decision": "block", "reason": "because"}


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart"])
def test_context_names_the_event_that_it_belongs_to(name: str) -> None:
    event = Event("claude", _KINDS[name], "s", name=name)
    written = wires.write(event, HookAnswer(context="read this"))
    assert written == {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "read this"}}


def test_a_stop_that_is_not_held_says_nothing_to_the_agent() -> None:
    """Context at a stop would make the agent go on."""
    event = Event("claude", events.STOP, "s", name="Stop")
    assert wires.write(event, HookAnswer(context="by the way")) == {}


def test_codex_is_never_asked_to_ask() -> None:
    event = Event("codex", events.TOOL, "s", name="PreToolUse")
    assert wires.write(event, HookAnswer(events.ASK, "sure?")) == {}


@pytest.mark.parametrize("decision", [events.DENY, events.HOLD, events.REFUSE])
def test_gemini_and_opencode_know_one_word_for_no(decision: str) -> None:
    for agent in ("gemini", "opencode"):
        written = wires.write(Event(agent, events.TOOL, "s", name="x"), HookAnswer(decision, "no"))
        assert (written["decision"], written["reason"]) == ("deny", "no")


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
        ("/plan a cache", "/plan a cache"),
        ("", ""),
    ],
)
def test_what_hooks_said_before_the_first_prompt_of_gemini_was_not_typed(prompt: str, typed: str) -> None:
    event = wires.read("gemini", {"hook_event_name": "BeforeAgent", "session_id": "s", "prompt": prompt}, {})
    assert event is not None
    assert event.prompt == typed


def test_a_prompt_of_another_agent_is_left_as_it_is() -> None:
    prompt = "<hook_context>x</hook_context>/plan"
    event = wires.read("claude", {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": prompt}, {})
    assert event is not None
    assert event.prompt == prompt


def test_gemini_is_told_context_and_message() -> None:
    event = Event("gemini", events.PROMPT, "s")
    written = wires.write(event, HookAnswer(context="read this", message="hello"))
    assert written == {"hookSpecificOutput": {"additionalContext": "read this"}, "systemMessage": "hello"}


def test_a_process_is_known_by_its_number_and_its_start() -> None:
    values = {"hook_event_name": "Stop", "session_id": "s"}
    event = wires.read("claude", values, {"CLAUDE_PID": "1"})
    assert event is not None
    assert event.process.startswith("1:")
    nonsense = wires.read("claude", values, {"CLAUDE_PID": "../1"})
    assert nonsense is not None
    assert nonsense.process == ""


def test_a_mode_that_never_asks_has_nobody_who_could_approve() -> None:
    values = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "permission_mode": "dontAsk"}
    event = wires.read("claude", values, {})
    assert event is not None
    assert event.unattended
