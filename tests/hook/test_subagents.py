"""A sub-agent is held to the rules of its session, and neither enters nor leaves plan mode for it."""

from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, Event
from planrail.hook.sessions.state import APPROVED, DRAFT, PROPOSED, Session
from tests.hook.happenings import MUTATING, PROMPTS, READING
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/new.md"
_SESSIONS = st.builds(
    lambda planning, own_mode, stage, proposing: Session(
        "claude", "s", planning=planning, own_mode=own_mode, stage=stage, proposing=proposing, plan=_PLAN
    ),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("", DRAFT, PROPOSED, APPROVED)),
    st.booleans(),
)
_KINDS = (events.START, events.PROMPT, events.TOOL, events.PERMISSION, events.TOOL_DONE, events.STOP, events.END)
_MODES = st.sampled_from(("plan", "default", "acceptEdits", "bypassPermissions", "auto", ""))
_CALLS = [*MUTATING, *READING, ("EnterPlanMode", {}), ("ExitPlanMode", {}), ("exit_plan_mode", {})]


def _world() -> ScriptedWorld:
    world = ScriptedWorld()
    world.add_plan(_PLAN)
    return world


@given(_SESSIONS, st.sampled_from(_KINDS), _MODES, st.sampled_from(PROMPTS), st.sampled_from(_CALLS))
def test_nothing_that_happens_in_a_sub_agent_changes_whether_its_session_plans(
    session: Session, kind: str, mode: str, prompt: str, call: "tuple[str, dict[str, object]]"
) -> None:
    tool, given_input = call
    response = {"filePath": _PLAN, "plan": "x"}
    event = Event(
        "claude", kind, "s", cwd="/project", mode=mode, prompt=prompt, tool=tool, input=given_input, response=response,
        source="clear", subagent="a1",
    )  # fmt: skip
    outcome = decide(session, event, _world())
    assert not outcome.retire
    after = outcome.session
    assert (after.planning, after.own_mode, after.stage, after.plan) == (
        session.planning,
        session.own_mode,
        session.stage,
        session.plan,
    )


@given(_SESSIONS, _MODES, st.sampled_from(("EnterPlanMode", "ExitPlanMode", "enter_plan_mode", "exit_plan_mode")))
def test_the_tools_of_plan_mode_are_denied_to_a_sub_agent(session: Session, mode: str, tool: str) -> None:
    event = Event("claude", events.TOOL, "s", cwd="/project", mode=mode, tool=tool, subagent="a1")
    outcome = decide(session, event, _world())
    assert outcome.answer.decision == DENY
    assert not outcome.effects


def test_the_session_itself_still_proposes_its_plan() -> None:
    session = Session("claude", "s", planning=True, plan=_PLAN, stage=DRAFT)
    world = _world()
    world.files[_PLAN] = "# A plan\n"
    event = Event("claude", events.TOOL, "s", cwd="/project", mode="plan", tool="ExitPlanMode")
    assert decide(session, event, world).answer.decision != DENY
    assert decide(session, replace(event, subagent="a1"), world).answer.decision == DENY
