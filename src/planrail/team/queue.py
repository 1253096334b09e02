"""The queue: plans that shall run, served by workers. Each change is one step under a lock that all writers share.

The rules are in `team.queueing`; here they meet the rows, the same in the embedded ledger and in a team's database.
"""

from collections.abc import Callable, Collection

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import replace
from planrail.base.wording import quote
from planrail.store.facts import new_id
from planrail.store.tables import STOP, Tables
from planrail.team import queue_rows, queueing
from planrail.team.queue_limits import FULL_ACCOUNTS, FULL_REPOSITORIES, list_limits
from planrail.team.queueing import AT_WORK, LEASE, QUEUED, RESTING, TAKEN, Refused, Rest, Submission
from planrail.team.schedule_rows import end_schedules, settle_schedule

IN_LINE = "ORDER BY priority DESC, served, submitted, id"
# `+due` keeps SQLite from sorting all that are due by an index on it: the line has an index of its own.
CAN_START = f"""
    WHERE state = 'queued' AND +due <= ?
    AND repository NOT IN ({FULL_REPOSITORIES})
    AND account NOT IN ({FULL_ACCOUNTS})
    AND account NOT IN (SELECT name FROM accounts WHERE until > ?)
"""
# In place only where the folder is; in a clone anywhere, unless the machine that had it last has it for a while yet.
NEAR = " AND ((remote = '' AND host IN ('', ?)) OR (remote <> '' AND (until <= ? OR taken_on IN ('', ?))))"
_AT_WORK = "state IN ('taken', 'stopping')"
_MINE = f"(worker = ? OR (owner = ? AND owner <> '')) AND {_AT_WORK}"

# ---- what people ask for ----


def submit(tables: Tables, submission: Submission) -> Submission:
    """Put a plan into the queue. The same request again returns what is there; another one raises `Held`.

    One that rests, waiting for a person, goes on with this request.
    """
    wanted = replace(submission, id=submission.id or new_id(), repository=submission.repository or tables.repository)
    with tables.exclusive():
        existing = queue_rows.find_open(tables, Submission, wanted.repository, wanted.plan)
        decision = queueing.decide_submit(existing, wanted, tables.now())
        if isinstance(decision, Refused):
            raise _held(decision)
        if existing is not None:
            queue_rows.change_row(tables, existing, decision)
        elif not queue_rows.add_row(tables, decision):
            raise PlanrailError("a submission of this id was there before", remedy="planrail queue")
        tables.notify()
    return decision


def wake(tables: Tables, plan: str, *, is_answered: bool = False) -> Submission | None:
    """Let a plan go on that rests or is parked; None where it has no submission of that kind.

    With `is_answered` its next turn finds the option `queueing.ANSWERED` in its submission: a person approved.
    """
    return _change(
        tables,
        plan,
        lambda found: queueing.wake(found, is_answered=is_answered) if found.state in (QUEUED, RESTING) else None,
    )


def ask_stop(tables: Tables, plan: str | None) -> list[Submission]:
    """Stop a plan, or all of this repository: what waits is ended, what runs is asked to, schedules are ended."""
    with tables.exclusive():
        where, values = queue_rows.open_rows(tables, plan)
        found = queue_rows.read(tables, Submission, f"{where} {IN_LINE}", *values)
        stopped = [queue_rows.change_row(tables, row, queueing.decide_stop(row)) for row in found]
        end_schedules(tables, plan, "stopped")
        tables.notify(STOP)
    return stopped


def remove(tables: Tables, plan: str) -> Submission | None:
    """Take a plan out of the queue; its schedule stays. Raises `Held` where it runs."""

    def take_out(found: Submission) -> Submission:
        if found.state in AT_WORK:
            raise Held(f"{found.path} is running", remedy=f"planrail stop {quote(found.path)}")
        return replace(queueing.decide_stop(found), said="removed", outcome=queueing.REMOVED)

    return _change(tables, plan, take_out)


def set_priority(tables: Tables, plan: str, priority: int) -> Submission | None:
    """Give a plan that is not ended another priority: the greater ones are served first."""
    return _change(tables, plan, lambda found: replace(found, priority=priority))


def _change(tables: Tables, plan: str, decide: Callable[[Submission], Submission | None]) -> Submission | None:
    """Change the submission of a plan that is not ended; None where there is none, or the decision says so."""
    with tables.exclusive():
        found = queue_rows.find_open(tables, Submission, tables.repository, plan)
        changed = decide(found) if found is not None else None
        if found is not None and changed is not None:
            queue_rows.change_row(tables, found, changed)
            tables.notify()
    return changed


