"""The queue in both databases: what becomes of a submission after its turn, and who may say so."""

import pytest

from planrail.base.errors import Held
from planrail.store.claim_rules import LEASE
from planrail.team.dispatch import Dispatch
from planrail.team.queue_rows import find_open
from planrail.team.queueing import (
    ENDED,
    HELD,
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
from tests.store.queue_stage import Died, StageTables, finish, give_sign, list_all, make_schedule, submit, take, taken
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
        assert Dispatch(tables).find_by_id(rested.id) == rested


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
    last = Dispatch(tables).find_submission("a")
    assert last is not None
    assert (last.state, last.outcome) == (ENDED, "failed")
    assert "8 tries" in last.said


def test_only_the_worker_that_has_it_owns_it_and_gives_it_back(tables: StageTables) -> None:
    row, other = took(tables, "a"), took(tables, "b")
    assert not Dispatch(tables).own(row.id, "w2", "{}")
    assert Dispatch(tables).rest(row.id, "w2", Rest(QUEUED, 0.0, "", "")) is None
    assert Dispatch(tables).own(row.id, "w1", '{"pid": 7}')
    Dispatch(tables).name_run(row.id, "r9")
    mine = Dispatch(tables).find_submission("a")
    assert mine is not None
    assert (mine.owner, mine.run) == ('{"pid": 7}', "r9")
    assert Dispatch(tables).find_by_id(other.id) == other


def test_a_process_keeps_its_submission_when_another_worker_adopts_it(tables: StageTables) -> None:
    row = took(tables, "a")
    assert Dispatch(tables).own(row.id, "w1", '{"pid": 7}')
    assert not Dispatch(tables).adopt(row, "w2"), "it was found with another process"
    Dispatch(tables).name_run(row.id, "r5")
    (found,) = Dispatch(tables).list_taken()
    assert found.run == "r5"
    assert Dispatch(tables).adopt(found, "w2")
    assert not Dispatch(tables).adopt(found, "w3"), "somebody else was first"
    rest = decide_rest("phase_done", 0.0, now=tables.now(), tries=1)
    assert Dispatch(tables).rest(row.id, "w1", rest) is None
    assert Dispatch(tables).rest(row.id, "w1", rest, owner='{"pid": 7}') == Dispatch(tables).find_by_id(row.id)
    assert not Dispatch(tables).adopt(found, "w2"), "its process has put it back"


def test_what_a_dead_worker_had_is_in_the_line_again_at_its_old_place(tables: StageTables) -> None:
    submit(tables, "a")
    row = take(tables)
    submit(tables, "b")
    assert row is not None
    assert Dispatch(tables).release_dead(_is_lapsed) == []
    tables.at += LEASE + 1
    (released,) = Dispatch(tables).release_dead(_is_lapsed)
    assert (released.state, released.tries, released.worker) == (QUEUED, 0, "")
    assert finish(tables, row, "complete") is None, "the dead worker was only slow, and is too late"
    assert taken(tables) == "a"


def _is_lapsed(row: Submission, *, is_lapsed: bool) -> bool:
    return is_lapsed


def test_one_sign_of_life_is_for_all_that_a_worker_has(tables: StageTables) -> None:
    for plan in ("a", "b"):
        submit(tables, plan)
        take(tables)
    tables.at += LEASE + 1
    give_sign(tables)
    assert Dispatch(tables).release_dead(_is_lapsed) == []


def test_while_leases_may_not_be_judged_nobody_is_dead_by_one(tables: StageTables) -> None:
    submit(tables, "a")
    take(tables)
    tables.at += LEASE + 1
    tables.may_judge = False
    assert Dispatch(tables).release_dead(_is_lapsed, with_lapsed=True) == []
    Dispatch(tables).drop_worker("w1")
    assert Dispatch(tables).release_dead(_is_lapsed, with_lapsed=True) == []


@pytest.mark.parametrize("meanwhile", ["signed", "rested"])
def test_who_shows_up_before_its_submission_is_given_back_keeps_it(tables: StageTables, meanwhile: str) -> None:
    row = took(tables, "a")
    tables.at += LEASE + 1

    def show_up() -> None:
        if meanwhile == "signed":
            give_sign(tables)
        else:
            finish(tables, row, "paused")

    acting = [show_up]

    def is_dead(found: Submission, *, is_lapsed: bool) -> bool:
        if acting:
            acting.pop()()
        return is_lapsed

    assert Dispatch(tables).release_dead(is_dead) == []
    left = Dispatch(tables).find_by_id(row.id)
    assert left is not None
    assert left.state == (TAKEN if meanwhile == "signed" else RESTING)


# ---- stopping ----


def test_a_stop_ends_what_waits_and_asks_what_runs_and_ends_the_schedule(tables: StageTables) -> None:
    for plan in ("runs", "waits", "rests"):
        submit(tables, plan, priority=1 if plan != "waits" else 0)
        Dispatch(tables).put_schedule(make_schedule(plan, next=tables.at + 1000))
    first, second = take(tables), take(tables)
    assert first is not None
    assert second is not None
    finish(tables, second, "paused")
    assert [row.plan for row in Dispatch(tables).ask_stop("rests")] == ["rests"]
    assert {row.plan: row.state for row in Dispatch(tables).list_submissions()} == {"runs": TAKEN, "waits": QUEUED}
    assert sorted(row.plan for row in Dispatch(tables).list_schedules()) == ["runs", "waits"]
    states = {row.plan: row.state for row in Dispatch(tables).ask_stop(None)}
    assert states == {"runs": STOPPING, "waits": ENDED}
    assert Dispatch(tables).list_schedules() == []
    assert Dispatch(tables).next_due() is None


def test_a_stop_stands_however_the_run_rests_or_dies_unless_it_is_over(tables: StageTables) -> None:
    for ending in ("yielded", "parked", "paused", "not_begun", "interrupted", "complete"):
        row = took(tables, ending)
        Dispatch(tables).ask_stop(ending)
        rested = finish(tables, row, ending)
        assert rested is not None
        assert (rested.state, rested.outcome) == (ENDED, "complete" if ending == "complete" else "stopped")
    took(tables, "dies")
    Dispatch(tables).ask_stop("dies")
    (released,) = Dispatch(tables).release_dead(lambda row, is_lapsed: True)
    assert (released.state, released.outcome) == (ENDED, "stopped")


def test_what_waits_can_be_removed_and_what_runs_cannot(tables: StageTables) -> None:
    submit(tables, "a")
    Dispatch(tables).put_schedule(make_schedule("a", next=tables.at + 1000))
    gone = Dispatch(tables).remove("a")
    assert gone is not None
    assert (gone.state, gone.outcome) == (ENDED, "removed")
    assert len(Dispatch(tables).list_schedules()) == 1
    assert Dispatch(tables).remove("a") is None
    submit(tables, "b")
    take(tables)
    with pytest.raises(Held):
        Dispatch(tables).remove("b")


# ---- schedules of a plan that ran ----


def test_a_complete_plan_ends_its_schedule_and_a_failed_run_holds_it(tables: StageTables) -> None:
    for plan, ending in (("a", "complete"), ("b", "failed"), ("c", "phase_done")):
        Dispatch(tables).put_schedule(make_schedule(plan, next=tables.at + 1e6))
        finish(tables, took(tables, plan), ending)
    states = {row.plan: (row.state, row.why) for row in list_all(tables)[1]}
    assert states == {"a": (ENDED, "the plan is complete"), "b": (HELD, "failed"), "c": ("active", "")}
    row = took(tables, "c")
    tables.at += 1
    new = Dispatch(tables).put_schedule(make_schedule("c", next=tables.at + 2e6))
    finish(tables, row, "failed")
    assert find_open(tables, ScheduleRow, tables.repository, "c") == new, "it was written while the run went on"


# ---- steps are whole ----


def test_a_step_that_dies_in_the_middle_leaves_nothing_behind(tables: StageTables) -> None:
    for plan in ("a", "b"):
        submit(tables, plan)
        Dispatch(tables).put_schedule(make_schedule(plan, next=tables.at + 1e6))
    take(tables)
    before = list_all(tables)
    tables.woken.clear()
    deaths = 0
    while True:
        tables.dies_in = deaths + 1
        try:
            Dispatch(tables).ask_stop(None)
            break
        except Died:
            deaths += 1
            assert list_all(tables) == before
    assert deaths > 4
    assert set(tables.woken) == {"w1"}


# ---- workers ----


def test_workers_show_themselves_and_leave(tables: StageTables) -> None:
    worker = WorkerRow("w1", "host", 7, "{}", 4, version="1")
    seen = Dispatch(tables).save_worker(worker)
    tables.at += 5
    again = Dispatch(tables).save_worker(WorkerRow("w1", "host", 7, "{}", 4, busy=2, version="1"))
    assert (seen.seen, again.seen) == (1_000_000.0, 1_000_005.0)
    assert Dispatch(tables).list_workers() == [again]
    Dispatch(tables).drop_worker("w1")
    assert Dispatch(tables).list_workers() == []
