"""What a stop comes to while a session executes a plan: decided from what was found out, without a disk or a check."""

from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook import wires
from planrail.hook.deciding.deciding import decide
from planrail.hook.deciding.executing import MOST_HOLDS
from planrail.hook.sessions.events import DENY, HOLD, PROMPT, STOP, TOOL, Event, EventOutcome, HookAnswer
from planrail.hook.sessions.state import APPROVED, PLAN_COMPLETED, PLAN_PENDING, Session, Summary
from planrail.hook.sessions.world import StopLook
from tests.support.scripted_world import ScriptedWorld

PLAN = "/project/plans/p.md"
_EXECUTING = Session("claude", "s", plan=PLAN, stage=APPROVED)
_MISSING = StopLook("missing", "1", "Write", "m1", ["`true` fails", "nothing was done", "a test is weaker"])


def _world(looked: StopLook, **chosen: object) -> ScriptedWorld:
    world = ScriptedWorld()
    world.add_plan(PLAN)
    world.looked, world.chosen = looked, dict(chosen)
    return world


def _stop(session: Session, world: ScriptedWorld, agent: str = "claude", **fields: Any) -> EventOutcome:
    return decide(replace(session, agent=agent), Event(agent, STOP, "s", **fields), world)


def test_a_held_stop_says_what_is_missing_in_four_lines() -> None:
    answer = _stop(_EXECUTING, _world(_MISSING)).answer
    assert answer.decision == HOLD
    lines = answer.reason.split("\n")
    assert lines[0] == "planrail: phase 1 (Write) of p.md is not done. Missing:"
    assert lines[1:3] == ["- `true` fails", f"- and 2 more: planrail check {PLAN} 1"]
    assert len(lines) == 4


def test_after_three_holds_without_progress_the_turn_ends_and_the_person_is_told() -> None:
    session, world = _EXECUTING, _world(_MISSING)
    answers: list[HookAnswer] = []
    for _ in range(MOST_HOLDS + 2):
        outcome = _stop(session, world, stop_active=bool(answers))
        session, answers = outcome.session, [*answers, outcome.answer]
    assert [answer.decision for answer in answers] == [HOLD] * MOST_HOLDS + ["", ""]
    assert all("is NOT done" in answer.message for answer in answers[MOST_HOLDS:])
    assert all(len(answer.message.split("\n")) <= 4 for answer in answers)


def test_less_that_is_missing_begins_a_new_row_and_more_does_not() -> None:
    session = _EXECUTING
    for count in (3, 3, 2, 3, 2):
        outcome = _stop(session, _world(replace(_MISSING, missing=["x"] * count)))
        session = outcome.session
    assert session.execution["holds"] == 3
    assert session.execution["fewest"] == 2


def test_what_the_person_types_begins_a_new_row_and_what_an_agent_repeats_does_not() -> None:
    world = _world(_MISSING)
    held = _stop(_stop(_EXECUTING, world).session, world)
    echoed = decide(held.session, Event("claude", PROMPT, "s", prompt=held.answer.reason), world).session
    assert echoed.execution["holds"] == 2
    assert decide(echoed, Event("claude", PROMPT, "s", prompt="try once more"), world).session.execution["holds"] == 0


@pytest.mark.parametrize(
    ("agent", "setting", "is_mixed"),
    [("claude", "tell", False), ("opencode", "checks", False), ("claude", "checks", True), ("gemini", "tell", True)],
)
def test_where_no_stop_is_held_the_person_is_told(agent: str, setting: str, is_mixed: bool) -> None:
    answer = _stop(_EXECUTING, _world(replace(_MISSING, is_mixed=is_mixed), at_stop=setting), agent).answer
    assert not answer.decision
    assert answer.message.startswith("planrail: phase 1 (Write) of p.md is NOT done")


@pytest.mark.parametrize(
    ("session", "fields", "chosen"),
    [
        (replace(_EXECUTING, plan=""), {}, {}),
        (replace(_EXECUTING, planning=True, own_mode=True), {}, {}),
        (replace(_EXECUTING, proposing=True), {"subagent": "a"}, {}),
        (_EXECUTING, {"waits_for_tasks": True}, {}),
        (_EXECUTING, {}, {"at_stop": "off"}),
    ],
)
def test_nobody_looks_where_no_plan_is_executed(
    session: Session, fields: dict[str, Any], chosen: dict[str, object]
) -> None:
    world = _world(_MISSING, **chosen)
    assert not _stop(session, world, **fields).answer.decision
    assert not _stop(session, world, **fields).session.execution