def list_submissions(tables: Tables) -> list[Submission]:
    """The submissions that are not ended, in the order of the line."""
    where, values = queue_rows.open_rows(tables, None)
    return queue_rows.read(tables, Submission, f"{where} {IN_LINE}", *values)


def find_submission(tables: Tables, plan: str) -> Submission | None:
    """The submission of a plan: the one that is not ended, else the last."""
    repository = tables.repository
    return queue_rows.find_open(tables, Submission, repository, plan) or queue_rows.find_last(tables, repository, plan)


def _held(refused: Refused) -> Held:
    path, is_stopping = quote(refused.existing.path), refused.existing.state == queueing.STOPPING
    if refused.existing.state == RESTING:
        return Held(refused.why, remedy=f"planrail resume {path}, or, to begin anew: planrail stop {path}")
    return Held(refused.why, remedy=f"planrail status {path}" if is_stopping else f"planrail stop {path}, then again")


# ---- what workers do ----


def find_by_id(tables: Tables, id: str) -> Submission | None:
    return queue_rows.find(tables, Submission, "WHERE id = ?", id)


def list_taken(tables: Tables, host: str | None = None) -> list[Submission]:
    """What is at work, or being stopped; with a host, what is so there."""
    where, values = queue_rows.scope(tables)
    if host is not None:
        where, values = f" AND taken_on = ?{where}", (host, *values)
    return queue_rows.read(tables, Submission, f"WHERE {_AT_WORK}{where} {IN_LINE}", *values)


def find_many(tables: Tables, ids: Collection[str]) -> list[Submission]:
    return queue_rows.read(tables, Submission, f"WHERE id IN ({', '.join('?' * len(ids))})", *ids) if ids else []


def take(tables: Tables, worker: str, owner_json: str, host: str) -> Submission | None:
    """The next submission that may start here, taken by this worker; None where there is none."""
    if _find_next(tables, tables.now(), host) is None:
        return None  # many workers wake at once, most for nothing: they do not queue for the lock
    with tables.exclusive():
        now = tables.now()
        found = _find_next(tables, now, host)
        if found is None:
            return None
        changes = {"state": TAKEN, "worker": worker, "owner": owner_json, "until": now + LEASE, "served": now}
        return queue_rows.change_row(tables, found, replace(found, tries=found.tries + 1, taken_on=host, **changes))


def take_up(tables: Tables, wanted: Submission, process: str, owner_json: str, host: str) -> Submission | None:
    """A process runs a plan by itself: the plan's submission is its own from now on. None: a process at work has it.

    `Held` where another order of the plan waits: its row would end with this run, and nobody would have done it.
    """
    with tables.exclusive():
        existing = queue_rows.find_open(tables, Submission, wanted.repository, wanted.plan)
        if existing is not None and existing.state in AT_WORK:
            return None
        if existing is not None and existing.state == QUEUED and existing.run != wanted.run:
            raise _held(Refused(existing, f"{existing.path} is queued already"))
        now = tables.now()
        changes = {"state": TAKEN, "worker": process, "owner": owner_json, "until": now + LEASE, "taken_on": host}
        if existing is not None:
            return queue_rows.change_row(tables, existing, replace(existing, run=wanted.run, served=now, **changes))
        made = replace(wanted, id=new_id(), submitted=now, served=now, **changes)
        return made if queue_rows.add_row(tables, made) else None


def own(tables: Tables, id: str, worker: str, owner_json: str) -> bool:
    """Note which process carries a submission out. False: it is no longer this worker's."""
    with tables.exclusive():
        found = _find_mine(tables, id, worker)
        if found is not None:
            queue_rows.change_row(tables, found, replace(found, owner=owner_json))
    return found is not None


def name_run(tables: Tables, id: str, run: str) -> None:
    with tables.exclusive():
        tables.change(f"UPDATE submissions SET run = ? WHERE id = ? AND {_AT_WORK}", run, id)


def adopt(tables: Tables, found: Submission, worker: str) -> bool:
    """Have what a dead worker had, whose process goes on. False: it is no longer as it was found."""
    adopting = "UPDATE submissions SET worker = ? WHERE id = ? AND worker = ? AND owner = ?"  # at rest it has neither
    with tables.exclusive():
        return tables.change(adopting, worker, found.id, found.worker, found.owner) > 0


