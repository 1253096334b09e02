"""What a session is told about the tasks of its project, and when."""

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.capsule import LIMIT
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions.events import START, Event
from planrail.hook.sessions.state import PLAN_PENDING, Session
from planrail.hook.sessions.world import Ticket
from tests.support.scripted_world import ScriptedWorld

_TASKS = "## Tasks of this project\n\nReady (1):\n- 7"


@pytest.fixture
def world() -> ScriptedWorld:
    """A project with open tasks."""
    made = ScriptedWorld()
    made.tasks = _TASKS
    return made


def _start(world: ScriptedWorld, source: str, session: Session | None = None) -> str:
    event = Event("claude", START, "s", cwd="/project", source=source)
    return decide(session or Session("claude", "s"), event, world).answer.context


@pytest.mark.parametrize("source", ["clear", "compact", "startup", "resume", "fork", ""])
def test_a_session_that_lost_its_context_is_told_of_the_tasks_and_keeps_nothing(
    world: ScriptedWorld, source: str
) -> None:
    event = Event("claude", START, "s", cwd="/project", source=source)
    outcome = decide(Session("claude", "s"), event, world)
    assert (outcome.answer.context == _TASKS) == (source in ("clear", "compact"))
    assert (outcome.session, outcome.effects) == (Session("claude", "s"), ())


def test_the_plan_comes_first_and_the_tasks_behind_it(world: ScriptedWorld) -> None:
    world.add_plan("/project/plan.md")
    world.left = [Ticket("claude", "old", "/project", at=world.now, plan="/project/plan.md", intent=PLAN_PENDING)]
    told = _start(world, "clear")
    assert told.startswith("**ACTION REQUIRED")
    assert told.endswith(_TASKS)


def test_a_long_plan_is_not_cut_for_the_tasks_sake(world: ScriptedWorld) -> None:
    world.add_plan("/project/plan.md", "x" * (LIMIT - 1_200))
    world.left = [Ticket("claude", "old", "/project", at=world.now, plan="/project/plan.md", intent=PLAN_PENDING)]
    world.tasks = "t" * 5_000
    told = _start(world, "clear")
    assert "x" * (LIMIT - 1_200) in told
    assert "ttt" not in told
    assert told.endswith("`planrail prime` tells where they stand.")
    world.tasks, world.left = "", [replace(ticket, path="") for ticket in world.left]
    assert "planrail prime" not in _start(world, "clear")


def test_a_session_that_plans_is_told_of_its_planning_alone(world: ScriptedWorld) -> None:
    planning = Session("claude", "s", planning=True, own_mode=True, project="/project", plan="/project/plans/new.md")
    told = _start(world, "compact", planning)
    assert told
    assert _TASKS not in told
