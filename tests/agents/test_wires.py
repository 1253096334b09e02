"""What the wires make of messages, also of those that no program has sent yet."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.agents.claude import ClaudeWire
from planrail.agents.codex import CodexWire
from planrail.agents.model import Assignment, Denied, Question, UsageEvent
from planrail.agents.processes.processes import Clock
from planrail.agents.scripted import ScriptedWire
from planrail.agents.wires import Abort, Finish, Permissions, Send
from planrail.base.json_reading import describe_use, reason_of

_ASSIGNMENT = Assignment("author", "Plan herons.", "/project")


def _refuse(tool: str, given: Mapping[str, object]) -> str | None:
    return f"no {tool}"


def _allow(tool: str, given: Mapping[str, object]) -> str | None:
    return None


def _nobody(questions: list[Question]) -> dict[str, str]:
    return {}


def _claude(judge: object = _refuse) -> ClaudeWire:
    return ClaudeWire(_ASSIGNMENT, Permissions(_nobody, judge, Clock(60)))  # type: ignore[arg-type]


def _hear(wire: ClaudeWire | CodexWire, **message: object) -> list[object]:
    return list(wire.hear(json.dumps(message).encode()))


def _accept(wire: ClaudeWire) -> list[object]:
    opened = json.loads(next(part.text for part in wire.open() if isinstance(part, Send)))
    return _hear(wire, type="control_response", response={"subtype": "success", "request_id": opened["request_id"]})


def test_claude_hears_the_prompt_only_after_it_has_accepted_the_judge() -> None:
    wire = _claude()
    assert "Plan herons." not in str(list(wire.open()))
    assert "Plan herons." in str(_accept(wire))
    refused = {"subtype": "error", "request_id": "planrail-initialize", "error": "unknown"}
    parts = _hear(_claude(), type="control_response", response=refused)
    assert [type(part) for part in parts] == [Abort]


def _use(tool: str, use: str) -> dict[str, object]:
    block = {"type": "tool_use", "id": use, "name": tool, "input": {}}
    return {"type": "assistant", "message": {"id": "m", "content": [block], "usage": {"input_tokens": 3}}}


def _ended(use: str, *, is_error: bool = False) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": use, "content": "x", "is_error": is_error}
    return {"type": "user", "message": {"content": [block]}}


def _callback(tool: str, use: str) -> dict[str, object]:
    event = {"tool_name": tool, "tool_input": {}, "tool_use_id": use}
    request = {"subtype": "hook_callback", "callback_id": "judge", "tool_use_id": use, "input": event}
    return {"type": "control_request", "request_id": "r", "request": request}


def test_a_tool_that_ran_without_being_judged_ends_the_work() -> None:
    wire = _claude(_allow)
    _hear(wire, **_use("Bash", "1"))
    _hear(wire, **_callback("Bash", "1"))
    assert _hear(wire, **_ended("1")) == []
    _hear(wire, **_use("Bash", "2"))
    assert _hear(wire, **_ended("2", is_error=True)) == []
    _hear(wire, **_use("Bash", "3"))
    (abort,) = _hear(wire, **_ended("3"))
    assert isinstance(abort, Abort)
    assert "Bash" in abort.error


def test_a_refusal_reaches_claude_with_its_reason_by_both_doors() -> None:
    for message in (
        _callback("Bash", "1"),
        {"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "tool_name": "Bash"}},
    ):
        denied, sent = _hear(_claude(), **message)
        assert denied == Denied("Bash", "no Bash")
        assert isinstance(sent, Send)
        assert "no Bash" in sent.text
        assert "deny" in sent.text


def test_leaving_plan_mode_is_refused_always_and_an_unknown_request_gets_an_error_and_no_silence() -> None:
    denied, _ = _hear(_claude(_allow), **_callback("ExitPlanMode", "1"))
    assert isinstance(denied, Denied)
    (sent,) = _hear(_claude(), type="control_request", request_id="r", request={"subtype": "mcp_message"})
    assert isinstance(sent, Send)
    assert json.loads(sent.text)["response"]["subtype"] == "error"


def test_a_result_ends_the_conversation_only_when_nothing_runs_in_the_background() -> None:
    wire = _claude()
    _hear(wire, type="system", subtype="background_tasks_changed", tasks=[{"task_id": "a"}])
    assert Finish() not in _hear(wire, type="result", result="Waiting.")
    _hear(wire, type="system", subtype="background_tasks_changed", tasks=[])
    assert Finish() in _hear(wire, type="result", result="Final.")
    assert wire.conclude(0, "").text == "Final."


def test_what_was_spent_before_a_violent_end_is_counted() -> None:
    wire = _claude(_allow)
    _hear(wire, **_use("Read", "1"))
    _hear(wire, **_use("Read", "2"))  # a second block of the same message
    assert list(wire.settle()) == [UsageEvent(3, 0)]
    assert list(wire.settle()) == []


def test_an_error_of_claude_is_an_error_though_it_calls_itself_a_success() -> None:
    wire = _claude()
    _hear(wire, type="result", subtype="success", is_error=True, result="API Error: 529", api_error_status=529)
    assert (wire.conclude(1, "").ok, wire.conclude(1, "").reason) == (False, "failed")


def test_an_empty_result_falls_back_on_the_last_words() -> None:
    wire = _claude()
    _hear(wire, type="assistant", message={"id": "m", "content": [{"type": "text", "text": "The plan."}]})
    _hear(wire, type="result", is_error=False, result="")
    assert wire.conclude(0, "").text == "The plan."


def test_codex_counts_only_what_is_new_in_a_continued_conversation() -> None:
    wire = CodexWire(_ASSIGNMENT, Permissions(_nobody, _allow, Clock(60)), lambda conversation: UsageEvent(1_000, 100))
    usage = {"input_tokens": 1_250, "output_tokens": 130}
    assert _hear(wire, type="turn.completed", usage=usage) == [UsageEvent(250, 30)]
    assert list(wire.settle()) == []


def test_a_turn_of_codex_that_failed_is_no_answer() -> None:
    wire = CodexWire(_ASSIGNMENT, Permissions(_nobody, _allow, Clock(60)), lambda conversation: UsageEvent(0, 0))
    _hear(wire, type="item.completed", item={"type": "agent_message", "text": "half"})
    _hear(wire, type="turn.failed", error={"message": '{"error": {"message": "too long"}}'})
    outcome = wire.conclude(1, "noise")
    assert (outcome.ok, outcome.error) == (False, "too long")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("Claude AI usage limit reached|1760000000", "limit"),
        ("You've hit your session limit · resets 3pm", "limit"),
        ("exceeded retry limit, last status: 429 Too Many Requests", "limit"),
        ("You exceeded your current quota", "limit"),
        ("No conversation found with session ID: x", "no_conversation"),
        ("thread/resume failed: no rollout found for thread id x", "no_conversation"),
        ("API Error: 500", "failed"),
        ("exceeded retry limit, last status: 500", "failed"),
    ],
)
def test_errors_are_told_apart(error: str, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_use_is_told_in_one_short_line() -> None:
    assert describe_use({"command": "cat a\n  b"}) == "cat a b"
    assert len(describe_use({"prompt": "x" * 1_000})) <= 160
    assert describe_use({"unknown": 3}) == ""


_KINDS = [
    "assistant",
    "user",
    "system",
    "result",
    "control_request",
    "control_response",
    "item.completed",
    "use",
    "ask",
]
_KEYS = st.sampled_from(
    [
        "type",
        "subtype",
        "message",
        "content",
        "usage",
        "request",
        "response",
        "input",
        "tool_name",
        "tasks",
        "errors",
        "item",
        "error",
        "questions",
        "options",
        "tool",
        "cost",
        "model_usage_since_last_result",
        "is_error",
        "result",
    ]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.full
@given(st.lists(st.tuples(st.sampled_from(_KINDS), st.dictionaries(_KEYS, _VALUES, max_size=6)), max_size=6))
def test_no_message_of_any_shape_breaks_a_wire(messages: list[tuple[str, dict[str, object]]]) -> None:
    permissions = Permissions(_nobody, _allow, Clock(60))
    wires = (
        ClaudeWire(_ASSIGNMENT, permissions),
        CodexWire(_ASSIGNMENT, permissions, lambda conversation: UsageEvent(0, 0)),
        ScriptedWire(_ASSIGNMENT, permissions),
    )
    for wire in wires:
        for kind, message in messages:
            list(wire.hear(json.dumps({**message, "type": kind}).encode()))
        assert not wire.conclude(1, "").ok or wire.conclude(0, "").ok