def renew(tables: Tables, id: str, worker: str, *, owner: str = "") -> str:
    """Say that a submission is still being worked on, and learn its state: taken, or stopping. "": it is not yours.

    `owner` is the process that carries it out, as `own` was told: it stays its own when another worker adopts it.
    """
    renewing = f"UPDATE submissions SET until = ? WHERE id = ? AND {_MINE}"  # one statement: it needs no lock
    if tables.nudge(renewing, tables.now() + LEASE, id, worker, owner) == 0:
        return ""
    found = _find_mine(tables, id, worker, owner)
    return found.state if found is not None else ""


def rest(tables: Tables, id: str, worker: str, rest: Rest, *, owner: str = "") -> Submission | None:
    """Give a submission back after its turn, as `queueing.decide_rest` says. None: it is no longer this worker's.

    Where the user asked for a stop meanwhile it is ended. The plan's schedule follows: a complete plan ends it, a
    failed run holds it. `owner` as in `renew`.
    """
    with tables.exclusive():
        found = _find_mine(tables, id, worker, owner)
        if found is None:
            return None
        changed = queue_rows.change_row(tables, found, queueing.apply_rest(found, rest, tables.now()))
        told = (found.repository, found.plan, changed.outcome, changed.said)
        settle_schedule(tables, *told, began=found.submitted)
        if changed.state == QUEUED or list_limits(tables):  # the worker that had it knows that its slot is free
            tables.notify()
    return changed


def release_dead(
    tables: Tables,
    is_dead: Callable[[Submission, float], bool],
    host: str | None = None,
    *,
    with_lapsed: bool = False,
) -> list[Submission]:
    """Give back what dead workers had taken: into the line again, or ended where a stop was asked for.

    With a host, only what can be known there is looked at: its own processes, and if wanted leases that have lapsed.
    """
    now = tables.now()
    looked_at = list_taken(tables, host)
    if with_lapsed:  # no index keeps the leases: each renewal would have to write it
        where, values = queue_rows.scope(tables)
        looked_at += queue_rows.read(
            tables, Submission, f"WHERE {_AT_WORK} AND until < ?{where} {IN_LINE}", now, *values
        )
    suspects = {row.id for row in looked_at if is_dead(row, now)}
    if not suspects:
        return []  # the lock is for callers that have something to do
    with tables.exclusive():
        now = tables.now()
        rows = [row for row in find_many(tables, suspects) if row.state in AT_WORK and is_dead(row, now)]
        released = [queue_rows.change_row(tables, row, queueing.decide_release(row)) for row in rows]
        tables.notify()
    return released


def wants_turn(tables: Tables, mine: Submission, host: str) -> bool:
    """Whether another submission could start now on this host if this one made room: of its priority at least."""
    asking = f"SELECT 1 FROM submissions {CAN_START}{NEAR} AND priority >= ? LIMIT 1"
    now = tables.now()
    return bool(tables.rows(asking, *_can_start_values(now, mine.id), host, now, host, mine.priority))


def next_due(tables: Tables) -> float | None:
    """When there will be something to do that nobody announces: a parked run, a schedule, an account that is free."""
    now, (where, values) = tables.now(), queue_rows.scope(tables)
    waiting = f"EXISTS (SELECT 1 FROM submissions WHERE state = 'queued' AND account = name{where})"
    asking = f"""
        SELECT MIN(due) FROM submissions WHERE state = 'queued' AND due > 0 AND due > ?{where}
        UNION ALL SELECT MIN(next) FROM schedules WHERE state = 'active'{where}
        UNION ALL SELECT MIN(until) FROM accounts WHERE until > ? AND {waiting}
    """
    times = tables.rows(asking, now, *values, *values, now, *values)
    return min((float(at) for (at,) in times if at is not None), default=None)


def _find_next(tables: Tables, now: float, host: str) -> Submission | None:
    where, values = queue_rows.scope(tables)
    given = (*_can_start_values(now, ""), host, now, host, *values)
    return queue_rows.find(tables, Submission, f"{CAN_START}{NEAR}{where} {IN_LINE} LIMIT 1", *given)


def _can_start_values(now: float, id: str) -> tuple[object, ...]:
    """`id` is not counted among those at work."""
    return (now, id, id, id, id, now)


def _find_mine(tables: Tables, id: str, worker: str, owner: str = "") -> Submission | None:
    return queue_rows.find(tables, Submission, f"WHERE id = ? AND {_MINE}", id, worker, owner)
