"""Schedules: written, ended, held and fired, each as one step under the lock that all writers of the queue take.

A schedule that is replaced is ended, and the new one has an id of its own: a late writer finds by the id that what it
has read is no longer what counts.
"""

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.store.facts import new_id
from planrail.team import queue_rows
from planrail.team.queue_rows import Dispatching
from planrail.team.queueing import ACTIVE, ENDED, HELD, SHARED, ScheduleRow, Submission
from planrail.team.schedules.times import KINDS, Firing, Schedule, decide_firing

_MOST_PRIORITY = 100
_AHEAD = 60.0  # seconds that clocks may differ
_GRAIN = 1.0  # runs say in whole seconds when they began, and `every 4h now` writes the schedule just before


class Schedules(Dispatching):
    """When plans go on by themselves."""

    def put_schedule(self, row: ScheduleRow) -> ScheduleRow:
        """Write the schedule of a plan; one that was there, held or not, is replaced in the same step."""
        with self.tables.exclusive():
            now, repository = self.tables.now(), row.repository or self.tables.repository
            former = queue_rows.find_open(self.tables, ScheduleRow, repository, row.plan)
            if former is not None:
                queue_rows.change_row(self.tables, former, replace(former, state=ENDED, why="replaced"))
            made = replace(row, id=new_id(), repository=repository, state=ACTIVE, why="", created=now, last=0.0)
            queue_rows.add_row(self.tables, made)
            self.announce()
        return made

    def list_schedules(self, plan: str | None = None) -> list[ScheduleRow]:
        """The schedules that are not ended, in the order of their next times."""
        where, values = queue_rows.open_rows(self.tables, plan)
        return queue_rows.read(self.tables, ScheduleRow, f"{where} ORDER BY next, created, id", *values)

    def end_schedules(self, plan: str | None, why: str) -> list[ScheduleRow]:
        """End the schedule of a plan, or all of this repository; those that were ended."""
        with self.tables.exclusive():
            return [self._end(row, why) for row in self.list_schedules(plan)]

    def settle_schedule(
        self, repository: str, plan: str, outcome: str, said: str, *, began: float
    ) -> ScheduleRow | None:
        """What the end of a run does to its plan's schedule: a complete plan needs none, a failed run holds it.

        `began` is when the run was asked for: a schedule that a person wrote since then is not held by an older run.
        """
        if outcome not in ("complete", "failed"):
            return None
        with self.tables.exclusive():
            found = queue_rows.find_open(self.tables, ScheduleRow, repository, plan)
            if found is None:
                return None
            if outcome == "complete":
                return self._end(found, "the plan is complete")
            if found.state != ACTIVE or found.created >= began + _GRAIN:
                return None
            return queue_rows.change_row(self.tables, found, replace(found, state=HELD, why=said or "a run failed"))

    def fire_due(self, now: float | None = None) -> list[Submission]:
        """Submit the plans whose time has come, and move each schedule on, in one step; those that were submitted."""
        at = self.tables.now() if now is None else now
        where, values = queue_rows.scope(self.tables)
        self._set_right(at)
        due = f"WHERE state = 'active' AND next <= ?{where}"
        if not self.tables.rows(f"SELECT 1 FROM schedules {due} LIMIT 1", at, *values):
            return []  # the lock is for callers that have something to do
        with self.tables.exclusive():
            rows = queue_rows.read(self.tables, ScheduleRow, f"{due} ORDER BY next, id", at, *values)
            fired = [submission for row in rows if (submission := self._follow(row, at)) is not None]
            for submission in fired:
                self.announce(submission)
        return fired

    def note_fired(self, row: ScheduleRow) -> None:
        """A schedule was fired early by a process that runs its plan; one that was replaced meanwhile is left alone."""
        with self.tables.exclusive():
            found = queue_rows.find_open(self.tables, ScheduleRow, row.repository, row.plan)
            if found is not None and found.id == row.id:
                spent = {"state": ENDED, "why": "fired early"} if row.kind == "once" else {}
                queue_rows.change_row(self.tables, found, replace(found, last=self.tables.now(), **spent))

    def _set_right(self, now: float) -> None:
        """A clock that was ahead for a while has fired once, and left a next time far away: it is found anew."""
        where, values = queue_rows.scope(self.tables)
        ahead = f"WHERE state = 'active' AND last > ?{where}"
        if not self.tables.rows(f"SELECT 1 FROM schedules {ahead} LIMIT 1", now + _AHEAD, *values):
            return
        with self.tables.exclusive():
            for row in queue_rows.read(self.tables, ScheduleRow, f"{ahead} ORDER BY id", now + _AHEAD, *values):
                decided = self._decide(replace(row, next=now), now)
                then = decided.then if isinstance(decided, Firing) and row.kind != "once" else None
                queue_rows.change_row(self.tables, row, replace(row, next=then or row.next, last=now))

    # ---- inside the lock ----

    def _follow(self, row: ScheduleRow, now: float) -> Submission | None:
        decided = self._decide(row, now)
        if isinstance(decided, str):
            queue_rows.change_row(self.tables, row, replace(row, state=HELD, why=decided))
            return None
        fired = self._submit(row, f"fire-{row.id}-{int(row.next)}", now) if decided.fires else None
        last = now if decided.fires else row.last
        over = {"state": ENDED, "why": decided.why or "it has fired"}
        after = over if decided.then is None else {"next": decided.then, "why": decided.why}
        queue_rows.change_row(self.tables, row, replace(row, last=last, **after))
        return fired

    def _decide(self, row: ScheduleRow, now: float) -> Firing | str:
        """What follows; a text where the row makes no sense to this planrail: one such row must not stop the others."""
        priority = row.wish.options.get("priority", "0")
        is_number = priority.removeprefix("-").isdecimal() and len(priority) <= len("-100")
        if not row.wish.request.plan or not is_number or abs(int(priority)) > _MOST_PRIORITY:
            return "what it asks for makes no sense"  # written by hand
        kind = next((known for known in KINDS if known == row.kind), None)
        if kind is None:
            return f"{row.kind!r} is no kind of schedule"
        schedule = Schedule(kind, row.expression, row.cron, row.zone)
        try:
            is_busy = queue_rows.find_open(self.tables, Submission, row.repository, row.plan) is not None
            return decide_firing(row.next, now, schedule, is_busy=is_busy)
        except PlanrailError as error:
            return error.message
        except (ValueError, OverflowError) as error:
            return f"it cannot be read: {error}"

    def _submit(self, row: ScheduleRow, id: str, now: float) -> Submission | None:
        """Put a firing into the queue; None where it is there already."""
        last = queue_rows.find_last(self.tables, row.repository, row.plan)
        options = row.wish.options
        made = Submission(
            id,
            **{name: getattr(row, name) for name in (*SHARED, "wish")},
            account=options.get("account", last.account if last is not None else ""),
            priority=int(options.get("priority", last.priority if last is not None else 0)),
            served=now,
            submitted=now,
            submitted_by=row.created_by,
        )
        return made if queue_rows.add_row(self.tables, made) else None

    def _end(self, row: ScheduleRow, why: str) -> ScheduleRow:
        return queue_rows.change_row(self.tables, row, replace(row, state=ENDED, why=why))
