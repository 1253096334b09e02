"""Sessions that are carried through the phases of a planning: each stop is an answer."""

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.deciding.plan_mode import mark_of
from planrail.hook.deciding.stops import MOST_HOLDS
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, HOLD, REFUSE, Effect, Event
from planrail.hook.sessions.state import ANSWERED_NO, ANSWERED_NOTE, ANSWERED_YES, APPROVED, DRAFT, PROPOSED, Session
from planrail.hook.sessions.world import Authored
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/new.md"


def _event(kind: str, **fields: object) -> Event:
    return Event("claude", kind, "s", **fields)  # type: ignore[arg-type]


def _world() -> ScriptedWorld:
    world = ScriptedWorld()
    world.planning_id = "p1"
    world.add_plan(_PLAN)
    return world


def _carried(**changes: object) -> Session:
    return replace(Session("claude", "s", planning=True, own_mode=True, plan=_PLAN, authoring="p1"), **changes)


def test_a_request_begins_a_planning_and_the_agent_is_told_its_first_phase() -> None:
    outcome = decide(Session("claude", "s"), _event(events.PROMPT, prompt="/plan add a cache"), _world())
    assert outcome.session.authoring == "p1"
    assert "what the phase asks" in outcome.answer.context
    assert "Plan mode is on" in outcome.answer.context


def test_the_first_words_after_a_bare_plan_are_the_request() -> None:
    world = _world()
    session = decide(Session("claude", "s"), _event(events.PROMPT, prompt="/plan"), world).session
    assert session.authoring == ""
    outcome = decide(session, _event(events.PROMPT, prompt="add a cache"), world)
    assert outcome.session.authoring == "p1"
    assert "what the phase asks" in outcome.answer.context


@pytest.mark.parametrize("first", ["/plan add a cache --rounds 9", "/plan"])
def test_options_that_make_no_sense_are_told_to_the_person_and_nothing_begins(first: str) -> None:
    world = _world()
    world.refusal = "choose 1 to 4"
    session = decide(Session("claude", "s"), _event(events.PROMPT, prompt=first), world).session
    outcome = decide(session, _event(events.PROMPT, prompt="add --rounds 9"), world) if first == "/plan" else None
    outcome = outcome or decide(Session("claude", "s"), _event(events.PROMPT, prompt=first), world)
    assert outcome.answer.decision == REFUSE
    assert "choose 1 to 4" in outcome.answer.reason
    assert outcome.session.authoring == ""


def test_a_stop_is_held_with_what_comes_next_however_often_it_was_held_before() -> None:
    world = _world()
    world.judged = Authored("the next phase", "draft is done")
    outcome = decide(_carried(held=True), _event(events.STOP, stop_active=True), world)
    assert (outcome.answer.decision, outcome.answer.reason) == (HOLD, "the next phase")
    assert outcome.answer.message == "draft is done"
    waiting = _event(events.STOP, waits_for_tasks=True)  # for tasks in the background: it is no answer
    assert decide(_carried(), waiting, world).answer.decision == ""


def test_the_host_is_never_brought_to_end_the_turn_by_force() -> None:
    world = _world()
    world.judged = Authored("the next phase")
    session = _carried()
    for _ in range(MOST_HOLDS["claude"]):
        outcome = decide(session, _event(events.STOP, stop_active=True), world)
        assert outcome.answer.decision == HOLD
        session = outcome.session
    outcome = decide(session, _event(events.STOP, stop_active=True), world)
    assert outcome.answer.decision == ""
    assert "continue" in outcome.answer.message
    assert outcome.session.authoring == "p1"
    told = decide(outcome.session, _event(events.PROMPT, prompt="continue"), world)
    assert "what the phase asks" in told.answer.context


@pytest.mark.parametrize(
    "between",
    [_event(events.TOOL, tool="Read", input={"file_path": "/project/a"}), _event(events.PROMPT, prompt="go on")],
)
def test_a_tool_or_a_person_between_two_holds_starts_the_count_anew(between: Event) -> None:
    world = _world()
    assert decide(_carried(holds=8), between, world).session.holds == 0


