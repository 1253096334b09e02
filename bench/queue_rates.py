"""The queue with 10,000 rows: how many a second can be submitted, taken and put back, embedded and on PostgreSQL.

Wall time is of one caller who does one thing after the other on this machine; beside it the CPU time of the server,
and how many times a caller talks to it: the whole way there and back, and how often while it holds the lock of the
queue, which on a network is what limits everybody.
"""

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from worker_stage import cpu_of_server, durable_server

from planrail.cli.working.process_notes import describe_self, is_dead, name_worker
from planrail.ledger import queue, schedule_rows, worker_rows
from planrail.ledger.owners import host_identity
from planrail.ledger.queue_rows import add_schedule, add_submission
from planrail.ledger.sqlite_files import open_database
from planrail.ledger.tables import SqliteTables, open_team_tables
from planrail.records import replace
from planrail.runs.queueing import ENDED, Rest, ScheduleRow, Submission, Wish, WorkerRow
from planrail.testing.postgres_server import PostgresServer

if TYPE_CHECKING:
    from planrail.ledger.tables import Tables

ROWS, TIMES = 10_000, 200
LISTENERS = 300


class Counted:
    """Rows of a queue that count how often they are asked, and how often of that under the lock."""

    def __init__(self, tables: "Tables") -> None:
        self._tables = tables
        self.asked = self.locked = 0
        self._depth = 0

    @property
    def repository(self) -> str:
        return self._tables.repository

    @property
    def is_shared(self) -> bool:
        return self._tables.is_shared

    def __enter__(self) -> "Counted":
        return self

    def __exit__(self, *_: object) -> None:
        self._tables.__exit__(None, None, None)

    def now(self) -> float:
        self._count()
        return self._tables.now()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        self._count()
        return self._tables.rows(sql, *values)

    def change(self, sql: str, *values: object) -> int:
        self._count()
        return self._tables.change(sql, *values)

    def notify(self) -> None:
        self._count()
        self._tables.notify()

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        self.asked += 0 if self._depth else 2  # the beginning, and the lock
        with self._tables.exclusive():
            self._depth += 1
            try:
                yield
                self.asked, self.locked = self.asked + (self._depth == 1), self.locked + (self._depth == 1)  # the end
            finally:
                self._depth -= 1

    def _count(self) -> None:
        self.asked += 1
        self.locked += self._depth > 0


@dataclass(frozen=True)
class Rate:
    """What one kind of step costs: seconds, the server's CPU seconds, times asked, of that under the lock."""

    title: str
    seconds: float
    server: float
    asked: float
    locked: float


@dataclass(frozen=True)
class Bench:
    """A queue that is measured."""

    tables: Counted
    server: PostgresServer | None

    def measure(self, title: str, times: int, work: Callable[[], object]) -> Rate:
        """Do something so often; the cost of one time."""
        tables = self.tables
        cpu, asked, locked = self._cpu(), tables.asked, tables.locked
        began = time.perf_counter()
        for _ in range(times):
            work()
        seconds = time.perf_counter() - began
        told = (tables.asked - asked) / times, (tables.locked - locked) / times
        return Rate(title, seconds / times, (self._cpu() - cpu) / times, *told)

    def _cpu(self) -> float:
        return cpu_of_server(self.server) if self.server is not None else time.process_time()


@dataclass
class Caller:
    """A worker, as the queue sees it; `taken` are the submissions that it took."""

    tables: Counted
    worker: str
    owner: str
    host: str
    taken: list[str] = field(default_factory=list)

    def take(self) -> None:
        """The next one, which has to be there."""
        found = queue.take(self.tables, self.worker, self.owner, self.host)
        assert found is not None
        self.taken.append(found.id)

    def wake(self) -> None:
        """What the loop of a worker with room asks when it is woken; nothing is there for it."""
        schedule_rows.fire_due(self.tables, self.tables.now())
        assert queue.take(self.tables, self.worker, self.owner, self.host) is None
        queue.next_due(self.tables)

    def beat(self) -> None:
        """What it asks at each beat, besides: nobody has died."""
        row = WorkerRow(self.worker, self.host, os.getpid(), self.owner, 4)
        worker_rows.save_worker(self.tables, row)
        queue.list_taken(self.tables, self.host)
        queue.release_dead(self.tables, is_dead, self.host)
        self.wake()


