"""The transition table: what may follow what, and what is refused with which advice."""

import pytest

from planrail.base.records import replace
from planrail.tasks.model import Artifact, Task
from planrail.tasks.statuses import (
    BLOCKED,
    EVENTS,
    IN_FLIGHT,
    REOPEN,
    STATUSES,
    TERMINAL,
    Refuse,
    StatusMove,
    Stay,
    TaskPhase,
    decide_event,
    marker,
    move,
    open_phases,
)

_DONE = [TaskPhase("1", "Write it", "done", "proven"), TaskPhase("2", "Leave it", "skipped", "adopted")]
_STAGES = ("begin_research", "end_research", "begin_plan", "end_plan", "begin_implement", "block", "abandon", "expand")


def _task(status: str = "not_started", *types: str, before: str = "") -> Task:
    artifacts = tuple(Artifact(type_, f"specs/007_x/{type_}s/01_x.md", round=1) for type_ in types)
    return Task(7, "x", "X", status=status, artifacts=artifacts, before=before)


@pytest.mark.parametrize("event", _STAGES)
@pytest.mark.parametrize("status", [status for status in STATUSES if status not in (*TERMINAL, "blocked")])
def test_every_stage_may_begin_and_end_in_every_open_state(status: str, event: str) -> None:
    expected = Stay() if status == EVENTS[event] else StatusMove(EVENTS[event])
    assert decide_event(_task(status), event) == expected


@pytest.mark.parametrize("event", [*EVENTS, REOPEN])
@pytest.mark.parametrize("status", TERMINAL)
def test_a_closed_task_stays_closed_and_the_way_to_open_it_is_said(status: str, event: str) -> None:
    decision = decide_event(_task(status), event, _DONE)
    if EVENTS.get(event) == status:
        assert decision == Stay()
    else:
        assert decision == Refuse(f"task 7 is closed: it is {marker(status)}", "planrail task reopen 7 --force")


@pytest.mark.parametrize("event", [*EVENTS, REOPEN])
@pytest.mark.parametrize("status", STATUSES)
def test_what_is_forced_is_marked_exactly_where_it_would_have_been_refused(status: str, event: str) -> None:
    freely = decide_event(_task(status), event)
    forced = decide_event(_task(status), event, force=True)
    if isinstance(freely, Refuse):
        assert forced == Stay() or (isinstance(forced, StatusMove) and forced.is_forced)
    else:
        assert forced == freely


@pytest.mark.parametrize("event", ["interrupt", "offer"])
@pytest.mark.parametrize("status", ["not_started", "researching", "researched", "planning"])
def test_work_that_never_began_is_neither_partial_nor_offered(status: str, event: str) -> None:
    decision = decide_event(_task(status), event)
    assert isinstance(decision, Refuse)
    assert decision.remedy == "planrail task implement 7"


@pytest.mark.parametrize("event", ["begin_research", "begin_plan", "begin_implement", "complete"])
def test_what_a_person_blocked_begins_nothing_and_says_how_it_goes_on(event: str) -> None:
    decision = decide_event(_task("blocked"), event, _DONE)
    assert isinstance(decision, Refuse)
    assert decision.remedy == "planrail task reopen 7"


@pytest.mark.parametrize("event", ["end_research", "end_plan", "interrupt", "offer"])
def test_what_ends_while_a_task_is_blocked_leaves_it_blocked(event: str) -> None:
    assert decide_event(_task("blocked"), event) == Stay()


def test_a_task_is_completed_when_all_phases_are_finished_and_proven() -> None:
    assert decide_event(_task("implementing"), "complete", _DONE) == StatusMove("completed")


