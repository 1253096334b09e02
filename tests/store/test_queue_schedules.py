"""Schedules in both databases: nothing is lost, nothing is doubled, and a stop stays a stop."""

import pytest

from planrail.runs.request.requests import RunRequest
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import ACTIVE, ENDED, HELD, Rest, ScheduleRow, SubmissionRequest
from tests.store.queue_stage import Died, StageTables, list_all, make, make_schedule
from tests.store.queue_stage import tables as tables

HOUR = 3600.0


def end_run(tables: StageTables, outcome: str = "phase_done") -> None:
    row = Dispatch(tables).take("w", "{}", "here")
    assert row is not None
    Dispatch(tables).rest(row.id, "w", Rest(ENDED, 0.0, "so it ended", outcome))


def put(tables: StageTables, plan: str = "plan", **fields: object) -> float:
    """A schedule whose first time is the next full hour, which is returned."""
    first = (tables.at // HOUR + 1) * HOUR
    Dispatch(tables).put_schedule(make_schedule(plan, next=first, **fields))
    return first


def hold(tables: StageTables) -> ScheduleRow:
    """A run that was asked for after the schedule has failed: it is held."""
    held = Dispatch(tables).settle_schedule(tables.repository, "plan", "failed", "a check failed", began=tables.at)
    assert held is not None
    return held


def test_a_time_that_has_come_submits_the_plan_once_and_moves_on(tables: StageTables) -> None:
    first = put(tables, created_by="me", remote="git@h:o/n", host="here", root="/r", target="refs/heads/main")
    assert Dispatch(tables).fire_due() == []
    tables.at = first
    (fired,) = Dispatch(tables).fire_due()
    (schedule,) = Dispatch(tables).list_schedules()
    assert fired.id == f"fire-{schedule.id}-{int(first)}"
    assert (fired.remote, fired.root, fired.host, fired.target) == ("git@h:o/n", "/r", "here", "refs/heads/main")
    assert (schedule.next, schedule.last) == (first + HOUR, first)
    assert Dispatch(tables).fire_due() == []
    assert Dispatch(tables).find_submission("plan") == fired


def test_a_time_that_comes_while_the_plan_runs_is_absorbed_and_noted(tables: StageTables) -> None:
    first = put(tables)
    Dispatch(tables).submit(make())
    tables.at = first
    assert Dispatch(tables).fire_due() == []
    (schedule,) = Dispatch(tables).list_schedules()
    assert schedule.next == first + HOUR
    assert "being run" in schedule.why
    end_run(tables)
    tables.at = first + HOUR
    assert len(Dispatch(tables).fire_due()) == 1
    assert Dispatch(tables).list_schedules()[0].why == ""


def test_a_single_time_ends_with_its_firing(tables: StageTables) -> None:
    Dispatch(tables).put_schedule(make_schedule(kind="once", cron="1970-01-12T14:46:40+00:00", next=1_003_600.0))
    tables.at = 1_003_600.0
    assert len(Dispatch(tables).fire_due()) == 1
    assert Dispatch(tables).list_schedules() == []
    assert list_all(tables)[1][0].state == ENDED
    Dispatch(tables).put_schedule(make_schedule(kind="once", cron="1970-01-12T14:46:40+00:00", next=1_007_200.0))
    Dispatch(tables).note_fired(Dispatch(tables).list_schedules()[0])
    assert Dispatch(tables).list_schedules() == [], "so it does when it is run before its time"


def test_a_held_schedule_says_why_and_does_not_fire(tables: StageTables) -> None:
    first = put(tables)
    held = hold(tables)
    assert (held.state, held.why) == (HELD, "a check failed")
    tables.at = first
    assert Dispatch(tables).fire_due() == []
    assert Dispatch(tables).next_due() is None
    assert Dispatch(tables).list_schedules() == [held]
    wish = SubmissionRequest(RunRequest("plan.md", auto=True), {"agent": "claude"})
    new = Dispatch(tables).put_schedule(make_schedule(next=5e6, expression="day at 9am", wish=wish, created_by="me"))
    assert Dispatch(tables).list_schedules() == [new], "another one takes its place"
    assert (new.repository, new.state, new.created, new.wish) == (tables.repository, ACTIVE, tables.at, wish)
    assert new.id != held.id


def test_a_run_that_began_in_the_second_of_its_schedule_holds_it(tables: StageTables) -> None:
    tables.at += 0.7
    put(tables)
    held = Dispatch(tables).settle_schedule(
        tables.repository, "plan", "failed", "a check failed", began=float(int(tables.at))
    )
    assert held is not None
    assert (held.state, held.why) == (HELD, "a check failed")


def test_a_firing_has_the_priority_and_the_account_that_the_plan_had(tables: StageTables) -> None:
    Dispatch(tables).submit(make(priority=4, account="claude"))
    end_run(tables)
    tables.at = put(tables)
    (fired,) = Dispatch(tables).fire_due()
    assert (fired.priority, fired.account) == (4, "claude")


@pytest.mark.parametrize(
    "broken", [{"zone": "Nowhere/Land"}, {"cron": "not cron"}, {"kind": "moon"}, {"kind": "once", "cron": "soon"}]
)
def test_a_row_that_makes_no_sense_is_held_and_stops_no_other(tables: StageTables, broken: dict[str, object]) -> None:
    put(tables, "broken", **broken)
    tables.at = put(tables, "fine")
    assert [row.plan for row in Dispatch(tables).fire_due()] == ["fine"]
    (held,) = Dispatch(tables).list_schedules("broken")
    assert held.state == HELD
    assert held.why


def test_firing_dies_at_any_statement_and_is_done_once_all_the_same(tables: StageTables) -> None:
    tables.at = max(put(tables, "a"), put(tables, "b"))
    deaths, fired = 0, None
    while fired is None:
        tables.dies_in = deaths + 1
        try:
            fired = Dispatch(tables).fire_due()
        except Died:
            deaths += 1
            assert list_all(tables)[0] == []
    assert deaths > 6
    assert sorted(row.plan for row in fired) == ["a", "b"]
    tables.dies_in = 0
    assert Dispatch(tables).fire_due() == []