def test_a_finished_plan_is_proposed_and_the_stop_is_free_and_one_that_is_over_leaves_the_session_alone() -> None:
    world = _world()
    world.judged = Authored(is_proposed=True)
    outcome = decide(_carried(), _event(events.STOP), world)
    assert outcome.answer.decision == ""
    assert (outcome.session.stage, outcome.session.planning) == (PROPOSED, True)
    assert Effect("record_stage", _PLAN, stage=PROPOSED) in outcome.effects
    world.judged = Authored(message="nothing was good enough", is_over=True)
    session = decide(_carried(), _event(events.STOP), world).session
    assert (session.authoring, session.planning) == ("", True)


@pytest.mark.parametrize(("prompt", "stage"), [("/plan cancel", DRAFT), ("leave plan mode", PROPOSED)])
def test_cancelling_at_any_moment_leaves_the_session_free(prompt: str, stage: str) -> None:
    world = _world()
    world.judged = Authored("the next phase")
    left = decide(_carried(stage=stage, holds=3, awaits_request=True), _event(events.PROMPT, prompt=prompt), world)
    session = left.session
    assert Effect("end_planning", "p1", is_approved=False) in left.effects
    assert (session.planning, session.authoring, session.awaits_request) == (False, "", False)
    assert decide(session, _event(events.STOP), world).answer.decision == ""
    write = _event(events.TOOL, tool="Write", input={"file_path": "/project/a.py"})
    assert decide(session, write, world).answer.decision != DENY


def test_a_planning_goes_through_a_clear_and_not_into_a_branch_which_keeps_the_guard() -> None:
    world = _world()
    ended = decide(_carried(project="/project"), _event(events.END, source="clear"), world)
    world.perform(ended.effects)
    started = decide(Session("claude", "t"), Event("claude", events.START, "t", source="clear"), world)
    assert started.session.authoring == "p1"
    assert "what the phase asks" in started.answer.context
    world.branched_from = _carried(project="/project")
    started = decide(Session("claude", "t"), Event("claude", events.START, "t", source="fork"), world)
    assert (started.session.planning, started.session.authoring) == (True, "")


# ---- what a person says about the plan ----


def test_an_edit_by_the_person_is_told_to_the_author_once() -> None:
    world = _world()
    session = decide(_carried(authoring=""), _event(events.STOP), world).session
    world.files[_PLAN] = "# Plan\n\n- [ ] something else\n"
    told = decide(session, _event(events.PROMPT, prompt="go on"), world)
    assert "The user edited the plan file" in told.answer.context
    again = decide(told.session, _event(events.PROMPT, prompt="go on"), world)
    assert "edited" not in again.answer.context


def test_a_rejection_with_feedback_holds_the_stop_with_the_feedback() -> None:
    session = _carried(stage=PROPOSED, answered=ANSWERED_NO, feedback="> line 3\nName the file.")
    outcome = decide(session, _event(events.STOP), _world())
    assert outcome.answer.decision == HOLD
    assert "Name the file." in outcome.answer.reason
    assert (outcome.session.stage, outcome.session.answered) == (DRAFT, "")
    assert outcome.session.proposed_mark == mark_of(_world().text(_PLAN))


def test_a_rejection_without_a_reason_asks_for_one_once() -> None:
    session = _carried(stage=PROPOSED, answered=ANSWERED_NO)
    outcome = decide(session, _event(events.PROMPT, prompt="hello"), _world())
    assert "Ask them once" in outcome.answer.context
    again = decide(outcome.session, _event(events.PROMPT, prompt="hello"), _world())
    assert "Ask them once" not in again.answer.context


def test_a_yes_from_outside_ends_plan_mode_and_is_not_recorded_twice() -> None:
    session = _carried(stage=PROPOSED, answered=ANSWERED_YES, feedback="Phase 2 was edited.")
    outcome = decide(session, _event(events.PROMPT, prompt="go"), _world())
    heard = outcome.session
    assert (heard.planning, heard.stage) == (False, APPROVED)
    assert "the user approved the plan" in outcome.answer.context
    assert "Phase 2 was edited." in outcome.answer.context
    assert not [effect for effect in outcome.effects if effect.what == "record_stage"]


def test_a_yes_from_outside_does_not_end_the_agents_own_plan_mode_which_it_is_told_to_leave() -> None:
    session = replace(_carried(stage=PROPOSED, answered=ANSWERED_YES), own_mode=False, authoring="")
    outcome = decide(session, _event(events.PROMPT, prompt="go", mode="plan"), _world())
    assert (outcome.session.planning, outcome.session.stage) == (True, APPROVED)
    assert "Call ExitPlanMode" in outcome.answer.context


