"""What is planned for a plan beside its run: its schedule, and its place in the queue."""

from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Order
from planrail.store.ledger import open_store, open_tables
from planrail.store.runs.run_folders import WAITING
from planrail.store.tables import Tables
from planrail.team import queue, schedule_rows
from planrail.team.queueing import ENDED, QUEUED, RESTING, STOPPING, ScheduleRow, Submission
from planrail.team.scheduling import note_next_time
from planrail.team.submitting import wake_up
from planrail.team.waking import wake_workers


@record
class Planned:
    """The schedules and submissions that are not ended; and the last one, where it failed before a run began."""

    schedules: list[ScheduleRow]
    submissions: list[Submission]
    failed: Submission | None = None


def read_planned(root: str, plan: str | None = None) -> Planned:
    """What is planned in a repository, or for one plan. Where there is no ledger, nothing is, and none is made."""
    if not open_store(root).has_rows():
        return Planned([], [])
    with open_tables(root) as tables:
        rows = [row for row in queue.list_submissions(tables) if plan in (None, row.plan)]
        last = queue.find_submission(tables, plan) if plan is not None else None
        has_failed = last is not None and last.state == ENDED and last.outcome == "failed" and not last.run
        return Planned(schedule_rows.list_schedules(tables, plan), rows, last if has_failed else None)


def end_planned(root: str, plan: str | None) -> Planned:
    """End the schedules, take what waits out of the queue, and ask for the end of what a worker has; as one step."""
    if not open_store(root).has_rows():
        return Planned([], [])
    with open_tables(root) as tables:
        with tables.exclusive():
            schedules = schedule_rows.list_schedules(tables, plan)
            submissions = queue.ask_stop(tables, plan)
        if submissions:
            wake_up(tables)
    return Planned(schedules, [row for row in submissions if row.state in (ENDED, STOPPING)])


def _drop_waiting(tables: Tables, plan: str) -> None:
    """What waited for this run to go on waits for nothing any more."""
    known = queue.find_submission(tables, plan)
    if known is not None and known.state in (QUEUED, RESTING):
        queue.remove(tables, plan)


def follow_ending(order: Order, ending: Ending, submission: Submission | None) -> Ending:
    """What the end of a run in the foreground does to what is planned for its plan; the ending with its next time.

    A complete plan needs no schedule; a failed run holds it. One that is parked is left to the worker, which goes on
    with it when the limit has passed: `submission` says how that would be submitted.
    """
    with open_tables(order.root) as tables:
        schedule_rows.settle_schedule(tables, order.plan, ending.state, ending.text, began=float(order.began))
        if ending.state not in (*WAITING, "interrupted"):
            _drop_waiting(tables, order.plan)
        then = note_next_time(tables, tables.repository, order.plan)
        told = replace(ending, text=f"{ending.text}; {then}") if then else ending
        if ending.state != "parked" or submission is None or not ending.until:
            return told
        with tables.exclusive():
            known = queue.find_submission(tables, order.plan)
            if known is None or known.state == ENDED:
                queue.submit(tables, replace(submission, run=order.run, state=QUEUED, due=float(ending.until)))

    wake_workers()
    return told
