"""A window that fills, a second time: loops that are saved already, and holds that come back as prompts."""

import pytest

from planrail.sessions import events
from planrail.sessions.answers import HOLD
from planrail.sessions.deciding import decide
from planrail.sessions.events import Event
from planrail.sessions.loops import LOOP_FILE, end_loop, read_loop
from planrail.sessions.outcomes import EndLoop, Outcome
from planrail.sessions.state import Session, Summary
from planrail.testing.scripted_world import ScriptedWorld

_PLAN = "/project/plans/open.md"
_PATH = f"/project/{LOOP_FILE}"
_LOOP = "---\nactive: true\niteration: {iteration}\nmax_iterations: {most}\n---\nmend the tests\n"


def _prompt(session: Session, world: ScriptedWorld, text: str = "go on") -> Outcome:
    return decide(session, Event("claude", events.PROMPT, session.id, prompt=text, mode="default"), world)


@pytest.mark.parametrize(("iteration", "most", "remaining"), [(4, 20, 16), (1, 2, 1), (4, 0, 0), (0, 10, 10)])
@pytest.mark.parametrize("percents", [(55, 65, 65), (65, 66, 70)])
def test_the_iterations_of_a_loop_survive_every_further_warning(
    iteration: int, most: int, remaining: int, percents: tuple[int, ...]
) -> None:
    """The first warning beyond the hold ends the loop in its file: what it had left is known from then on by us alone."""
    text, session, world = _LOOP.format(iteration=iteration, most=most), Session("claude", "s"), ScriptedWorld()
    for world.percent in percents:
        world.running = read_loop(text, _PATH)
        outcome = _prompt(session, world)
        assert outcome.session is not None
        session = outcome.session
        if EndLoop(_PATH) in outcome.effects:
            text = end_loop(text) or ""
    assert "max_iterations: " + str(max(1, iteration)) in text
    assert (session.loop["remaining"], session.loop["max"]) == (remaining, most)


@pytest.mark.parametrize("status", ["", "not_started", "complete"])
def test_the_echo_of_a_held_stop_is_no_turn_of_a_person(status: str) -> None:
    """Gemini CLI submits the reason of a hold as if somebody had typed it."""
    world = ScriptedWorld()
    world.percent = 70
    session = Session("gemini", "s", planning=True, own_mode=True, turns=3)
    if status:
        world.add_plan(_PLAN, summary=Summary(stamp="1", status=status, total=1))
        session = Session("gemini", "s", planning=True, own_mode=True, turns=3, plan=_PLAN)
    held = decide(session, Event("gemini", events.STOP, "s"), world)
    assert held.answer.decision == HOLD
    assert held.session is not None
    echo = Event("gemini", events.PROMPT, "s", prompt=held.answer.reason)
    assert not echo.is_human
    heard = decide(held.session, echo, world)
    assert heard.session is not None
    assert (heard.session.turns, heard.session.planning, heard.answer.context) == (3, True, "")


def test_what_a_person_types_after_a_hold_is_a_turn() -> None:
    session = Session("gemini", "s", planning=True, own_mode=True, turns=3, held=True)
    heard = decide(session, Event("gemini", events.PROMPT, "s", prompt="go on"), ScriptedWorld()).session
    assert heard is not None
    assert heard.turns == 4
