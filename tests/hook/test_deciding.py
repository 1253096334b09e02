"""Decisions that were once wrong, or easily could be: one story each."""

from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, HOLD, REFUSE, Event, EventOutcome
from planrail.hook.sessions.state import APPROVED, PLAN_COMPLETED, PLAN_PENDING, PROPOSED, Session, Summary
from planrail.hook.sessions.world import Changes
from tests.support.scripted_world import ScriptedWorld

_OPEN = "/project/plans/open.md"
_NATIVE = "/home/user/.claude/plans/native.md"


@pytest.mark.parametrize(
    "event",
    [
        Event("claude", events.PROMPT, "s", prompt="something else", mode="default"),
        Event("claude", events.PROMPT, "s", prompt="<task-notification>done</task-notification>", mode="default"),
        Event("claude", events.STOP, "s", mode="default"),
        Event("claude", events.STOP, "s", mode="plan"),
        Event("claude", events.START, "s", source="compact"),
    ],
)
def test_only_a_yes_approves_a_plan_that_was_proposed(event: Event) -> None:
    """A no is heard by no event: whatever comes next must not be taken for a yes."""
    session = Session("claude", "s", planning=True, plan=_NATIVE, proposing=True, stage=PROPOSED)
    outcome = decide(session, event, ScriptedWorld())
    assert outcome.session.stage != APPROVED
    assert "approved" not in outcome.answer.context + outcome.session.exit_notice


def test_the_notice_about_leaving_waits_for_a_prompt_that_reaches_the_agent() -> None:
    world = ScriptedWorld()
    session = Session("claude", "s", planning=True, own_mode=True, plan=_OPEN)
    world.add_plan(_OPEN)
    left = decide(session, Event("claude", events.PROMPT, "s", prompt="/plan off"), world)
    assert left.answer.decision == REFUSE
    told = decide(left.session, Event("claude", events.PROMPT, "s", prompt="go on"), world)
    assert told.answer.context.count("Plan mode is off") == 1


def test_a_changed_tree_is_told_to_the_person_at_a_held_stop() -> None:
    world = ScriptedWorld()
    world.percent, world.found = 70, Changes("1", "a file changed")
    session = Session("claude", "s", planning=True, snapshot="x")
    answer = decide(session, Event("claude", events.STOP, "s", mode="default"), world).answer
    assert answer.decision == HOLD
    assert "a file changed" in answer.message


def test_blocking_comes_back_with_the_next_session() -> None:
    world = ScriptedWorld()
    session = replace(Session("claude", "s", planning=True, own_mode=True, plan=_OPEN), blocking=False)
    world.perform(decide(session, Event("claude", events.END, "s", source="clear"), world).effects)
    begun = decide(Session("claude", "t"), Event("claude", events.START, "t", source="clear"), world)
    assert (begun.session.planning, begun.session.blocking) == (True, True)


def test_a_stop_is_held_once_until_the_context_is_compacted() -> None:
    world, stop = ScriptedWorld(), Event("claude", events.STOP, "s")
    world.percent = 80
    first = decide(Session("claude", "s"), stop, world)
    second = decide(first.session, stop, world)
    compacted = decide(second.session, Event("claude", events.START, "s", source="compact"), world)
    third = decide(compacted.session, stop, world)
    assert [outcome.answer.decision for outcome in (first, second, third)] == [HOLD, "", HOLD]


def _clear(session: Session, world: ScriptedWorld, following: str) -> EventOutcome:
    ended = decide(session, Event("claude", events.END, session.id, source="clear"), world)
    world.perform(ended.effects)
    begun = decide(Session("claude", following), Event("claude", events.START, following, source="clear"), world)
    world.perform(begun.effects)
    return begun


@pytest.mark.parametrize("intent", ["", PLAN_PENDING, PLAN_COMPLETED])
def test_a_finished_plan_is_not_resumed(intent: str) -> None:
    world = ScriptedWorld()
    world.add_plan(_OPEN, summary=Summary(stamp="1", status="complete", total=1, done=1))
    session = Session("claude", "s", project="/project", plan=_OPEN, intent=intent)
    compacted = decide(session, Event("claude", events.START, "s", source="compact"), world)
    for outcome in (compacted, _clear(session, world, "t")):
        assert "Resume the current task" not in outcome.answer.context
        assert "to-do list" not in outcome.answer.context


