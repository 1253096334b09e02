"""What is refused with which advice, and where a task goes back to. `test_task_machine` walks through the whole table."""

import pytest

from planrail.base.records import replace
from planrail.tasks.model import Artifact, Task
from planrail.tasks.statuses import (
    BLOCKED,
    EVENTS,
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
)

_DONE = [TaskPhase("1", "Write it", "done", "proven"), TaskPhase("2", "Leave it", "skipped", "adopted")]


def _task(status: str = "not_started", *types: str, before: str = "") -> Task:
    artifacts = tuple(Artifact(type_, f"specs/007_x/{type_}s/01_x.md", round=1) for type_ in types)
    return Task(7, "x", "X", status=status, artifacts=artifacts, before=before)


@pytest.mark.parametrize("status", TERMINAL)
def test_a_closed_task_stays_closed_and_the_way_to_open_it_is_said(status: str) -> None:
    for event in (*EVENTS, REOPEN):
        if EVENTS.get(event) != status:
            refused = Refuse(f"task 7 is closed: it is {marker(status)}", "planrail task reopen 7 --force")
            assert decide_event(_task(status), event, _DONE) == refused


@pytest.mark.parametrize(
    ("status", "event", "remedy"),
    [
        ("planning", "interrupt", "planrail task implement 7"),
        ("not_started", "offer", "planrail task implement 7"),
        ("blocked", "begin_plan", "planrail task reopen 7"),
        ("blocked", "complete", "planrail task reopen 7"),
        ("planned", REOPEN, "planrail task show 7"),
    ],
)
def test_what_cannot_happen_says_what_can(status: str, event: str, remedy: str) -> None:
    decision = decide_event(_task(status), event, _DONE)
    assert isinstance(decision, Refuse)
    assert decision.remedy == remedy


@pytest.mark.parametrize(
    ("phase", "said", "remedy"),
    [
        (TaskPhase("2", "Test it", "in_progress", "proven"), "2 Test it (in progress)", "implement 7"),
        (TaskPhase("2", "Test it", "done", "claimed"), "2 Test it (done, but proven by nobody)", "implement 7"),
        (TaskPhase("2", "", "skipped"), "2 (skipped by a mark", 'complete 7 --force --why "TEXT"'),
    ],
)
def test_a_task_with_an_open_or_unproven_phase_is_not_completed_and_the_phase_is_named(
    phase: TaskPhase, said: str, remedy: str
) -> None:
    decision = decide_event(_task("implementing"), "complete", [_DONE[0], phase])
    assert isinstance(decision, Refuse)
    assert (decision.phases, decision.remedy) == (("2",), f"planrail task {remedy}")
    assert said in decision.text
    assert "1 Write it" not in decision.text


@pytest.mark.parametrize(
    ("phases", "said", "remedy"),
    [
        (None, "no plan", "plan 7"),
        ([], "a plan without phases", "plan 7"),
        (_DONE[1:], "was skipped", "abandon 7"),
    ],
)
def test_without_phases_nothing_proves_that_a_task_is_done(
    phases: list[TaskPhase] | None, said: str, remedy: str
) -> None:
    decision = decide_event(_task("implementing"), "complete", phases)
    assert isinstance(decision, Refuse)
    assert said in decision.text
    assert decision.remedy == f"planrail task {remedy}"


@pytest.mark.parametrize(
    ("types", "status"),
    [((), "not_started"), (("report",), "researched"), (("report", "plan"), "planned"), (("summary",), "not_started")],
)
def test_a_task_is_reopened_by_force_as_far_as_its_documents_go(types: tuple[str, ...], status: str) -> None:
    for before in STATUSES:
        moved = decide_event(_task(before, *types), REOPEN, force=True)
        is_forced = before != BLOCKED
        assert moved == (Stay() if status == before else StatusMove(status, is_forced=is_forced))


@pytest.mark.parametrize(
    ("before", "status"),
    [
        ("pr_ready", "pr_ready"),
        ("implementing", "partial"),
        ("planning", "researched"),
        ("completed", "researched"),
        ("nonsense", "researched"),
    ],
)
def test_a_blocked_task_goes_back_to_where_it_was_at_rest(before: str, status: str) -> None:
    assert decide_event(_task(BLOCKED, "report", before=before), REOPEN) == StatusMove(status)


def test_a_move_says_when_and_in_whose_name_and_why_a_task_is_blocked_as_long_as_it_is() -> None:
    task = _task("planning")
    moved = move(task, StatusMove("planned"), at="now", session="s")
    assert moved == replace(task, status="planned", last_updated="now", session_id="s")
    blocked = move(moved, StatusMove(BLOCKED), at="1", session="s", why="no key")
    assert (blocked.why, blocked.before) == ("no key", "planned")
    opened = move(blocked, StatusMove("planned"), at="2", session="s")
    assert (opened.why, opened.before) == ("", "")
