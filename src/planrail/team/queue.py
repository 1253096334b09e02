"""The queue: plans that shall run, served by workers. Each change is one step under a lock that all writers share.

The rules are in `team.queueing`; here they meet the rows, the same in the embedded ledger and in a team's database.
"""

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import replace
from planrail.store.tables import STOP, Tables
from planrail.team import queueing
from planrail.team.queue_limits import hold_account as hold_account
from planrail.team.queue_limits import list_limits as list_limits
from planrail.team.queue_limits import set_limit as set_limit
from planrail.team.queue_rows import (
    add_submission,
    change_submission,
    find_last,
    find_open,
    name_new,
    open_rows,
    read_submissions,
)
from planrail.team.queue_work import IN_LINE
from planrail.team.queue_work import adopt as adopt
from planrail.team.queue_work import find_by_id as find_by_id
from planrail.team.queue_work import find_many as find_many
from planrail.team.queue_work import list_lapsed as list_lapsed
from planrail.team.queue_work import list_taken as list_taken
from planrail.team.queue_work import name_run as name_run
from planrail.team.queue_work import next_due as next_due
from planrail.team.queue_work import own as own
from planrail.team.queue_work import release_dead as release_dead
from planrail.team.queue_work import renew as renew
from planrail.team.queue_work import rest as rest
from planrail.team.queue_work import take as take
from planrail.team.queue_work import take_up as take_up
from planrail.team.queue_work import wants_turn as wants_turn
from planrail.team.queueing import AT_WORK, QUEUED, RESTING, Insert, Refused, Same, Submission, Wake
from planrail.team.schedule_rows import end_schedules

# ---- what people ask for ----


def submit(tables: Tables, submission: Submission) -> Submission:
    """Put a plan into the queue. The same wish again returns what is there; another one raises `Held`.

    One that rests, waiting for a person, goes on with this wish.
    """
    wanted = replace(submission, id=submission.id or name_new(), repository=submission.repository or tables.repository)
    with tables.exclusive():
        existing = find_open(tables, wanted.repository, wanted.plan)
        decision = queueing.decide_submit(existing, wanted, tables.now())
        if isinstance(decision, Refused):
            raise _held(decision)
        if isinstance(decision, Same):
            return decision.existing
        _apply_submit(tables, existing, decision)
        tables.notify()
    return decision.submission


def wake(tables: Tables, plan: str, *, is_answered: bool = False) -> Submission | None:
    """Let a plan go on that rests or is parked; None where it has no submission of that kind.

    With `is_answered` its next turn finds the option `queueing.ANSWERED` in the wish: a person said yes.
    """
    with tables.exclusive():
        found = find_open(tables, tables.repository, plan)
        if found is None or found.state not in (QUEUED, RESTING):
            return None
        woken = change_submission(tables, found, queueing.wake(found, is_answered=is_answered))
        tables.notify()
    return woken


def ask_stop(tables: Tables, plan: str | None) -> list[Submission]:
    """Stop a plan, or all of this repository: what waits is ended, what runs is asked to, schedules are ended."""
    with tables.exclusive():
        where, values = open_rows(tables, plan)
        found = read_submissions(tables, f"{where} {IN_LINE}", *values)
        stopped = [change_submission(tables, row, queueing.decide_stop(row)) for row in found]
        end_schedules(tables, plan, "stopped")
        tables.notify(STOP)
    return stopped


def remove(tables: Tables, plan: str) -> Submission | None:
    """Take a plan out of the queue; its schedule stays. Raises `Held` where it runs."""
    with tables.exclusive():
        found = find_open(tables, tables.repository, plan)
        if found is None:
            return None
        if found.state in AT_WORK:
            raise Held(f"{found.path} is running", remedy=f"planrail stop {found.path}")
        gone = replace(queueing.decide_stop(found), said="removed", outcome=queueing.REMOVED)
        return change_submission(tables, found, gone)


def set_priority(tables: Tables, plan: str, priority: int) -> Submission | None:
    """Give a plan that is not ended another priority: the greater ones are served first."""
    with tables.exclusive():
        found = find_open(tables, tables.repository, plan)
        if found is None:
            return None
        changed = change_submission(tables, found, replace(found, priority=priority))
        tables.notify()
    return changed


def list_submissions(tables: Tables, *, all: bool = False) -> list[Submission]:
    """The submissions that are not ended (or all), in the order of the line."""
    where, values = open_rows(tables, None)
    if all:
        where = where.replace("state <> 'ended'", "1 = 1", 1)
    return read_submissions(tables, f"{where} {IN_LINE}", *values)


def find_submission(tables: Tables, plan: str) -> Submission | None:
    """The submission of a plan: the one that is not ended, else the last."""
    repository = tables.repository
    return find_open(tables, repository, plan) or find_last(tables, repository, plan)


def _apply_submit(tables: Tables, existing: Submission | None, decision: Insert | Wake) -> None:
    if existing is not None:
        change_submission(tables, existing, decision.submission)
    elif not add_submission(tables, decision.submission):
        raise PlanrailError("a submission of this id was there before", remedy="planrail queue")


def _held(refused: Refused) -> Held:
    path, is_stopping = refused.existing.path, refused.existing.state == queueing.STOPPING
    if refused.existing.state == RESTING:
        return Held(refused.why, remedy=f"planrail resume {path}, or, to begin anew: planrail stop {path}")
    return Held(refused.why, remedy=f"planrail status {path}" if is_stopping else f"planrail stop {path}, then again")