def test_a_note_from_outside_is_told_behind_what_was_to_be_told_before() -> None:
    session = _carried(answered=ANSWERED_NOTE, feedback="Name the file.", report="The tree changed.")
    outcome = decide(session, _event(events.PROMPT, prompt="hello"), _world())
    assert "The tree changed.\n\nName the file." in outcome.answer.context


def test_a_text_that_was_not_accepted_is_not_proposed_again_unchanged() -> None:
    world = _world()
    propose = _event(events.TOOL, tool="ExitPlanMode", mode="plan")
    session = replace(_carried(), own_mode=False, authoring="")
    first = decide(session, propose, world)
    assert first.answer.decision != DENY
    assert decide(first.session, propose, world).answer.decision == DENY
    rejected = decide(first.session, _event(events.PROMPT, prompt="shorter", mode="plan"), world).session
    assert decide(rejected, propose, world).answer.decision == DENY
    asked = decide(first.session, _event(events.PROMPT, prompt="propose it again", mode="plan"), world).session
    assert decide(asked, propose, world).answer.decision != DENY
    world.files[_PLAN] = "# A shorter plan\n"
    assert decide(rejected, propose, world).answer.decision != DENY


def test_a_yes_in_the_session_is_not_enough_where_settings_ask_for_more() -> None:
    world = _world()
    world.chosen["consent"] = "terminal"
    own = decide(_carried(proposed_mark="1"), _event(events.PROMPT, prompt="/approve"), world)
    assert own.answer.decision == REFUSE
    assert "planrail approve" in own.answer.reason
    assert (own.session.planning, own.session.stage) == (True, PROPOSED)
    native = replace(_carried(), own_mode=False, stage=PROPOSED)
    said_yes = _event(events.TOOL_DONE, tool="ExitPlanMode", mode="default", response={"plan": "# Plan"})
    outcome = decide(native, said_yes, world)
    assert (outcome.session.planning, outcome.session.stage) == (True, PROPOSED)
    write = _event(events.TOOL, tool="Write", input={"file_path": "/project/a.py"}, mode="default")
    assert decide(outcome.session, write, world).answer.decision == DENY


def test_a_no_behind_which_nobody_was_seen_is_told_and_changes_nothing() -> None:
    session = Session("claude", "s", plan=_PLAN, stage=APPROVED, answered=ANSWERED_NOTE, feedback="> drop the database")
    outcome = decide(session, _event(events.STOP), _world())
    assert outcome.answer.decision == ""
    assert outcome.session.stage == APPROVED
    assert "drop the database" in outcome.session.report


def test_a_plan_that_is_not_through_its_phases_is_approved_by_saying_so_twice() -> None:
    world, approve = _world(), _event(events.PROMPT, prompt="/approve")
    first = decide(_carried(), approve, world)
    assert first.answer.decision == REFUSE
    assert "has not finished" in first.answer.reason
    assert first.session.planning
    assert not decide(first.session, approve, world).session.planning
    other = decide(first.session, _event(events.PROMPT, prompt="wait"), world)
    assert decide(other.session, approve, world).session.planning


def test_the_agents_own_plan_mode_does_not_end_a_planning() -> None:
    world = _world()
    session = decide(_carried(), _event(events.PROMPT, prompt="go on", mode="plan"), world).session
    assert (session.own_mode, session.authoring) == (True, "p1")
    exiting = decide(session, _event(events.TOOL, tool="ExitPlanMode", mode="plan"), world)
    assert exiting.answer.decision == DENY
    assert exiting.session.stage != PROPOSED
    cancelled = decide(session, _event(events.PROMPT, prompt="/plan cancel", mode="plan"), world).session
    assert cancelled.authoring == ""


def test_a_second_request_does_not_throw_a_planning_away() -> None:
    world = _world()
    outcome = decide(_carried(), _event(events.PROMPT, prompt="/plan something else"), world)
    assert outcome.answer.decision == REFUSE
    assert outcome.session.authoring == "p1"
    world.planning_id, world.new_plan = "p2", "/project/plans/second.md"
    again = decide(_carried(proposed_mark="1"), _event(events.PROMPT, prompt="/plan something else"), world)
    assert (again.session.authoring, again.session.plan) == ("p2", "/project/plans/second.md")
