"""The queue with 10,000 rows: how many a second can be submitted, taken and put back, embedded and on PostgreSQL.

Wall time is of one caller who does one thing after the other on this machine; beside it the CPU time of the server,
and how many times a caller talks to it: the whole way there and back, and how often while it holds the lock of the
queue, which on a network is what limits everybody.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from planrail.cli.working.process_notes import describe_self, is_dead, name_worker
from planrail.ledger import queue, queue_hands, schedule_rows, worker_rows
from planrail.ledger.owners import host_identity
from planrail.ledger.queue_rows import add_schedule, add_submission
from planrail.ledger.sqlite_files import open_database
from planrail.ledger.tables import SqliteTables, open_team_tables
from planrail.runs.queueing import ENDED, Rest, ScheduleRow, Submission, Wish, WorkerRow
from planrail.testing.postgres_server import PostgresServer
from worker_stage import cpu_of_server, durable_server

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
    tables, worker, host = bench.tables, name_worker(), host_identity()
    owner = describe_self(worker)
    _fill(tables, "queued", ROWS)
    numbers = iter(range(10_000_000))
    yield bench.measure("submit", TIMES, lambda: queue.submit(tables, _submission(f"new-{next(numbers)}")))
    taken: list[str] = []

    def take() -> None:
        found = queue.take(tables, worker, owner, host)
        assert found is not None
        taken.append(found.id)

    yield bench.measure("take", TIMES, take)
    ids = iter(taken)
    run = f"{worker}-run"
    yield bench.measure("hand over to its process", TIMES, lambda: queue_hands.hand_over(tables, next(ids), worker, run, owner))
    ids = iter(taken)
    yield bench.measure("note its run", TIMES, lambda: queue_hands.name_run(tables, next(ids), run, "20260101-000000-aaaaaa"))
    tables.change("UPDATE submissions SET worker = ? WHERE id = ?", f"{run}-alone", taken[0])
    yield bench.measure("renew (the beat of a run)", TIMES, lambda: queue.renew_all(tables, f"{run}-alone", taken[:1]))
    tables.change("UPDATE submissions SET worker = ? WHERE id = ?", run, taken[0])
    row = WorkerRow(worker, host, os.getpid(), owner, 4)
    yield bench.measure("show a worker (its beat)", TIMES, lambda: worker_rows.save_worker(tables, row))
    ids = iter(taken)
    over = Rest(ENDED, 0.0, "the plan is complete", "complete")
    yield bench.measure("put back (rest)", TIMES, lambda: queue.rest(tables, next(ids), run, over))
    tables.change("UPDATE submissions SET due = ? WHERE state = 'queued'", tables.now() + 86_400)
    yield bench.measure("an idle worker's look, nothing at work", 20, lambda: _look(tables, worker, owner, host))
    later = tables.now() + 86_400
    tables.change("UPDATE submissions SET state = 'taken', worker = 'other/1/1', until = ? WHERE state = 'queued'", later)
    yield bench.measure(f"an idle worker's look, {ROWS:,} at work elsewhere", 20, lambda: _look(tables, worker, owner, host))
    _fill(tables, "late", TIMES)
    yield bench.measure(f"take, {ROWS:,} at work elsewhere", TIMES // 2, take)
    yield bench.measure(f"does anybody wait, {ROWS:,} at work", TIMES, lambda: queue.wants_turn(tables))
    _schedule(tables, ROWS)
    yield bench.measure(f"fire, nothing due of {ROWS:,}", TIMES, lambda: schedule_rows.fire_due(tables))
    tables.change("UPDATE schedules SET next = ?", tables.now() - 1)
    fired = bench.measure("", 1, lambda: schedule_rows.fire_due(tables))
    per = (fired.seconds / ROWS, fired.server / ROWS, fired.asked / ROWS, fired.locked / ROWS)
    yield Rate(f"fire one of {ROWS:,} that are due at once", *per)


def _look(tables: Counted, worker: str, owner: str, host: str) -> None:
    """What the loop of a worker asks at each wake; `adopt` without what it does with the rows."""
    queue_hands.list_taken(tables)
    queue.release_dead(tables, is_dead)
    schedule_rows.fire_due(tables, tables.now())
    queue.take(tables, worker, owner, host)
    queue.next_due(tables)


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
            found = queue.take(tables, worker, "{}", host)
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
    from planrail.records import replace

    return replace(made, submitted=1.0e9, submitted_by="ann@laptop", remote=f"https://forge.example/team/{name}.git", target="main")


def _schedule(tables: "Tables", count: int) -> None:
    wish = Wish(("plans/PLAN.md", "auto"))
    later = tables.now() + 86_400
    with tables.exclusive():
        for number in range(count):
            name = f"scheduled-{number}"
            row = ScheduleRow(name, f"forge.example/team/{name}", name, "plans/PLAN.md", "day at 9am", "3 9 * * *", "Europe/Berlin", "clock", wish, later)
            add_schedule(tables, row)