def measure_queue(folder: str) -> str:
    """Tables for both kinds of storage, many takers at once, and a storm of notifications."""
    os.makedirs(f"{folder}/ledger")
    embedded = Bench(Counted(SqliteTables(*open_database(f"{folder}/ledger"))), None)
    with embedded.tables:
        lines = _report(f"embedded, {ROWS:,} rows; CPU is the caller's", _measure_all(embedded))
    with durable_server(LISTENERS + 50) as server:
        with server.fresh_database() as url:
            lines += _report(f"PostgreSQL, {ROWS:,} rows; CPU is the server's", _measure_all(_team(url, server)))
        for takers in (1, 2, 4, 8):
            with server.fresh_database() as url:
                lines.append(_take_together(url, server, takers))
        with server.fresh_database() as url:
            lines.append(_storm(url, server))
    return "\n".join(lines)


def _team(url: str, server: PostgresServer) -> Bench:
    return Bench(Counted(open_team_tables(url)), server)


def _measure_all(bench: Bench) -> Iterator[Rate]:
    """A queue of 10,000 that wait, then of 10,000 that are at work elsewhere, then 10,000 schedules."""
    caller = Caller(bench.tables, name_worker(), describe_self(), host_identity())
    _fill(bench.tables, "queued", ROWS)
    yield from _measure_lives(bench, caller)
    yield from _measure_looks(bench, caller)
    yield from _measure_schedules(bench)


def _measure_lives(bench: Bench, caller: Caller) -> Iterator[Rate]:
    """What a submission goes through."""
    tables, worker, owner = bench.tables, caller.worker, caller.owner
    numbers = itertools.count()
    yield bench.measure("submit", TIMES, lambda: queue.submit(tables, _submission(f"new-{next(numbers)}")))
    yield bench.measure("take", TIMES, caller.take)
    process = describe_self().replace('"run": ""', '"run": "it"')

    def with_each(work: Callable[[str], object]) -> Callable[[], object]:
        ids = iter(caller.taken)
        return lambda: work(next(ids))

    yield bench.measure("note its process", TIMES, with_each(lambda id: queue.own(tables, id, worker, process)))
    run = "20260101-000000-aaaaaa"
    yield bench.measure("note its run", TIMES, with_each(lambda id: queue.name_run(tables, id, run)))
    renew = with_each(lambda id: queue.renew(tables, id, worker, owner=process))
    yield bench.measure("renew (the beat of a run)", TIMES, renew)
    row = WorkerRow(worker, caller.host, os.getpid(), owner, 4)
    yield bench.measure("show a worker", TIMES, lambda: worker_rows.save_worker(tables, row))
    over = Rest(ENDED, 0.0, "the plan is complete", "complete")
    yield bench.measure("put back (rest)", TIMES, with_each(lambda id: queue.rest(tables, id, worker, over)))


