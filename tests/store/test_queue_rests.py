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
from tests.store.queue_stage import Died, StageTables, finish, list_all, make_schedule, submit, take, taken
from tests.store.queue_stage import tables as tables

# ---- afterwards ----


def took(tables: StageTables, plan: str) -> Submission:
    """A plan that was submitted, and that the worker `w1` has taken."""
    submit(tables, plan)
    row = take(tables)
    assert row is not None
    assert row.plan == plan
    return row


def test_each_ending_of_a_run_has_its_place(tables: StageTables) -> None:
    endings = {
        **dict.fromkeys(("complete", "phase_done", "pr_ready", "failed", "stopped", "declined"), ENDED),
        **dict.fromkeys(("paused", "waiting"), RESTING),
        **dict.fromkeys(("parked", "yielded", "not_begun", "interrupted"), QUEUED),
    }
    rows = {ending: took(tables, ending) for ending in endings}
    for ending, state in endings.items():
        rested = finish(tables, rows[ending], ending, tables.at + 1000)
        assert rested is not None
        assert (rested.state, rested.outcome, rested.worker, rested.run) == (state, ending, "", "r1")
        assert queue.find_by_id(tables, rested.id) == rested


def test_beginnings_that_fail_are_tried_ever_later_and_not_for_ever(tables: StageTables) -> None:
    submit(tables, "a")
    pauses = []
    while (row := take(tables)) is not None:
        rested = finish(tables, row, "not_begun")
        assert rested is not None
        pauses.append(rested.due - tables.at)
        assert rested.tries == len(pauses) % 8
        tables.at = max(tables.at, rested.due)
    assert pauses[:-1] == [5, 10, 20, 40, 80, 160, 320]
    last = queue.find_submission(tables, "a")
    assert last is not None
    assert (last.state, last.outcome) == (ENDED, "failed")
    assert "8 tries" in last.said


def test_only_the_worker_that_has_it_renews_owns_and_gives_back(tables: StageTables) -> None:
    row, other = took(tables, "a"), took(tables, "b")
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
    assert queue.find_by_id(tables, other.id) == other


def test_a_process_keeps_its_submission_when_another_worker_adopts_it(tables: StageTables) -> None:
    row = took(tables, "a")
    assert queue.own(tables, row.id, "w1", '{"pid": 7}')
    assert not queue.adopt(tables, row, "w2"), "it was found with another process"
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
    assert not queue.adopt(tables, found, "w2"), "its process has put it back"


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
    row = took(tables, "a")
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
    assert [row.plan for row in queue.ask_stop(tables, "rests")] == ["rests"]
    assert {row.plan: row.state for row in queue.list_submissions(tables)} == {"runs": TAKEN, "waits": QUEUED}
    assert sorted(row.plan for row in list_schedules(tables)) == ["runs", "waits"]
    states = {row.plan: row.state for row in queue.ask_stop(tables, None)}
    assert states == {"runs": STOPPING, "waits": ENDED}
    assert list_schedules(tables) == []
    assert queue.next_due(tables) is None


def test_a_stop_stands_however_the_run_rests_or_dies_unless_it_is_over(tables: StageTables) -> None:
    for ending in ("yielded", "parked", "paused", "not_begun", "interrupted", "complete"):
        row = took(tables, ending)
        queue.ask_stop(tables, ending)
        rested = finish(tables, row, ending)
        assert rested is not None
        assert (rested.state, rested.outcome) == (ENDED, "complete" if ending == "complete" else "stopped")
    took(tables, "dies")
    queue.ask_stop(tables, "dies")
    (released,) = queue.release_dead(tables, lambda row, now: True)
    assert (released.state, released.outcome) == (ENDED, "stopped")


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


# ---- schedules of a plan that ran ----


def test_a_complete_plan_ends_its_schedule_and_a_failed_run_holds_it(tables: StageTables) -> None:
    for plan, ending in (("a", "complete"), ("b", "failed"), ("c", "phase_done")):
        put_schedule(tables, make_schedule(plan, next=tables.at + 1e6))
        finish(tables, took(tables, plan), ending)
    states = {row.plan: (row.state, row.why) for row in list_all(tables)[1]}
    assert states == {"a": (ENDED, "the plan is complete"), "b": (HELD, "failed"), "c": ("active", "")}
    row = took(tables, "c")
    tables.at += 1
    new = put_schedule(tables, make_schedule("c", next=tables.at + 2e6))
    finish(tables, row, "failed")
    assert find_open(tables, ScheduleRow, tables.repository, "c") == new, "it was written while the run went on"


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