def test_a_proven_phase_is_told_at_once_and_the_next_one_with_the_next_prompt() -> None:
    looked = StopLook("proven", "1", "Write", next="2", next_title="More")
    ended = _stop(replace(_EXECUTING, execution={"phase": "1", "holds": 2}), _world(looked))
    assert not ended.answer.decision
    assert "phase 1 (Write) of p.md is proven, and marked. Next is phase 2 (More)" in ended.answer.message
    assert (ended.session.execution, ended.session.intent) == ({}, PLAN_PENDING)
    told = decide(ended.session, Event("claude", PROMPT, "s", prompt="thanks"), _world(StopLook())).answer.context
    assert "begin it only if the user asks you to go on" in told
    assert len(told.split("\n")) <= 4


def test_the_last_phase_completes_the_plan() -> None:
    ended = _stop(_EXECUTING, _world(StopLook("proven", "1", "Write", is_complete=True)))
    assert "PLAN COMPLETE" in ended.answer.message
    assert "Save what later work has to know to the memory server" in ended.session.report
    assert ended.session.intent == PLAN_COMPLETED


def test_what_nobody_has_proven_is_told() -> None:
    ended = _stop(_EXECUTING, _world(StopLook("told", "1", "Write", why="it has no check, so nobody has proven it")))
    assert not ended.answer.decision
    assert ended.answer.message == (
        "planrail: phase 1 (Write) of p.md is not proven: it has no check, so nobody has proven it."
    )
    without = _stop(_EXECUTING, _world(StopLook("told", why="planrail finds no phase in it")))
    assert without.answer.message == "planrail: p.md is not proven: planrail finds no phase in it."


@pytest.mark.parametrize(
    ("session", "command", "chosen", "is_denied"),
    [
        (_EXECUTING, "git commit -m x", {"main_protected": True}, True),
        (_EXECUTING, "git commit -m x", {}, False),
        (_EXECUTING, "ls", {"main_protected": True}, False),
        (replace(_EXECUTING, plan=""), "git commit -m x", {"main_protected": True}, False),
    ],
)
def test_a_command_that_reaches_the_protected_target_waits_for_the_phase(
    session: Session, command: str, chosen: dict[str, object], is_denied: bool
) -> None:
    world = _world(StopLook(), **chosen)
    world.gated = "planrail: `git commit` on main waits"
    answer = decide(session, Event("claude", TOOL, "s", tool="Bash", input={"command": command}), world).answer
    assert (answer.decision == DENY) is is_denied
    assert answer.reason == (world.gated if is_denied else "")


@pytest.mark.parametrize(
    ("subject", "is_held"), [("Phase 1: Write", True), ("phase 1", True), ("Read the code", False)]
)
def test_a_task_of_the_agent_that_is_the_phase_is_completed_with_it(subject: str, is_held: bool) -> None:
    session = replace(_EXECUTING, summary=Summary(status="in_progress", phase="Phase 1: Write", phase_id="1"))
    event = wires.read("claude", {"hook_event_name": "TaskCompleted", "session_id": "s", "task_subject": subject}, {})
    assert event is not None
    assert (decide(session, event, _world(_MISSING)).answer.decision == HOLD) is is_held


def test_a_turn_that_an_error_ended_is_told_to_both() -> None:
    session = replace(_EXECUTING, summary=Summary(status="in_progress", phase="Phase 1: Write", phase_id="1"))
    event = wires.read("claude", {"hook_event_name": "StopFailure", "session_id": "s", "error": "rate_limit"}, {})
    assert event is not None
    failed = decide(session, event, _world(_MISSING))
    assert failed.answer.message == "planrail: the turn was ended by an error, and Phase 1: Write of p.md is not done."
    told = decide(failed.session, Event("claude", PROMPT, "s", prompt="go on"), _world(StopLook())).answer.context
    assert "your last turn was ended by an error (rate_limit), and Phase 1: Write of p.md is open" in told
    assert not decide(replace(session, plan=""), event, _world(_MISSING)).answer.message
