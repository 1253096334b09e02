"""The queue in both databases: what becomes of a submission after its turn, and who may say so."""

import pytest

from planrail.base.errors import Held
from planrail.team import queue
from planrail.team.queue_rows import drop_worker, find_open, list_workers, save_worker
from planrail.team.queueing import (
    ENDED,
    HELD,
    LEASE,
    QUEUED,
    RESTING,
    STOPPING,
    TAKEN,
    Rest,
    ScheduleRow,
    Submission,
    WorkerRow,
    decide_rest,
)
from planrail.team.schedule_rows import list_schedules, put_schedule
from tests.postgres import database as database
from tests.postgres import postgres as postgres
from tests.store.queue_stage import Died, StageTables, finish, list_all, make_schedule, submit, take, taken
from tests.store.queue_stage import tables as tables

# ---- afterwards ----


@pytest.mark.full
@pytest.mark.parametrize(
    ("ending", "state"),
    [
        *((ending, ENDED) for ending in ("complete", "phase_done", "pr_ready", "failed", "stopped", "declined")),
        *((ending, RESTING) for ending in ("paused", "waiting")),
        *((ending, QUEUED) for ending in ("parked", "yielded", "not_begun", "interrupted")),
    ],
)
def test_each_ending_of_a_run_has_its_place(tables: StageTables, ending: str, state: str) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    rested = finish(tables, row, ending, tables.at + 1000)
    assert rested is not None
    assert (rested.state, rested.outcome, rested.worker, rested.run) == (state, ending, "", "r1")
    assert queue.find_submission(tables, "a") == rested


def test_beginnings_that_fail_are_tried_ever_later_and_not_for_ever(tables: StageTables) -> None:
    submit(tables, "a")
    pauses = []
    while (row := take(tables)) is not None:
        rested = finish(tables, row, "not_begun")
        assert rested is not None
        pauses.append(rested.due - tables.at)
        tables.at = max(tables.at, rested.due)
    assert pauses[:-1] == [5, 10, 20, 40, 80, 160, 320]
    last = queue.find_submission(tables, "a")
    assert last is not None
    assert (last.state, last.outcome) == (ENDED, "failed")
    assert "8 tries" in last.said


def test_a_turn_that_went_well_forgives_the_failed_beginnings(tables: StageTables) -> None:
    submit(tables, "a")
    for ending, tries in (("not_begun", 1), ("not_begun", 2), ("yielded", 0)):
        row = take(tables)
        assert row is not None
        rested = finish(tables, row, ending)
        assert rested is not None
        assert rested.tries == tries
        tables.at += 1000


