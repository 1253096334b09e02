"""The queue as workers use it: what is taken, by which process, for how long, and where it goes afterwards."""

from collections.abc import Callable, Collection

from planrail.base.records import replace
from planrail.store.owners import host_identity
from planrail.store.tables import Tables
from planrail.team import queueing
from planrail.team.queue_limits import FULL_ACCOUNTS, FULL_REPOSITORIES, list_limits
from planrail.team.queue_rows import add_submission, change_submission, find_open, name_new, read_submissions, scope
from planrail.team.queueing import AT_WORK, LEASE, QUEUED, TAKEN, Rest, Submission
from planrail.team.schedule_rows import settle_named

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


def find_by_id(tables: Tables, id: str) -> Submission | None:
    """A submission by its id."""
    return next(iter(read_submissions(tables, "WHERE id = ?", id)), None)


def list_taken(tables: Tables, host: str | None = None) -> list[Submission]:
    """What is at work, or being stopped; with a host, what is so there."""
    where, values = scope(tables)
    if host is not None:
        where, values = f" AND taken_on = ?{where}", (host, *values)
    return read_submissions(tables, f"WHERE {_AT_WORK}{where} {IN_LINE}", *values)


def list_lapsed(tables: Tables) -> list[Submission]:
    """What is at work under a lease that has lapsed. No index keeps the leases: each renewal would have to write it."""
    where, values = scope(tables)
    return read_submissions(tables, f"WHERE {_AT_WORK} AND until < ?{where} {IN_LINE}", tables.now(), *values)


def find_many(tables: Tables, ids: Collection[str]) -> list[Submission]:
    """These submissions, as they are now."""
    return read_submissions(tables, f"WHERE id IN ({', '.join('?' * len(ids))})", *ids) if ids else []


def take(
    tables: Tables, worker: str, owner_json: str, host: str, *, served_roots: Callable[[str], bool] | None = None
) -> Submission | None:
    """The next submission that may start here, taken by this worker; None where there is none.

    `served_roots` says whether this worker serves a repository that is run in place.
    """
    if _find_next(tables, tables.now(), host, served_roots) is None:
        return None  # many workers wake at once, most for nothing: they do not queue for the lock
    with tables.exclusive():
        now = tables.now()
        found = _find_next(tables, now, host, served_roots)
        if found is None:
            return None
        changes = {"state": TAKEN, "worker": worker, "owner": owner_json, "until": now + LEASE, "served": now}
        return change_submission(tables, found, replace(found, tries=found.tries + 1, taken_on=host, **changes))


def take_up(tables: Tables, wanted: Submission, process: str, owner_json: str, host: str) -> Submission | None:
    """A process runs a plan by itself: the plan's submission is its own from now on. None: somebody at work has it."""
    with tables.exclusive():
        existing = find_open(tables, wanted.repository, wanted.plan)
        if existing is not None and existing.state in AT_WORK:
            return None
        now = tables.now()
        changes = {"state": TAKEN, "worker": process, "owner": owner_json, "until": now + LEASE, "taken_on": host}
        if existing is not None:
            return change_submission(tables, existing, replace(existing, run=wanted.run, served=now, **changes))
        made = replace(wanted, id=name_new(), submitted=now, served=now, **changes)
        return made if add_submission(tables, made) else None


def own(tables: Tables, id: str, worker: str, owner_json: str, *, run: str = "") -> bool:
    """Note which process carries a submission out, and as which run. False: it is no longer this worker's."""
    with tables.exclusive():
        found = _find_mine(tables, id, worker)
        if found is not None:
            change_submission(tables, found, replace(found, owner=owner_json, run=run or found.run))
    return found is not None


def name_run(tables: Tables, id: str, run: str) -> None:
    """Note as which run a submission that is at work is carried out."""
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


