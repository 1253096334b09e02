"""An adapter that is none of planrail's: its state is one JSON file under a lock, its worker looks every few moments.

It shares with the real ones the rules (`team.queueing`) and nothing below them, so that what only it fails is a promise
that the suite has borrowed from rows in a database. For one machine.
"""

import contextlib
import fcntl
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterator
from typing import Self

from planrail.base.errors import Held
from planrail.base.records import replace
from planrail.store.facts import new_id
from planrail.store.owners import find_start
from planrail.team import queueing as rules
from planrail.team.queue_rows import columns, decode_request, encode_request
from planrail.team.queueing import Limit, Rest, ScheduleRow, Submission, WorkerRow
from planrail.team.schedules.times import Schedule, decide_firing
from planrail.testing.dispatch_port import Turn
from planrail.testing.dispatch_turn import take_turn

_PAUSE = 0.05


class Book:
    """Everything that is known, as it was read; `kept` is what is written back."""

    def __init__(self, kept: dict[str, list[dict[str, object]]]) -> None:
        self.submissions = {row.id: row for row in _read(Submission, kept.get("submissions", []))}
        self.schedules = {row.id: row for row in _read(ScheduleRow, kept.get("schedules", []))}
        self.limits = [Limit(**found) for found in kept.get("limits", [])]  # type: ignore[arg-type]
        self.holds = {str(found["name"]): float(str(found["until"])) for found in kept.get("holds", [])}
        self.workers = [WorkerRow(**found) for found in kept.get("workers", [])]  # type: ignore[arg-type]

    def write(self) -> dict[str, object]:
        return {
            "submissions": [_write(row) for row in self.submissions.values()],
            "schedules": [_write(row) for row in self.schedules.values()],
            "limits": [_write(limit) for limit in self.limits],
            "holds": [{"name": name, "until": until} for name, until in self.holds.items()],
            "workers": [_write(worker) for worker in self.workers],
        }

    def find_open(self, plan: str) -> Submission | None:
        return next((row for row in self.submissions.values() if row.plan == plan and row.state != rules.ENDED), None)

    def can_start(self, row: Submission, without: str = "") -> bool:
        rows = [other for other in self.submissions.values() if other.id != without]
        return row.state == rules.QUEUED and not rules.explain_wait(row, rows, self.limits, self.holds, time.time())


