"""Decisions that were once wrong, or easily could be: one story each."""

import pytest

from planrail.records import replace
from planrail.sessions import events
from planrail.sessions.answers import HOLD, REFUSE
from planrail.sessions.deciding import decide
from planrail.sessions.events import Event
from planrail.sessions.state import APPROVED, PROPOSED, Session
from planrail.sessions.world import Changes
from planrail.testing.scripted_world import ScriptedWorld

_OPEN = "/project/plans/open.md"
_NATIVE = "/home/user/.claude/plans/native.md"


def test_a_rejected_proposal_is_not_approved_by_a_stop_and_a_clear() -> None:
    world = ScriptedWorld()
    world.add_plan(_NATIVE)
    session = Session("claude", "s", planning=True, plan=_NATIVE)
    for event in (
        Event("claude", events.TOOL, "s", tool="ExitPlanMode", mode="plan"),
        Event("claude", events.STOP, "s", mode="plan"),
        Event("claude", events.END, "s", source="clear"),
    ):
        outcome = decide(session, event, world)
        world.perform(outcome.effects)
        session = outcome.session or Session("claude", "t")
    [ticket] = world.left
    assert (ticket.stage, ticket.intent) != (APPROVED, "plan-pending")


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
    assert outcome.session is not None
    assert outcome.session.stage != APPROVED
    assert "approved" not in outcome.answer.context + outcome.session.exit_notice


def test_the_notice_about_leaving_waits_for_a_prompt_that_reaches_the_agent() -> None:
    world = ScriptedWorld()
    session = Session("claude", "s", planning=True, own_mode=True, plan=_OPEN)
    world.add_plan(_OPEN)
    left = decide(session, Event("claude", events.PROMPT, "s", prompt="/plan off"), world)
    assert left.answer.decision == REFUSE
    assert left.session is not None
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
    assert begun.session is not None
    assert (begun.session.planning, begun.session.blocking) == (True, True)