def test_only_the_worker_that_has_it_renews_owns_and_gives_back(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    assert not queue.renew(tables, row.id, "w2")
    assert not queue.own(tables, row.id, "w2", "{}")
    assert queue.rest(tables, row.id, "w2", Rest(QUEUED, 0.0, "", "")) is None
    tables.at += 7
    assert queue.renew(tables, row.id, "w1") == TAKEN
    assert queue.own(tables, row.id, "w1", '{"pid": 7}')
    queue.name_run(tables, row.id, "r9")
    mine = queue.find_submission(tables, "a")
    assert mine is not None
    assert (mine.until, mine.owner, mine.run) == (tables.at + LEASE, '{"pid": 7}', "r9")


def test_a_process_keeps_its_submission_when_another_worker_adopts_it(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    assert queue.own(tables, row.id, "w1", '{"pid": 7}')
    queue.name_run(tables, row.id, "r5")
    (found,) = queue.list_taken(tables)
    assert found.run == "r5"
    assert queue.adopt(tables, found, "w2")
    assert not queue.adopt(tables, found, "w3"), "somebody else was first"
    assert queue.renew(tables, row.id, "w1") == ""
    assert queue.renew(tables, row.id, "w1", owner='{"pid": 7}') == TAKEN
    queue.ask_stop(tables, "a")
    assert queue.renew(tables, row.id, "w1", owner='{"pid": 7}') == STOPPING
    rest = decide_rest("phase_done", 0.0, now=tables.now(), tries=1)
    assert queue.rest(tables, row.id, "w1", rest, owner='{"pid": 7}') == queue.find_by_id(tables, row.id)
    assert queue.renew(tables, row.id, "w2") == ""


def test_what_has_another_process_or_is_over_by_now_is_not_adopted(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    queue.own(tables, row.id, "w1", '{"pid": 7}')
    assert not queue.adopt(tables, row, "w2"), "it was found with another process"
    (found,) = queue.list_taken(tables)
    finish(tables, row, "phase_done")
    assert not queue.adopt(tables, found, "w2"), "its process has put it back"


def test_a_worker_renews_what_it_works_on_and_sees_that_it_is_asked_to_stop(tables: StageTables) -> None:
    submit(tables, "a")
    submit(tables, "b")
    first, second = take(tables), take(tables)
    assert first is not None
    assert second is not None
    queue.ask_stop(tables, "a")
    tables.at += 9
    assert queue.renew(tables, first.id, "w1") == STOPPING
    renewed = queue.find_by_id(tables, first.id)
    assert renewed is not None
    assert renewed.until == tables.at + LEASE
    assert queue.find_by_id(tables, second.id) == second
    assert queue.renew(tables, second.id, "w2") == ""


def test_what_a_dead_worker_had_is_in_the_line_again_at_its_old_place(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    submit(tables, "b")
    assert row is not None
    assert queue.release_dead(tables, lambda row, now: row.until < now) == []
    tables.at += LEASE + 1
    (released,) = queue.release_dead(tables, lambda row, now: row.until < now)
    assert (released.state, released.tries, released.worker) == (QUEUED, 0, "")
    assert not queue.renew(tables, row.id, "w1"), "the dead worker was only slow, and is too late"
    assert finish(tables, row, "complete") is None
    assert taken(tables) == "a"


@pytest.mark.parametrize("meanwhile", ["renewed", "rested"])
def test_who_shows_up_before_its_submission_is_given_back_keeps_it(tables: StageTables, meanwhile: str) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    tables.at += LEASE + 1

    def show_up() -> None:
        if meanwhile == "renewed":
            queue.renew(tables, row.id, "w1")
        else:
            finish(tables, row, "paused")

    acting = [show_up]

    def is_dead(found: Submission, now: float) -> bool:
        lapsed = found.until < now
        if acting:
            acting.pop()()
        return lapsed

    assert queue.release_dead(tables, is_dead) == []
    left = queue.find_by_id(tables, row.id)
    assert left is not None
    assert left.state == (TAKEN if meanwhile == "renewed" else RESTING)


# ---- stopping ----


def test_a_stop_ends_what_waits_and_asks_what_runs_and_ends_the_schedule(tables: StageTables) -> None:
    for plan in ("runs", "waits", "rests"):
        submit(tables, plan, priority=1 if plan != "waits" else 0)
        put_schedule(tables, make_schedule(plan, next=tables.at + 1000))
    first, second = take(tables), take(tables)
    assert first is not None
    assert second is not None
    finish(tables, second, "paused")
    states = {row.plan: row.state for row in queue.ask_stop(tables, None)}
    assert states == {"runs": STOPPING, "waits": ENDED, "rests": ENDED}
    assert list_schedules(tables) == []
    assert queue.next_due(tables) is None


def test_a_stop_of_one_plan_leaves_the_others(tables: StageTables) -> None:
    for plan in ("a", "b"):
        submit(tables, plan)
        put_schedule(tables, make_schedule(plan, next=tables.at + 1000))
    queue.ask_stop(tables, "a")
    assert [row.plan for row in queue.list_submissions(tables)] == ["b"]
    assert [row.plan for row in list_schedules(tables)] == ["b"]


@pytest.mark.parametrize("ending", ["yielded", "parked", "paused", "not_begun", "interrupted"])
def test_a_stop_is_not_undone_by_how_the_run_rests(tables: StageTables, ending: str) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    queue.ask_stop(tables, "a")
    rested = finish(tables, row, ending)
    assert rested is not None
    assert (rested.state, rested.outcome) == (ENDED, "stopped")


def test_a_stop_is_not_undone_by_the_death_of_the_worker(tables: StageTables) -> None:
    submit(tables, "a")
    take(tables)
    queue.ask_stop(tables, "a")
    (released,) = queue.release_dead(tables, lambda row, now: True)
    assert (released.state, released.outcome) == (ENDED, "stopped")


def test_a_run_that_was_complete_before_it_heard_of_the_stop_is_complete(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    queue.ask_stop(tables, "a")
    rested = finish(tables, row, "complete")
    assert rested is not None
    assert rested.outcome == "complete"


def test_what_waits_can_be_removed_and_what_runs_cannot(tables: StageTables) -> None:
    submit(tables, "a")
    put_schedule(tables, make_schedule("a", next=tables.at + 1000))
    gone = queue.remove(tables, "a")
    assert gone is not None
    assert (gone.state, gone.outcome) == (ENDED, "removed")
    assert len(list_schedules(tables)) == 1
    assert queue.remove(tables, "a") is None
    submit(tables, "b")
    take(tables)
    with pytest.raises(Held):
        queue.remove(tables, "b")


def test_a_priority_that_is_changed_changes_the_line(tables: StageTables) -> None:
    submit(tables, "a")
    submit(tables, "b")
    assert queue.set_priority(tables, "b", 3) is not None
    assert queue.set_priority(tables, "none", 3) is None
    assert [row.plan for row in queue.list_submissions(tables)] == ["b", "a"]


# ---- schedules of a plan that ran ----


def test_a_complete_plan_ends_its_schedule_and_a_failed_run_holds_it(tables: StageTables) -> None:
    for plan, ending in (("a", "complete"), ("b", "failed"), ("c", "phase_done")):
        put_schedule(tables, make_schedule(plan, next=tables.at + 1e6))
        submit(tables, plan)
        row = take(tables)
        assert row is not None
        finish(tables, row, ending)
    states = {row.plan: (row.state, row.why) for row in list_all(tables)[1]}
    assert states == {"a": (ENDED, "the plan is complete"), "b": (HELD, "failed"), "c": ("active", "")}


def test_a_schedule_that_was_written_while_a_run_went_on_is_not_held_by_it(tables: StageTables) -> None:
    put_schedule(tables, make_schedule("a", next=tables.at + 1e6))
    submit(tables, "a")
    row = take(tables)
    assert row is not None
    tables.at += 1
    new = put_schedule(tables, make_schedule("a", next=tables.at + 2e6))
    finish(tables, row, "failed")
    assert find_open(tables, ScheduleRow, tables.repository, "a") == new


# ---- steps are whole ----


def test_a_step_that_dies_in_the_middle_leaves_nothing_behind(tables: StageTables) -> None:
    for plan in ("a", "b"):
        submit(tables, plan)
        put_schedule(tables, make_schedule(plan, next=tables.at + 1e6))
    take(tables)
    before = list_all(tables)
    deaths = 0
    while True:
        tables.dies_in = deaths + 1
        try:
            queue.ask_stop(tables, None)
            break
        except Died:
            deaths += 1
            assert list_all(tables) == before
    assert deaths > 4
    assert tables.woken > 0


# ---- workers ----


def test_workers_show_themselves_and_leave(tables: StageTables) -> None:
    worker = WorkerRow("w1", "host", 7, "{}", 4, version="1")
    seen = save_worker(tables, worker)
    tables.at += 5
    again = save_worker(tables, WorkerRow("w1", "host", 7, "{}", 4, busy=2, version="1"))
    assert (seen.seen, again.seen) == (1_000_000.0, 1_000_005.0)
    assert list_workers(tables) == [again]
    drop_worker(tables, "w1")
    assert list_workers(tables) == []