class FakeDispatch:
    """What people ask for."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    @contextlib.contextmanager
    def open_book(self) -> Iterator[Book]:
        """Read it, and write what has become of it; one process at a time."""
        lock = os.open(f"{self._path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = {}
            if os.path.exists(self._path):
                with open(self._path, encoding="utf-8") as file:
                    kept = json.load(file)
            book = Book(kept)
            yield book
            with open(f"{self._path}.new", "w", encoding="utf-8") as file:
                json.dump(book.write(), file)
            os.replace(f"{self._path}.new", self._path)
        finally:
            os.close(lock)

    def submit(self, submission: Submission) -> Submission:
        with self.open_book() as book:
            wanted = replace(submission, id=submission.id or new_id())
            decision = rules.decide_submit(book.find_open(wanted.plan), wanted, time.time())
            if isinstance(decision, rules.Refused):
                raise Held(decision.why, remedy="planrail queue")
            book.submissions[decision.id] = decision
        return decision

    def wake(self, plan: str, *, is_answered: bool = False) -> Submission | None:
        waits = (rules.QUEUED, rules.RESTING)
        return self._change(plan, lambda row: rules.wake(row, is_answered=is_answered) if row.state in waits else None)

    def ask_stop(self, plan: str | None) -> list[Submission]:
        with self.open_book() as book:
            wanted = [row for row in book.submissions.values() if row.state != rules.ENDED and plan in (None, row.plan)]
            stopped = [rules.decide_stop(row) for row in wanted]
            book.submissions |= {row.id: row for row in stopped}
            self._end(book, plan, "stopped")
        return stopped

    def remove(self, plan: str) -> Submission | None:
        def take_out(found: Submission) -> Submission:
            if found.state in rules.AT_WORK:
                raise Held(f"{found.path} is running", remedy=f"planrail stop {found.path}")
            return replace(rules.decide_stop(found), said="removed", outcome=rules.REMOVED)

        return self._change(plan, take_out)

    def set_priority(self, plan: str, priority: int) -> Submission | None:
        return self._change(plan, lambda found: replace(found, priority=priority))

    def list_submissions(self) -> list[Submission]:
        with self.open_book() as book:
            return sorted((row for row in book.submissions.values() if row.state != rules.ENDED), key=rules.rank)

    def find_submission(self, plan: str) -> Submission | None:
        with self.open_book() as book:
            rows = [row for row in book.submissions.values() if row.plan == plan]
            return book.find_open(plan) or max(rows, key=lambda row: row.submitted, default=None)

    def prune(self, before: float, kept: Collection[str] = ()) -> int:
        with self.open_book() as book:
            gone = [row for row in book.submissions.values() if row.state == rules.ENDED and row.plan not in kept]
            for row in gone:
                del book.submissions[row.id]
        return len(gone)

    def put_schedule(self, row: ScheduleRow) -> ScheduleRow:
        with self.open_book() as book:
            self._end(book, row.plan, "replaced")
            made = replace(row, id=new_id(), created=time.time())
            book.schedules[made.id] = made
        return made

    def end_schedules(self, plan: str | None, why: str) -> list[ScheduleRow]:
        with self.open_book() as book:
            return self._end(book, plan, why)

    def list_schedules(self, plan: str | None = None) -> list[ScheduleRow]:
        with self.open_book() as book:
            return [row for row in book.schedules.values() if row.state != rules.ENDED and plan in (None, row.plan)]

    def set_limit(self, kind: str, name: str, most: int | None) -> None:
        with self.open_book() as book:
            others = [limit for limit in book.limits if (limit.kind, limit.name) != (kind, name)]
            book.limits = others if most is None else [*others, Limit(kind, name, most)]

    def list_limits(self) -> list[Limit]:
        with self.open_book() as book:
            return book.limits

    def hold_account(self, name: str, until: float) -> None:
        with self.open_book() as book:
            book.holds[name] = until

    def list_holds(self) -> dict[str, float]:
        with self.open_book() as book:
            return {name: until for name, until in book.holds.items() if until > time.time()}

    def list_workers(self) -> list[WorkerRow]:
        with self.open_book() as book:
            return [worker for worker in book.workers if _lives(worker.owner)]

    def _change(self, plan: str, decide: Callable[[Submission], Submission | None]) -> Submission | None:
        with self.open_book() as book:
            found = book.find_open(plan)
            changed = decide(found) if found is not None else None
            if changed is not None:
                book.submissions[changed.id] = changed
        return changed

    def _end(self, book: Book, plan: str | None, why: str) -> list[ScheduleRow]:
        rows = [row for row in book.schedules.values() if row.state != rules.ENDED and plan in (None, row.plan)]
        ended = [replace(row, state=rules.ENDED, why=why) for row in rows]
        book.schedules |= {row.id: row for row in ended}
        return ended


class FakeHold:
    """A submission in the hands of this process."""

    def __init__(self, dispatch: FakeDispatch, id: str) -> None:
        self._dispatch, self._id = dispatch, id

    def beat(self) -> str:
        with self._dispatch.open_book() as book:
            row = book.submissions[self._id]
        if row.state == rules.ENDED and row.outcome == rules.STOPPED:
            return rules.STOPPING
        return row.state if row.owner == _me() and row.state in rules.AT_WORK else rules.LOST

    def wants_turn(self) -> bool:
        with self._dispatch.open_book() as book:
            free = [row for row in book.submissions.values() if book.can_start(row, without=self._id)]
            return any(row.priority >= book.submissions[self._id].priority for row in free)


def serve(dispatch: FakeDispatch, slots: int, turn: Turn) -> int:
    """A worker, until it is killed. A disk that is full is tried again."""
    children: dict[int, str] = {}
    told: set[str] = set()
    with dispatch.open_book() as book:
        book.workers.append(WorkerRow(_me(), "here", os.getpid(), _me(), slots, seen=time.time()))
    while True:
        with contextlib.suppress(ChildProcessError):
            while pid := os.waitpid(-1, os.WNOHANG)[0]:
                children.pop(pid)
        taken = None
        with contextlib.suppress(OSError), dispatch.open_book() as book:
            _release(book, set(children.values()))
            _fire(book)
            _stop(book, told)
            waiting = sorted(filter(book.can_start, book.submissions.values()), key=rules.rank)
            if waiting and len(children) < slots:
                taken = replace(waiting[0], state=rules.TAKEN, owner=_me(), tries=waiting[0].tries + 1)
                book.submissions[taken.id] = taken
        if taken is not None:
            children[_start(dispatch, taken, turn)] = taken.id
        time.sleep(_PAUSE)


def _release(book: Book, mine: set[str]) -> None:
    for row in list(book.submissions.values()):
        if row.state in rules.AT_WORK and (not _lives(row.owner) or (row.owner == _me() and row.id not in mine)):
            book.submissions[row.id] = rules.decide_release(row)


def _fire(book: Book) -> None:
    now = time.time()
    for row in list(book.schedules.values()):
        if row.state != rules.ACTIVE or row.next > now:
            continue
        schedule = Schedule("cron", row.expression, row.cron, row.zone)
        decided = decide_firing(row.next, now, schedule, is_busy=book.find_open(row.plan) is not None)
        if decided.fires:
            fields = {name: getattr(row, name) for name in (*rules.SHARED, "wish")}
            made = Submission(new_id(), **fields, served=now, submitted=now)
            book.submissions[made.id] = made
        book.schedules[row.id] = replace(row, next=decided.then or row.next, last=now)


def _stop(book: Book, told: set[str]) -> None:
    for row in book.submissions.values():
        if row.state == rules.STOPPING and row.owner not in (*told, _me()):
            told.add(row.owner)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(row.owner.partition("/")[0]), signal.SIGTERM)


def _start(dispatch: FakeDispatch, taken: Submission, turn: Turn) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        with dispatch.open_book() as book:
            book.submissions[taken.id] = replace(book.submissions[taken.id], owner=_me())
        _put_back(dispatch, taken.id, turn(taken, FakeHold(dispatch, taken.id)))
        code = 0
    finally:
        os._exit(code)


def _put_back(dispatch: FakeDispatch, id: str, rest: Rest) -> None:
    with dispatch.open_book() as book:
        found = book.submissions[id]
        if found.owner == _me() and found.state in rules.AT_WORK:
            changed = book.submissions[id] = rules.apply_rest(found, rest, time.time())
            if changed.outcome == "complete":
                dispatch._end(book, found.plan, "the plan is complete")


def _me() -> str:
    return f"{os.getpid()}/{find_start(os.getpid())}"


def _lives(owner: str) -> bool:
    pid, _, start = owner.partition("/")
    return find_start(int(pid)) == start


def _write(row: object) -> dict[str, object]:
    found = {name: getattr(row, name) for name in columns(type(row))}
    return {**found, "wish": encode_request(found["wish"])} if "wish" in found else found


def _read(kind: type, rows: list[dict[str, object]]) -> list:  # type: ignore[type-arg]
    return [kind(**{**row, "wish": decode_request(str(row["wish"]))}) for row in rows]


if __name__ == "__main__":
    sys.exit(serve(FakeDispatch(sys.argv[1]), int(sys.argv[2]), take_turn))
