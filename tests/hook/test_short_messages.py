"""What people see in an agent's window has at most four lines, whatever a plan, a check or a file is called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.hook import wires
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import ALLOW, ASK, DENY, GO_ON, HOLD, MOST_LINES, Event, HookAnswer
from planrail.hook.sessions.state import PLAN_PENDING, Session, Summary
from planrail.hook.sessions.world import StopLook
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/open.md"
_LINES = st.lists(st.text("ab \n", max_size=12), max_size=9)
_SUMMARIES = (
    Summary(stamp="1", status="in_progress", total=3, done=1, item="a\nb\nc", phase="Phase 1: one\ntwo", phase_id="1"),
    Summary(stamp="1", status="complete", total=1, done=1),
    Summary(),
)
_KINDS = {
    "claude": {events.TOOL: "PreToolUse", events.STOP: "Stop", events.PROMPT: "UserPromptSubmit"},
    "codex": {events.TOOL: "PreToolUse", events.STOP: "Stop", events.PROMPT: "UserPromptSubmit"},
    "gemini": {events.TOOL: "BeforeTool", events.STOP: "AfterAgent", events.PROMPT: "BeforeAgent"},
    "opencode": {events.TOOL: "tool.execute.before", events.STOP: "session.idle", events.PROMPT: "chat.message"},
}


def _count(text: object) -> int:
    return str(text).count("\n") + 1


@given(
    agent=st.sampled_from(sorted(_KINDS)),
    kind=st.sampled_from([events.TOOL, events.STOP, events.PROMPT]),
    decision=st.sampled_from([GO_ON, ALLOW, ASK, DENY]),
    reason=_LINES,
    message=_LINES,
)
def test_a_message_or_a_denial_is_never_longer(
    agent: str, kind: str, decision: str, reason: list[str], message: list[str]
) -> None:
    """By the last function that an answer goes through: nothing that the hook says gets round it."""
    answer = HookAnswer(decision, "\n".join(reason), message="\n".join(message))
    written = wires.write(Event(agent, kind, "s", name=_KINDS[agent][kind]), answer)
    specific = written.get("hookSpecificOutput", {})
    assert isinstance(specific, dict)
    assert _count(written.get("systemMessage") or written.get("message") or "") <= MOST_LINES
    if decision == DENY:
        assert _count(specific.get("permissionDecisionReason") or written.get("reason") or "") <= MOST_LINES


def test_what_comes_first_in_a_long_message_stays_and_the_rest_is_counted() -> None:
    assert events.fit("a\n\nb\nc\nd\ne\nf") == "a\nb\nc\n… and 3 more lines"
    assert events.fit("a\n\nb\n\nc\nd") == "a\nb\nc\nd"
    assert events.fit("a\nb\n\nc") == "a\nb\n\nc"


@given(
    agent=st.sampled_from(sorted(_KINDS)),
    verdict=st.sampled_from(["missing", "told", "proven"]),
    texts=st.tuples(st.text("a\n", max_size=6), st.text("b\n", max_size=6)),
    missing=st.lists(st.text("c\n", min_size=1, max_size=6), min_size=1, max_size=5),
    holds=st.integers(0, 4),
    flags=st.tuples(st.booleans(), st.booleans()),
)
def test_a_stop_with_an_open_phase_is_answered_in_four_lines(
    agent: str, verdict: str, texts: tuple[str, str], missing: list[str], holds: int, flags: tuple[bool, bool]
) -> None:
    world = ScriptedWorld()
    world.add_plan(_PLAN, summary=_SUMMARIES[0])
    title, note = texts
    world.looked = StopLook(
        verdict,
        "1",
        title,
        "m",
        missing,
        flags[0],
        note.replace("\n", " "),
        ["0"],
        note,
        "2" * flags[1],
        title,
        flags[1],
    )
    row: dict[str, object] = {"phase": "1", "holds": holds, "fewest": 1, "missing": missing}
    session = Session(agent, "s", plan=_PLAN, summary=_SUMMARIES[0], execution=row)
    answer = decide(session, Event(agent, events.STOP, "s", last_message="Done."), world).answer
    assert _count(answer.reason) <= MOST_LINES
    assert _count(answer.message) <= MOST_LINES


@pytest.mark.parametrize("summary", _SUMMARIES, ids=["open", "complete", "none"])
def test_a_full_window_holds_a_stop_with_four_lines_that_name_the_plan_and_the_way_back(summary: Summary) -> None:
    world = ScriptedWorld()
    world.percent = 70
    world.add_plan(_PLAN, summary=summary)
    session = Session("claude", "s", plan=_PLAN if summary.status else "", intent=PLAN_PENDING)
    answer = decide(session, Event("claude", events.STOP, "s"), world).answer
    assert answer.decision == HOLD
    assert _count(answer.reason) <= MOST_LINES
    assert "run /clear" in answer.reason
    assert "memory server" in answer.reason
    if summary.status == "in_progress":
        assert f"Plan: {_PLAN}" in answer.reason
        assert "Resume: a b c" in answer.reason


@pytest.mark.parametrize("agent", sorted(_KINDS))
@pytest.mark.parametrize("prompt", ["/plan", "/plan off", "/plan open", "/approve", "/plan block off", "/plan a thing"])
@pytest.mark.parametrize("planning", [False, True])
def test_what_a_command_answers_is_short(agent: str, prompt: str, planning: bool) -> None:
    """All but the plan itself, which is shown whole to whoever asks for it."""
    world = ScriptedWorld()
    session = Session(agent, "s", planning=planning, own_mode=planning, plan="/project/new.md" if planning else "")
    answer = decide(session, Event(agent, events.PROMPT, "s", prompt=prompt), world).answer
    assert _count(answer.reason) <= MOST_LINES
    assert _count(answer.message) <= MOST_LINES


@pytest.mark.parametrize("tool", ["ExitPlanMode", "Write", "Bash", "EnterPlanMode"])
@pytest.mark.parametrize("subagent", ["", "a1"])
def test_a_denial_in_plan_mode_is_short(tool: str, subagent: str) -> None:
    world = ScriptedWorld()
    world.lacking = ["no step could be read", "line 3: one\ntwo"]
    world.add_plan(f"{world.home}/.claude/plans/p.md", "# Plan\n")
    command = "cat <<'E' > x\na\nb\nc\nd\ne\nf\nE\n"
    given_input: dict[str, object] = {
        "command": command,
        "file_path": "/project/a",
        "planFilePath": f"{world.home}/.claude/plans/p.md",
    }
    event = Event("claude", events.TOOL, "s", tool=tool, input=given_input, mode="plan", subagent=subagent)
    answer = decide(Session("claude", "s", planning=True), event, world).answer
    assert answer.decision == DENY
    assert _count(events.fit(answer.reason)) <= MOST_LINES