def test_a_clear_without_an_intent_only_mentions_the_plan() -> None:
    world = ScriptedWorld()
    world.add_plan(_OPEN)
    said = _clear(Session("claude", "s", project="/project", plan=_OPEN), world, "t").answer.context
    assert _OPEN in said
    assert "ACTION REQUIRED" not in said


def test_a_sub_agent_may_write_its_own_file_and_not_its_parents() -> None:
    session = Session("claude", "s", planning=True, plan=_OPEN)
    for path, decision in ((_OPEN, DENY), (_OPEN.replace(".md", "-agent-a1.md"), "")):
        arguments: dict[str, object] = {"file_path": path}
        event = Event("claude", events.TOOL, "s", tool="Write", mode="plan", subagent="a1", input=arguments)
        assert decide(session, event, ScriptedWorld()).answer.decision == decision


def test_the_plan_of_another_session_is_never_taken_over() -> None:
    world = ScriptedWorld()
    world.taken = {_NATIVE}
    event = Event("claude", events.TOOL, "s", tool="Write", mode="plan", input={"file_path": _NATIVE})
    outcome = decide(Session("claude", "s"), event, world)
    assert outcome.answer.decision == DENY
    assert outcome.session.plan == ""


@pytest.mark.parametrize("prompt", ["do something else", "<task-notification>done</task-notification>", ""])
def test_only_an_agent_that_goes_to_work_without_a_word_after_a_clear_was_told_to_by_the_dialog(prompt: str) -> None:
    world = ScriptedWorld()
    world.add_plan(_NATIVE)
    proposed = Session("claude", "s", project="/project", planning=True, proposing=True, plan=_NATIVE, stage=PROPOSED)
    session = _clear(proposed, world, "t").session
    assert session.stage != APPROVED
    if prompt:
        session = decide(session, Event("claude", events.PROMPT, "t", prompt=prompt, mode="default"), world).session
    session = decide(session, Event("claude", events.TOOL, "t", tool="Write", mode="acceptEdits"), world).session
    session = decide(session, Event("claude", events.STOP, "t", mode="default"), world).session
    assert (session.stage == APPROVED) is not bool(prompt)


@pytest.mark.parametrize(
    ("mode", "before", "decision"),
    [("auto", "auto", "ask"), ("default", "auto", ""), ("auto", "bypassPermissions", "")],
)
def test_an_automatic_mode_that_is_dropped_asks_about_shell_commands(mode: str, before: str, decision: str) -> None:
    world = ScriptedWorld()
    session = Session("claude", "s", planning=True, own_mode=True, mode_before=before)
    look = Event("claude", events.TOOL, "s", cwd="/project", mode=mode, tool="Bash", input={"command": "git log"})
    assert decide(session, look, world).answer.decision == ""
    world.chosen["auto_mode"] = False
    assert decide(session, look, world).answer.decision == decision


# ------------------------------------------------------------------------------------------- carrying out a plan


def _prompt(text: str) -> Event:
    return Event("claude", events.PROMPT, "s", prompt=text, mode="default")


@pytest.mark.parametrize(
    ("prompt", "is_handed"),
    [("execute plan", True), ("run the plan and commit", True), ("reload", False), ("!load-plan open", False)],
)
def test_who_wants_a_plan_carried_out_and_does_not_plan_is_handed_its_current_phase(
    prompt: str, is_handed: bool
) -> None:
    world = ScriptedWorld()
    summary = Summary("1", status="in_progress", total=2, phase="Phase 2: B", phase_id="2", checks=1)
    world.add_plan(_OPEN, summary=summary)
    outcome = decide(Session("claude", "s"), _prompt(prompt), world)
    assert outcome.session.plan == _OPEN
    assert (world.handed in outcome.answer.context) is is_handed
    assert ("**Phase:** Phase 2: B" if is_handed else f"planrail done {_OPEN} 2") in outcome.answer.context
    planning = Session("claude", "s", planning=True, own_mode=True, plan=_OPEN)
    assert world.handed not in decide(planning, _prompt(prompt), world).answer.context