@pytest.mark.parametrize(
    "phase",
    [
        TaskPhase("2", "Test it", "todo"),
        TaskPhase("2", "Test it", "in_progress", "proven"),
        TaskPhase("2", "Test it", "done"),
        TaskPhase("2", "Test it", "done", "claimed"),
        TaskPhase("2", "Test it", "blocked", "proven"),
        TaskPhase("2", "Test it", "unknown"),
    ],
)
def test_a_task_with_an_open_or_unproven_phase_is_not_completed_and_the_phase_is_named(phase: TaskPhase) -> None:
    decision = decide_event(_task("implementing"), "complete", [_DONE[0], phase])
    assert isinstance(decision, Refuse)
    assert decision.phases == ("2",)
    assert "2 Test it" in decision.text
    assert "1 Write it" not in decision.text


@pytest.mark.parametrize(("phases", "said"), [(None, "no plan"), ([], "a plan without phases")])
def test_without_phases_nothing_proves_that_a_task_is_done(phases: list[TaskPhase] | None, said: str) -> None:
    decision = decide_event(_task("implementing"), "complete", phases)
    assert isinstance(decision, Refuse)
    assert said in decision.text
    assert decision.remedy == "planrail task plan 7"


@pytest.mark.parametrize(
    ("types", "status"),
    [
        ((), "not_started"),
        (("report",), "researched"),
        (("report", "plan"), "planned"),
        (("plan", "summary"), "planned"),
    ],
)
@pytest.mark.parametrize("closed", TERMINAL)
def test_a_closed_task_is_reopened_by_force_as_far_as_its_documents_go(
    closed: str, types: tuple[str, ...], status: str
) -> None:
    assert decide_event(_task(closed, *types), REOPEN, force=True) == StatusMove(status, is_forced=True)


@pytest.mark.parametrize(
    ("before", "status"),
    [
        ("researched", "researched"),
        ("partial", "partial"),
        ("pr_ready", "pr_ready"),
        ("implementing", "partial"),
        ("planning", "researched"),
        ("completed", "researched"),
        ("", "researched"),
        ("nonsense", "researched"),
    ],
)
def test_a_blocked_task_goes_back_to_where_it_was_at_rest(before: str, status: str) -> None:
    assert decide_event(_task(BLOCKED, "report", before=before), REOPEN) == StatusMove(status)


@pytest.mark.parametrize("status", [status for status in STATUSES if status not in (*TERMINAL, BLOCKED)])
def test_an_open_task_is_not_reopened_unless_somebody_insists(status: str) -> None:
    task = _task(status, "report")
    assert isinstance(decide_event(task, REOPEN), Refuse)
    forced = decide_event(task, REOPEN, force=True)
    assert forced == (Stay() if status == "researched" else StatusMove("researched", is_forced=True))


def test_a_stay_changes_nothing_and_a_move_says_when_and_in_whose_name() -> None:
    task = _task("planning")
    assert move(task, Stay(), at="now", session="s") is task
    moved = move(task, StatusMove("planned"), at="now", session="s")
    assert moved == replace(task, status="planned", last_updated="now", session_id="s")


def test_why_a_task_is_blocked_is_remembered_as_long_as_it_is() -> None:
    task = move(_task("planned"), StatusMove(BLOCKED), at="1", session="s", why="no key")
    assert (task.why, task.before) == ("no key", "planned")
    opened = move(task, StatusMove("planned"), at="2", session="s")
    assert (opened.why, opened.before) == ("", "")


def test_no_state_is_both_closed_and_in_flight_and_every_event_leads_to_a_state() -> None:
    assert not set(TERMINAL) & set(IN_FLIGHT)
    assert set(EVENTS.values()) <= set(STATUSES)
    assert len(STATUSES) == len(set(STATUSES)) == 12


def test_a_state_is_spelled_as_documents_do() -> None:
    assert [marker(status) for status in ("not_started", "pr_ready")] == ["NOT STARTED", "PR READY"]


def test_open_phases_are_those_that_are_not_finished_with_proof() -> None:
    phases = [*_DONE, TaskPhase("3", "", "done"), TaskPhase("4", "", "todo", "proven")]
    assert [phase.id for phase in open_phases(phases)] == ["3", "4"]
