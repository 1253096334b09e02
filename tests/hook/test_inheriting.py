"""What a session takes over, and what it does not: from a parent, through a clear, and when plan mode is entered."""

import pytest

from planrail.base.records import replace
from planrail.hook.deciding.deciding import decide
from planrail.hook.sessions import events
from planrail.hook.sessions.events import DENY, Event, EventOutcome
from planrail.hook.sessions.state import APPROVED, DRAFT, PROPOSED, Session
from planrail.hook.sessions.world import Ticket
from tests.support.scripted_world import ScriptedWorld

_PLAN = "/project/plans/herons.md"
_PARENT = Session(
    "claude",
    "parent",
    project="/project",
    process="7:70",
    planning=True,
    own_mode=True,
    plan=_PLAN,
    stage=DRAFT,
    snapshot="x",
)
_WRITE: dict[str, object] = {"file_path": "/project/a.py", "content": "x"}


def _start(world: ScriptedWorld, session: Session | None = None, *, source: str = "fork") -> Session:
    event = Event("claude", events.START, "child", source=source, process="8:80")
    return decide(session or Session("claude", "child"), event, world).session


def _use(session: Session, world: ScriptedWorld, tool: str = "Write", mode: str = "default") -> EventOutcome:
    event = Event("claude", events.TOOL, session.id, tool=tool, input=_WRITE, mode=mode, cwd="/project")
    return decide(session, event, world)


@pytest.fixture
def world() -> ScriptedWorld:
    made = ScriptedWorld()
    made.add_plan(_PLAN)
    return made


@pytest.mark.parametrize("source", ["fork", "resume"])
def test_a_branch_takes_over_planning_plan_and_stage_and_neither_id_nor_process(
    world: ScriptedWorld, source: str
) -> None:
    world.branched_from = _PARENT
    child = _start(world, source=source)
    assert child == replace(_PARENT, id="child", process="8:80")
    assert _use(child, world).answer.decision == DENY


def test_a_branch_of_a_session_that_carries_out_its_plan_goes_on_with_it(world: ScriptedWorld) -> None:
    world.branched_from = replace(_PARENT, planning=False, own_mode=False, stage=APPROVED)
    child = _start(world)
    assert (child.plan, child.stage, child.planning) == (_PLAN, APPROVED, False)
    assert _use(child, world).answer.decision != DENY


def test_a_branch_of_a_proposal_is_not_taken_for_a_yes_to_it(world: ScriptedWorld) -> None:
    world.branched_from = replace(_PARENT, planning=False, own_mode=False, stage=PROPOSED, proposing=True)
    used = _use(_start(world), world).session
    assert used.stage != APPROVED


def test_a_session_that_comes_back_to_its_own_plan_is_nobodys_branch(world: ScriptedWorld) -> None:
    world.branched_from = _PARENT
    own = Session("claude", "child", process="8:80", plan="/project/plans/mine.md", stage=APPROVED)
    assert _start(world, own, source="resume") == own


@pytest.mark.parametrize("source", ["startup", "compact", ""])
def test_a_session_that_is_no_branch_takes_over_nothing(world: ScriptedWorld, source: str) -> None:
    world.branched_from = _PARENT
    assert _start(world, source=source) == Session("claude", "child")


def test_a_branch_of_nobody_knows_whom_reads_and_writes_nothing_and_a_resumed_session_is_none(
    world: ScriptedWorld,
) -> None:
    world.branched_from = True
    child = _start(world)
    assert (child.is_fork, child.is_gate, child.is_blank) == (True, True, False)
    assert _use(child, world).answer.decision == DENY
    assert _use(child, world, "Read").answer.decision != DENY
    assert not _start(world, source="resume").is_fork


@pytest.mark.parametrize("kind", [events.TOOL, events.TOOL_DONE, events.PROMPT])
def test_a_branch_is_settled_by_the_first_event_at_which_its_parent_is_known(world: ScriptedWorld, kind: str) -> None:
    child = Session("claude", "child", is_fork=True)
    world.branched_from = _PARENT
    settled = decide(child, Event("claude", kind, "child", tool="Read", prompt="go on"), world).session
    assert (settled.id, settled.planning, settled.plan, settled.is_fork) == ("child", True, _PLAN, False)


def test_a_branch_is_let_go_when_it_turns_out_to_have_no_parent(world: ScriptedWorld) -> None:
    child = Session("claude", "child", is_fork=True)
    world.branched_from = False
    used = _use(child, world)
    assert used.answer.decision != DENY
    assert used.session.is_blank


@pytest.mark.parametrize(
    "entering",
    [
        Event("claude", events.PROMPT, "s", prompt="/plan a cache", mode="default"),
        Event("claude", events.PROMPT, "s", prompt="go on", mode="plan"),
        Event("claude", events.TOOL, "s", tool="Read", mode="plan"),
    ],
)
def test_blocking_is_on_again_when_plan_mode_is_entered(world: ScriptedWorld, entering: Event) -> None:
    session = decide(Session("claude", "s", blocking=False), entering, world).session
    assert (session.planning, session.blocking) == (True, True)
    assert _use(session, world, mode=entering.mode).answer.decision == DENY


def test_blocking_stays_off_while_the_person_plans_on(world: ScriptedWorld) -> None:
    session = replace(_PARENT, blocking=False)
    prompted = decide(session, Event("claude", events.PROMPT, "parent", prompt="go on", mode="default"), world).session
    assert _use(prompted, world).answer.decision != DENY


def _tickets(*planning: bool) -> list[Ticket]:
    return [
        Ticket(
            "claude", f"s{n}", "/project", at=1_000_000, plan=f"/project/plans/{n}.md", planning=is_on, path=f"/t{n}"
        )
        for n, is_on in enumerate(planning)
    ]


@pytest.mark.parametrize("planning", [(True, True), (True, False), (False, True), (False, False)])
def test_whoever_may_be_one_that_planned_is_held_after_a_clear(
    world: ScriptedWorld, planning: tuple[bool, bool]
) -> None:
    world.left = _tickets(*planning)
    begun = decide(Session("claude", "t"), Event("claude", events.START, "t", source="clear"), world)
    assert (begun.session.planning, begun.session.own_mode) == (any(planning), any(planning))
    assert begun.effects == ()  # no ticket is spent on a guess
    assert all(ticket.plan in begun.answer.context for ticket in world.left)
    assert begun.session.plan not in [ticket.plan for ticket in world.left]
    assert (_use(begun.session, world).answer.decision == DENY) == any(planning)


def test_a_plan_that_another_session_has_is_not_loaded(world: ScriptedWorld) -> None:
    world.taken = {_PLAN}
    event = Event("claude", events.PROMPT, "t", prompt="!load-plan herons")
    loaded = decide(Session("claude", "t"), event, world)
    assert loaded.session.plan == ""
    assert "planrail detach" in loaded.answer.context
    world.taken = set()
    loaded = decide(Session("claude", "t"), event, world)
    assert loaded.session.plan == _PLAN
