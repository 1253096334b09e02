"""What a person is asked while an agent plans: not about the plan file, and about everything else as ever."""

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import ALLOW, DENY, Event
from planrail.hook.sessions.state import Session
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/new.md"
_PLANNING = Session("claude", "s", planning=True, own_mode=True, plan=_PLAN, authoring="p1")


def _ask(session: Session, tool: str, path: str) -> str:
    event = Event("claude", events.PERMISSION, "s", cwd="/project", tool=tool, input={"file_path": path})
    outcome = decide(session, event, ScriptedWorld())
    assert outcome.session == session
    return outcome.answer.decision


@pytest.mark.parametrize("tool", ["Write", "Edit"])
def test_the_question_about_the_plan_file_is_answered(tool: str) -> None:
    assert _ask(_PLANNING, tool, _PLAN) == ALLOW


@pytest.mark.parametrize(
    ("session", "tool", "path"),
    [
        (_PLANNING, "Write", "/project/other.md"),
        (_PLANNING, "Bash", _PLAN),
        (replace(_PLANNING, planning=False), "Write", _PLAN),
        (replace(_PLANNING, own_mode=False), "Write", _PLAN),
        (replace(_PLANNING, plan=""), "Write", _PLAN),
        (replace(_PLANNING, blocking=False), "Write", "/project/other.md"),
    ],
)
def test_every_other_question_is_left_to_the_person(session: Session, tool: str, path: str) -> None:
    assert _ask(session, tool, path) == ""


@pytest.mark.parametrize(
    ("own_mode", "tool", "decision"), [(True, "Write", ALLOW), (True, "Read", ""), (False, "Write", "")]
)
def test_the_plan_file_is_written_without_a_question(own_mode: bool, tool: str, decision: str) -> None:
    event = Event("claude", events.TOOL, "s", cwd="/project", tool=tool, input={"file_path": _PLAN}, mode="plan")
    session = replace(_PLANNING, own_mode=own_mode)
    assert decide(session, event, ScriptedWorld()).answer.decision == decision


def test_a_plan_in_phases_is_not_proposed_by_a_tool() -> None:
    world = ScriptedWorld()
    world.add_plan(_PLAN)
    outcome = decide(_PLANNING, Event("claude", events.TOOL, "s", cwd="/project", tool="ExitPlanMode"), world)
    assert outcome.answer.decision == DENY
    assert not outcome.effects
