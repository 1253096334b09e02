"""Who works when: what people ask for, and what workers take, behind one class.

Each change is one step under a lock that all writers share. The rules are in `team.queueing`; here they meet the rows,
the same in the embedded ledger and in a team's database.
"""

from collections.abc import Callable, Collection

from planrail.base.errors import Held, PlanrailError
from planrail.base.records import replace
from planrail.base.wording import quote
from planrail.store.claim_rules import LEASE
from planrail.store.facts import new_id
from planrail.team import queue_rows, queueing
from planrail.team.queue_limits import IN_LINE, QueueLimits
from planrail.team.queueing import AT_WORK, QUEUED, RESTING, TAKEN, Refused, Rest, Submission
from planrail.team.schedule_rows import Schedules

OWN = "own"  # the engine that needs nothing but the rows
_AT_WORK = "state IN ('taken', 'stopping')"
_MINE = f"(worker = ? OR (owner = ? AND owner <> '')) AND {_AT_WORK}"


class Dispatch(Schedules, QueueLimits):
    """The queue of a repository, or of all that a worker serves: whose turn it is."""

    engine = OWN  # what hands out the turns

    # ---- what people ask for ----

    def submit(self, submission: Submission) -> Submission:
        """Put a plan into the queue. The same request again returns what is there; another one raises `Held`.

        One that rests, waiting for a person, goes on with this request.
        """
        named = {"id": submission.id or new_id(), "repository": submission.repository or self.tables.repository}
        wanted = replace(submission, **named)
        with self.tables.exclusive():
            existing = queue_rows.find_open(self.tables, Submission, wanted.repository, wanted.plan)
            decision = queueing.decide_submit(existing, wanted, self.tables.now())
            if isinstance(decision, Refused):
                raise _held(decision)
            if existing is not None:
                queue_rows.change_row(self.tables, existing, decision)
            elif not queue_rows.add_row(self.tables, decision):
                raise PlanrailError("a submission of this id was there before", remedy="planrail queue")
            self.announce(decision)
        return decision

    def wake(self, plan: str, *, is_answered: bool = False) -> Submission | None:
        """Let a plan go on that rests or is parked; None where it has no submission of that kind.

        With `is_answered` its next turn finds the option `queueing.ANSWERED` in its submission: a person approved.
        """

        def decide(found: Submission) -> Submission | None:
            return queueing.wake(found, is_answered=is_answered) if found.state in (QUEUED, RESTING) else None

        return self._change(plan, decide)

    def ask_stop(self, plan: str | None) -> list[Submission]:
        """Stop a plan, or all of this repository: what waits is ended, what runs is asked to, schedules are ended."""
        with self.tables.exclusive():
            found = self.list_submissions(plan)
            stopped = [queue_rows.change_row(self.tables, row, queueing.decide_stop(row)) for row in found]
            self.end_schedules(plan, "stopped")
            for worker in {row.worker for row in stopped if row.state == queueing.STOPPING}:
                self.tables.wake(worker)
        return stopped

    def remove(self, plan: str) -> Submission | None:
        """Take a plan out of the queue; its schedule stays. Raises `Held` where it runs."""

        def take_out(found: Submission) -> Submission:
            if found.state in AT_WORK:
                raise Held(f"{found.path} is running", remedy=f"planrail stop {quote(found.path)}")
            return replace(queueing.decide_stop(found), said="removed", outcome=queueing.REMOVED)

        return self._change(plan, take_out)

    def set_priority(self, plan: str, priority: int) -> Submission | None:
        """Give a plan that is not ended another priority: the greater ones are served first."""
        return self._change(plan, lambda found: replace(found, priority=priority))

    def _change(self, plan: str, decide: Callable[[Submission], Submission | None]) -> Submission | None:
        """Change the submission of a plan that is not ended; None where there is none, or the decision says so."""
        with self.tables.exclusive():
            found = queue_rows.find_open(self.tables, Submission, self.tables.repository, plan)
            changed = decide(found) if found is not None else None
            if found is not None and changed is not None:
                queue_rows.change_row(self.tables, found, changed)
                self.announce(changed)
        return changed

    def list_submissions(self, plan: str | None = None) -> list[Submission]:
        """The submissions that are not ended, in the order of the line."""
        where, values = queue_rows.open_rows(self.tables, plan)
        return queue_rows.read(self.tables, Submission, f"{where} {IN_LINE}", *values)

    def find_submission(self, plan: str) -> Submission | None:
        """The submission of a plan: the one that is not ended, else the last."""
        repository = self.tables.repository
        return queue_rows.find_open(self.tables, Submission, repository, plan) or queue_rows.find_last(
            self.tables, repository, plan
        )

    def prune(self, before: float, kept: Collection[str] = ()) -> int:
        """Remove submissions and schedules that ended before then; how many. Of plans that are kept, and of those that
        have anything here that is not ended, the last submission stays: the next one is made after it."""
        where, values = queue_rows.scope(self.tables)
        asked = (before, before, *values)
        same = "l.repository = s.repository AND l.plan = s.plan AND (l.submitted, l.id) > (s.submitted, s.id)"
        later = f"EXISTS (SELECT 1 FROM submissions l WHERE {same})"
        ended = f"FROM submissions s WHERE state = 'ended' AND served < ? AND submitted < ?{where}"
        found = self.tables.rows(f"SELECT id, plan, {later} {ended}", *asked)
        last = {*kept, *(row.plan for row in self.list_schedules())}
        gone = [str(id) for id, plan, has_later in found if has_later or plan not in last]
        over = f"FROM schedules WHERE state = 'ended' AND created < ? AND last < ?{where}"
        with self.tables.exclusive():
            self.tables.change_listed("DELETE FROM submissions WHERE state = 'ended' AND id IN ({})", gone)
            return len(gone) + self.tables.change(f"DELETE {over}", *asked)

    # ---- what workers do ----

    def find_by_id(self, id: str) -> Submission | None:
        return queue_rows.find(self.tables, Submission, "WHERE id = ?", id)

    def list_taken(self, host: str | None = None) -> list[Submission]:
        """What is at work, or being stopped; with a host, what is so there."""
        return self._read_taken(host, "")

    def find_many(self, ids: Collection[str]) -> list[Submission]:
        marks = ", ".join("?" * len(ids))
        return queue_rows.read(self.tables, Submission, f"WHERE id IN ({marks})", *ids) if ids else []

    def take(self, worker: str, owner_json: str, host: str) -> Submission | None:
        """The next submission that may start here, taken by this worker; None where there is none."""
        where, values = queue_rows.scope(self.tables)
        if not self.list_startable(self.tables.now(), where, *values, host=host, most=1):
            return None  # many workers wake at once, most for nothing: they do not queue for the lock
        return self.take_one(worker, owner_json, host, where, *values)

    def take_one(self, worker: str, owner_json: str, host: str, where: str, *values: object) -> Submission | None:
        """The same, of those that a condition names."""
        with self.tables.exclusive():
            now = self.tables.now()
            for found in self.list_startable(now, where, *values, host=host, most=1):
                changes = {"state": TAKEN, "worker": worker, "owner": owner_json, "until": 0.0, "served": now}
                taken = replace(found, tries=found.tries + 1, taken_on=host, **changes)
                return queue_rows.change_row(self.tables, found, taken)
        return None

    def take_up(self, wanted: Submission, process: str, owner_json: str, host: str) -> Submission | None:
        """A process runs a plan by itself: its submission is that one's from now on. None: a process at work has it.

        `Held` where another order of the plan waits: its row would end with this run, and nobody would have done it.
        """
        with self.tables.exclusive():
            existing = queue_rows.find_open(self.tables, Submission, wanted.repository, wanted.plan)
            if existing is not None and existing.state in AT_WORK:
                return None
            if existing is not None and existing.state == QUEUED and existing.run != wanted.run:
                raise _held(Refused(existing, f"{existing.path} is queued already"))
            now = self.tables.now()
            changes = {"state": TAKEN, "worker": process, "owner": owner_json, "until": 0.0, "taken_on": host}
            if existing is not None:
                taken = replace(existing, run=wanted.run, served=now, **changes)
                return queue_rows.change_row(self.tables, existing, taken)
            made = replace(wanted, id=new_id(), submitted=now, served=now, **changes)
            return made if queue_rows.add_row(self.tables, made) else None

    def own(self, id: str, worker: str, owner_json: str) -> bool:
        """Note which process carries a submission out. False: it is no longer this worker's."""
        with self.tables.exclusive():
            owning = f"UPDATE submissions SET owner = ? WHERE id = ? AND worker = ? AND {_AT_WORK}"
            return self.tables.change(owning, owner_json, id, worker) > 0

    def name_run(self, id: str, run: str) -> None:
        with self.tables.exclusive():
            self.tables.change(f"UPDATE submissions SET run = ? WHERE id = ? AND {_AT_WORK}", run, id)

    def adopt(self, found: Submission, worker: str) -> bool:
        """Have what a dead worker had, whose process goes on. False: it is no longer as it was found."""
        adopting = "UPDATE submissions SET worker = ? WHERE id = ? AND worker = ? AND owner = ?"
        with self.tables.exclusive():  # at rest it has neither
            return self.tables.change(adopting, worker, found.id, found.worker, found.owner) > 0

    def rest(self, id: str, worker: str, rest: Rest, *, owner: str = "") -> Submission | None:
        """Give a submission back after its turn, as `queueing.decide_rest` says. None: it is no longer this worker's.

        Where the user asked for a stop meanwhile it is ended. The plan's schedule follows: a complete plan ends it, a
        failed run holds it. `owner` is the process that carries it out, as `own` was told.
        """
        with self.tables.exclusive():
            found = queue_rows.find(self.tables, Submission, f"WHERE id = ? AND {_MINE}", id, worker, owner)
            if found is None:
                return None
            changed = queue_rows.change_row(self.tables, found, queueing.apply_rest(found, rest, self.tables.now()))
            told = (found.repository, found.plan, changed.outcome, changed.said)
            self.settle_schedule(*told, began=found.submitted)
            if changed.state == QUEUED or self.list_limits():  # the worker that had it knows that its slot is free
                self.announce()
        return changed

    def release_dead(
        self, is_dead: Callable[..., bool], host: str | None = None, *, with_lapsed: bool = False
    ) -> list[Submission]:
        """Give back what dead workers had taken: into the line again, or ended where a stop was asked for.

        With a host, only what can be known there is looked at: its own processes, and if wanted lapsed leases.
        `is_dead` is asked about a row, and told whether its lease `is_lapsed`.
        """

        def list_dead() -> list[Submission]:
            lapsed = self._list_lapsed(None if with_lapsed else host)
            rows = {row.id: row for row in [*self.list_taken(host), *lapsed]}
            gone = {row.id for row in lapsed}
            return [row for row in rows.values() if is_dead(row, is_lapsed=row.id in gone)]

        if not list_dead():
            return []  # the lock is for callers that have something to do
        with self.tables.exclusive():
            released = [queue_rows.change_row(self.tables, row, queueing.decide_release(row)) for row in list_dead()]
            for row in released:
                self.announce(row)
        return released

    def _list_lapsed(self, host: str | None) -> list[Submission]:
        """What is at work for a process that gave no sign of life for a lease; with a host, what is taken there."""
        at, signs = self.tables.judge_at(), "SELECT 1 FROM workers w WHERE w.id = submissions.worker AND w.seen > ?"
        return self._read_taken(host, f" AND NOT EXISTS ({signs})", at - LEASE) if at else []

    def _read_taken(self, host: str | None, condition: str, *given: object) -> list[Submission]:
        where, values = queue_rows.scope(self.tables)
        if host is not None:
            where, values = f" AND taken_on = ?{where}", (host, *values)
        rest = f"WHERE {_AT_WORK}{condition}{where} {IN_LINE}"
        return queue_rows.read(self.tables, Submission, rest, *given, *values)

    def wants_turn(self, mine: Submission, host: str) -> bool:
        """Whether another submission could start now on this host if this one made room: of its priority at least."""
        now, where = self.tables.now(), " AND priority >= ?"
        return bool(self.list_startable(now, where, mine.priority, host=host, but=mine.id, most=1))

    def next_due(self) -> float | None:
        """When there will be something to do that nobody announces: a parked run, a schedule, a free account."""
        now, (where, values) = self.tables.now(), queue_rows.scope(self.tables)
        waiting = f"EXISTS (SELECT 1 FROM submissions WHERE state = 'queued' AND account = name{where})"
        asking = f"""
            SELECT MIN(due) FROM submissions WHERE state = 'queued' AND due > 0 AND due > ?{where}
            UNION ALL SELECT MIN(next) FROM schedules WHERE state = 'active'{where}
            UNION ALL SELECT MIN(until) FROM accounts WHERE until > ? AND {waiting}
        """
        times = self.tables.rows(asking, now, *values, *values, now, *values)
        return min((float(at) for (at,) in times if at is not None), default=None)


def _held(refused: Refused) -> Held:
    path, is_stopping = quote(refused.existing.path), refused.existing.state == queueing.STOPPING
    if refused.existing.state == RESTING:
        return Held(refused.why, remedy=f"planrail resume {path}, or, to begin anew: planrail stop {path}")
    return Held(refused.why, remedy=f"planrail status {path}" if is_stopping else f"planrail stop {path}, then again")