@pytest.mark.parametrize("planning", [True, False])
def test_a_sub_agent_is_told_that_its_session_plans_and_nothing_elsewhere(planning: bool) -> None:
    session = Session("claude", "s", planning=planning, plan=_NATIVE)
    outcome = decide(session, Event("claude", events.SUBAGENT_START, "s"), ScriptedWorld())
    assert (_NATIVE in outcome.answer.context) is planning


@pytest.mark.parametrize(
    ("known", "heard", "kind", "kept"),
    [
        ("1", "2", events.TOOL, "2"),
        ("1", "1", events.TOOL, "1"),
        ("1", "", events.TOOL, "1"),
        ("", "2", events.PROMPT, "2"),
    ],
)
def test_the_process_of_a_session_is_the_one_that_was_heard_last(known: str, heard: str, kind: str, kept: str) -> None:
    session = Session("claude", "s", planning=True, own_mode=True, plan=_OPEN, process=known)
    event = Event("claude", kind, "s", tool="Read", prompt="go on", process=heard)
    outcome = decide(session, event, ScriptedWorld())
    assert outcome.session.process == kept


@pytest.mark.parametrize(
    ("own_mode", "authoring", "mode", "after"),
    [
        (False, "", "", (True, False)),  # an event that tells no mode ends nothing
        (False, "", "default", (False, False)),
        (True, "", "default", (True, True)),
        (True, "", "plan", (True, False)),  # the agent's own plan mode is as good
        (True, "a planning", "plan", (True, True)),
    ],
)
def test_planning_follows_the_mode_of_the_agent(
    own_mode: bool, authoring: str, mode: str, after: tuple[bool, bool]
) -> None:
    session = Session("claude", "s", planning=True, own_mode=own_mode, authoring=authoring, plan=_OPEN)
    world = ScriptedWorld()
    world.add_plan(_OPEN)
    outcome = decide(session, Event("claude", events.TOOL_DONE, "s", tool="Read", mode=mode), world)
    assert (outcome.session.planning, outcome.session.own_mode) == after


_LEFT = Event("claude", events.TOOL_DONE, "s", tool="ExitPlanMode", mode="default", response={})


@pytest.mark.parametrize(
    ("session", "event", "is_approved"),
    [
        ({"planning": True}, {}, True),
        ({"stage": PROPOSED}, {}, True),
        ({}, {}, False),
        ({"planning": True, "own_mode": True}, {}, False),
        ({"planning": True, "own_mode": True, "stage": PROPOSED}, {}, False),
        ({"planning": True}, {"mode": "plan"}, False),
        ({"planning": True}, {"mode": ""}, False),
        ({"planning": True}, {"response": "no"}, False),
        ({"planning": True}, {"failed": True}, False),
        ({"planning": True}, {"subagent": "a"}, False),
        ({"planning": True}, {"tool": "Read"}, False),
    ],
)
def test_only_a_proposal_that_left_plan_mode_is_a_persons_yes(
    session: dict[str, Any], event: dict[str, Any], is_approved: bool
) -> None:
    world = ScriptedWorld()
    world.add_plan(_NATIVE)
    outcome = decide(Session("claude", "s", plan=_NATIVE, **session), replace(_LEFT, **event), world)
    assert (outcome.session.stage == APPROVED) is is_approved


@pytest.mark.parametrize(
    ("event", "plan", "intent"),
    [
        (_LEFT, _NATIVE, PLAN_PENDING),
        (_LEFT, "", ""),
        (Event("claude", events.PROMPT, "s", prompt="go on", mode="default"), _NATIVE, ""),
    ],
)
def test_only_a_plan_that_was_approved_is_wanted_back_after_a_clear(event: Event, plan: str, intent: str) -> None:
    world = ScriptedWorld()
    world.add_plan(_NATIVE)
    outcome = decide(Session("claude", "s", planning=True, plan=plan), event, world)
    assert (outcome.session.planning, outcome.session.intent) == (False, intent)