def rest(tables: Tables, id: str, worker: str, rest: Rest, *, run: str = "", owner: str = "") -> Submission | None:
    """Give a submission back after its turn, as `queueing.decide_rest` says. None: it is no longer this worker's.

    Where somebody asked for a stop meanwhile it is ended. The plan's schedule follows: a complete plan ends it, a
    failed run holds it. `owner` as in `renew`.
    """
    with tables.exclusive():
        found = _find_mine(tables, id, worker, owner)
        if found is None:
            return None
        changed = queueing.apply_rest(found, rest, tables.now())
        changed = change_submission(tables, found, replace(changed, run=run or found.run))
        began = found.submitted
        settle_named(tables, found.repository, found.plan, changed.outcome, changed.said, began=began)
        if changed.state == QUEUED or list_limits(tables):  # its slot is known to be free to whoever had it
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
    looked_at = [*list_taken(tables, host), *(list_lapsed(tables) if with_lapsed else ())]
    suspects = {row.id for row in looked_at if is_dead(row, now)}
    if not suspects:
        return []  # the lock is for those who have something to do
    with tables.exclusive():
        now = tables.now()
        rows = [row for row in find_many(tables, suspects) if row.state in AT_WORK and is_dead(row, now)]
        released = [change_submission(tables, row, queueing.decide_release(row)) for row in rows]
        tables.notify()
    return released


def wants_turn(tables: Tables, mine: Submission | None = None, host: str = "") -> bool:
    """Whether another submission could start now on this host if this one made room: of its priority at least.

    Without `mine`, whether any could start though nobody makes room.
    """
    id, values = (mine.id, (mine.priority,)) if mine is not None else ("", ())
    least = " AND priority >= ?" if mine is not None else ""
    asking = f"SELECT 1 FROM submissions {CAN_START}{NEAR}{least} LIMIT 1"
    now, here = tables.now(), host or host_identity()
    return bool(tables.rows(asking, *_can_start_values(now, id), here, now, here, *values))


def next_due(tables: Tables) -> float | None:
    """When there will be something to do that nobody announces: a parked run, a schedule, an account that is free."""
    now, (where, values) = tables.now(), scope(tables)
    waiting = f"EXISTS (SELECT 1 FROM submissions WHERE state = 'queued' AND account = name{where})"
    asking = f"""
        SELECT MIN(due) FROM submissions WHERE state = 'queued' AND due > 0 AND due > ?{where}
        UNION ALL SELECT MIN(next) FROM schedules WHERE state = 'active'{where}
        UNION ALL SELECT MIN(until) FROM accounts WHERE until > ? AND {waiting}
    """
    times = tables.rows(asking, now, *values, *values, now, *values)
    return min((float(at) for (at,) in times if at is not None), default=None)


def _find_next(tables: Tables, now: float, host: str, served_roots: Callable[[str], bool] | None) -> Submission | None:
    where, values = scope(tables)
    refused = _refused_roots(tables, host, served_roots)
    sql = f"{CAN_START}{NEAR}{where}"
    if refused:
        sql += f" AND (remote <> '' OR root NOT IN ({', '.join('?' * len(refused))}))"
    given = (*_can_start_values(now, ""), host, now, host, *values, *refused)
    return next(iter(read_submissions(tables, f"{sql} {IN_LINE} LIMIT 1", *given)), None)


def _refused_roots(tables: Tables, host: str, served_roots: Callable[[str], bool] | None) -> tuple[str, ...]:
    if served_roots is None:
        return ()
    here = "SELECT DISTINCT root FROM submissions WHERE state = 'queued' AND remote = '' AND host IN ('', ?)"
    return tuple(root for (root,) in tables.rows(here, host) if not served_roots(root))


def _can_start_values(now: float, id: str) -> tuple[object, ...]:
    """`id` is not counted among those at work."""
    return (now, id, id, id, id, now)


def _find_mine(tables: Tables, id: str, worker: str, owner: str = "") -> Submission | None:
    return next(iter(read_submissions(tables, f"WHERE id = ? AND {_MINE}", id, worker, owner)), None)