def _measure_looks(bench: Bench, caller: Caller) -> Iterator[Rate]:
    """What a worker asks when it is woken, and at its beat, while others have work."""
    tables, later = bench.tables, bench.tables.now() + 86_400
    away = "UPDATE submissions SET state = 'taken', worker = 'other/1/1', taken_on = 'other', until = ?"
    tables.change(f"{away} WHERE state = 'queued'", later)
    yield bench.measure(f"a worker is woken for nothing, {ROWS:,} at work", TIMES // 2, caller.wake)
    yield bench.measure(f"a worker's beat, {ROWS:,} at work", TIMES // 2, caller.beat)
    _fill(tables, "late", TIMES)
    yield bench.measure(f"take, {ROWS:,} at work", TIMES // 2, caller.take)
    yield bench.measure(f"does anybody wait, {ROWS:,} at work", TIMES // 2, lambda: queue.wants_turn(tables))
    queue.set_limit(tables, "repository", "*", 3)
    yield bench.measure(f"take, {ROWS:,} at work, a limit for every repository", TIMES // 4, caller.take)
    queue.set_limit(tables, "repository", "*", None)


def _measure_schedules(bench: Bench) -> Iterator[Rate]:
    tables = bench.tables
    _schedule(tables, ROWS)
    yield bench.measure(f"fire, nothing due of {ROWS:,}", TIMES, lambda: schedule_rows.fire_due(tables))
    tables.change("UPDATE schedules SET next = ?", tables.now() - 1)
    fired = bench.measure("", 1, lambda: schedule_rows.fire_due(tables))
    per = (fired.seconds / ROWS, fired.server / ROWS, fired.asked / ROWS, fired.locked / ROWS)
    yield Rate(f"fire one of {ROWS:,} that are due at once", *per)


def _take_together(url: str, server: PostgresServer, takers: int) -> str:
    """Many processes that take and put back as fast as they can."""
    with open_team_tables(url) as tables:
        _fill(tables, "queued", ROWS)
    context = get_context("spawn")
    cpu, began = cpu_of_server(server), time.monotonic()
    with context.Pool(takers) as pool:
        done = pool.map(_take_many, [url] * takers)
    each = TIMES * takers
    rate = sum(TIMES / seconds for seconds in done)
    used = (cpu_of_server(server) - cpu) / each
    return (
        f"{takers} takers at once: {rate:6.0f} take-and-rest /s together, {1000 * used:.2f} ms of server CPU each"
        f" ({time.monotonic() - began:.0f} s)"
    )


def _take_many(url: str) -> float:
    """In a process of its own: take and put back so often, and say how long it took."""
    worker, host = name_worker(), host_identity()
    over = Rest(ENDED, 0.0, "", "complete")
    with open_team_tables(url) as tables:
        tables.now()
        began = time.perf_counter()
        for _ in range(TIMES):
            found = queue.take(tables, worker, describe_self(), host)
            assert found is not None
            queue.rest(tables, found.id, worker, over)
        return time.perf_counter() - began


def _storm(url: str, server: PostgresServer, count: int = 100) -> str:
    """Notifications while many listen: when the last one has heard, and what it costs the server."""
    import select

    import psycopg

    links = []
    with open_team_tables(url) as tables, contextlib.ExitStack() as stack:
        for _ in range(LISTENERS):
            link = psycopg.connect(url, autocommit=True)
            links.append(stack.enter_context(contextlib.closing(link)))
            link.execute("LISTEN planrail")
        poll = select.poll()
        by_number = {link.fileno(): link for link in links}
        for number in by_number:
            poll.register(number, select.POLLIN)
        cpu, times = cpu_of_server(server), []
        for _ in range(count):
            began = time.perf_counter()
            tables.notify()
            missing = set(by_number)
            while missing:
                for number, _ in poll.poll(5_000):
                    list(by_number[number].notifies(timeout=0))
                    missing.discard(number)
            times.append(time.perf_counter() - began)
        used = (cpu_of_server(server) - cpu) / count
    median = sorted(times)[count // 2]
    return (
        f"a notification to {LISTENERS} listeners: the last has heard after {1000 * median:.1f} ms (median),"
        f" {1000 * used:.1f} ms of server CPU, {1e6 * used / LISTENERS:.0f} us for each listener"
    )


def _report(title: str, rates: Iterator[Rate]) -> list[str]:
    lines = [f"{title:<52}{'/s':>9}{'ms':>9}{'CPU ms':>9}{'asked':>8}{'locked':>8}"]
    for rate in rates:
        figures = f"{1 / rate.seconds:>9,.0f}{1000 * rate.seconds:>9.2f}{1000 * rate.server:>9.2f}"
        lines.append(f"  {rate.title:<50}{figures}{rate.asked:>8.1f}{rate.locked:>8.1f}")
    return [*lines, ""]


def _fill(tables: "Tables", kind: str, count: int) -> None:
    with tables.exclusive():
        for number in range(count):
            add_submission(tables, _submission(f"{kind}-{number}"))


def _submission(name: str) -> Submission:
    wish = Wish(("plans/PLAN.md", "finish", "auto"))
    made = Submission(name, f"forge.example/team/{name}", f"plan-{name}", "plans/PLAN.md", wish, account="claude")
    return replace(
        made, submitted=1.0e9, submitted_by="ann@laptop", remote=f"https://forge.example/team/{name}.git", target="main"
    )


def _schedule(tables: "Tables", count: int) -> None:
    wish = Wish(("plans/PLAN.md", "auto"))
    later = tables.now() + 86_400
    with tables.exclusive():
        for number in range(count):
            name = f"scheduled-{number}"
            row = ScheduleRow(
                name,
                f"forge.example/team/{name}",
                name,
                "plans/PLAN.md",
                "day at 9am",
                "3 9 * * *",
                "Europe/Berlin",
                "clock",
                wish,
                later,
            )
            add_schedule(tables, row)
