"""A window that fills, a second time: loops that are saved already, and holds that come back as prompts."""

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import HOLD, Effect, Event, EventOutcome
from planrail.hook.sessions.loops import Loop, end_loop, read_loop
from planrail.hook.sessions.state import PLAN_COMPLETED, PLAN_PENDING, Session, Summary
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/open.md"
_PATH = "/project/.claude/ralph-loop.local.md"
_LOOP = "---\nactive: true\niteration: {iteration}\nmax_iterations: {most}\n---\nmend the tests\n"


def _prompt(session: Session, world: ScriptedWorld, text: str = "go on") -> EventOutcome:
    return decide(session, Event("claude", events.PROMPT, session.id, prompt=text, mode="default"), world)


@pytest.mark.parametrize(("iteration", "most", "remaining"), [(4, 20, 16), (4, 0, 0), (0, 10, 10)])
@pytest.mark.parametrize("percents", [(55, 65, 65), (65, 66, 70)])
def test_the_iterations_of_a_loop_survive_every_further_warning(
    iteration: int, most: int, remaining: int, percents: tuple[int, ...]
) -> None:
    """The first warning beyond the hold ends the loop in its file: what it had left is known from then on by us alone."""
    text, session, world = _LOOP.format(iteration=iteration, most=most), Session("claude", "s"), ScriptedWorld()
    for world.percent in percents:
        world.running = read_loop(text, _PATH)
        outcome = _prompt(session, world)
        session = outcome.session
        if Effect("end_loop", _PATH) in outcome.effects:
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
    echo = Event("gemini", events.PROMPT, "s", prompt=held.answer.reason)
    assert not echo.is_human
    heard = decide(held.session, echo, world)
    assert (heard.session.turns, heard.session.planning, heard.answer.context) == (3, True, "")
    typed = decide(held.session, Event("gemini", events.PROMPT, "s", prompt="go on"), world)
    assert typed.session.turns == 4


def _clear(session: Session, world: ScriptedWorld) -> str:
    """What the session after a clear is told."""
    ended = decide(session, Event("claude", events.END, session.id, cwd="/project", source="clear"), world)
    world.perform(ended.effects)
    return decide(Session("claude", "t"), Event("claude", events.START, "t", source="clear"), world).answer.context


def _save_loop(world: ScriptedWorld, text: str, percent: int = 55) -> Session:
    world.percent, world.running, world.files[_PATH] = percent, read_loop(text, _PATH), text
    return _prompt(Session("claude", "s"), world).session


@pytest.mark.parametrize("status", ["", "complete", "not_started"])
def test_a_saved_loop_comes_back_alone_or_with_an_open_plan(status: str) -> None:
    world = ScriptedWorld()
    session = _save_loop(world, _LOOP.format(iteration=4, most=20))
    if status:
        world.add_plan(_PLAN, summary=Summary(stamp="1", status=status, total=1, done=int(status == "complete")))
        session = replace(session, plan=_PLAN, intent=PLAN_COMPLETED if status == "complete" else PLAN_PENDING)
    told = _clear(session, world)
    assert "Take it up again now" in told
    assert ("Resume the current task" in told) == (status == "not_started")
    if status == "not_started":
        return
    assert "without asking" in told
    assert "ask the user what to do next" not in told
    assert told.count("RESUME") == 1


@pytest.mark.parametrize("left", ["", "---\nactive: false\niteration: 20\nmax_iterations: 20\n---\nmend the tests\n"])
def test_a_loop_that_ended_by_itself_is_offered_after_a_clear(left: str) -> None:
    """It was saved at half, and came to its own end: it is not begun again without being asked."""
    world = ScriptedWorld()
    session = _save_loop(world, _LOOP.format(iteration=4, most=20))
    world.running, world.files[_PATH] = None, left
    told = _clear(session, world)
    assert "ended by itself" in told
    assert "offer it to the user" in told
    assert "without asking" not in told


def test_a_loop_that_nobody_saved_is_named_with_the_plan_after_a_clear() -> None:
    """The context was cleared before the window was half full: the loop goes on by itself, and is not begun twice."""
    world = ScriptedWorld()
    world.add_plan("/project/plans/p.md")
    world.running = Loop(_PATH, "loop", 3, 20, "", "mend the tests")
    told = _clear(Session("claude", "s", plan="/project/plans/p.md", intent=PLAN_PENDING), world)
    assert f"A Ralph loop is active in {_PATH} (iteration 3)" in told
    assert "do not start the loop a second time" in told
    world.running = None
    told = _clear(Session("claude", "t", plan="/project/plans/p.md", intent=PLAN_PENDING), world)
    assert "Ralph" not in told


def test_a_loop_that_planrail_ended_is_resumed_although_its_file_is_gone() -> None:
    world = ScriptedWorld()
    session = _save_loop(world, _LOOP.format(iteration=4, most=20), percent=65)
    world.running, world.files[_PATH] = None, ""
    assert "Take it up again now, without asking" in _clear(session, world)


def test_a_loop_without_a_limit_says_the_same_to_the_person_and_to_the_agent() -> None:
    world = ScriptedWorld()
    world.percent = 65
    world.running = read_loop("---\nactive: true\niteration: 4\n---\nmend the tests\n", _PATH)
    outcome = _prompt(Session("claude", "s"), world)
    assert outcome.effects == ()
    for said in (outcome.answer.context, outcome.answer.message):
        assert f"The loop in {_PATH} has no max_iterations, so planrail cannot end it" in said
        assert "delete the file" in said
    assert "it ends after this iteration" not in outcome.answer.context
