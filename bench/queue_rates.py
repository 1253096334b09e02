"""The queue with 10,000 rows: how many a second can be submitted, taken and put back, embedded and on PostgreSQL.

Wall time is of one caller who does one thing after the other on this machine; beside it the CPU time of the server,
and how many times a caller talks to it: the whole way there and back, and how often while it holds the lock of the
queue, which on a network is what limits everybody.
"""

import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from counted_tables import Bench, Counted, Rate
from queue_crowds import LISTENERS, ROWS, SHOWN, TIMES, raise_storm, show_workers, take_together
from queue_rows import fill, fill_schedules, make_submission
from servers import PostgresServer
from worker_stage import durable_server

from planrail.store.ledger import open_team_tables
from planrail.store.owners import host_identity
from planrail.store.signs import name_worker
from planrail.store.tables import open_file
from planrail.team.dispatch import Dispatch
from planrail.team.process_notes import describe_self, is_dead
from planrail.team.queueing import ENDED, Rest, WorkerRow


@dataclass
class Caller:
    """A worker, as the queue sees it; `taken` are the submissions that it took."""

    tables: Counted
    worker: str
    owner: str
    host: str
    taken: list[str] = field(default_factory=list)
    beats: int = 0

    def take(self) -> None:
        """The next one, which has to be there."""
        found = Dispatch(self.tables).take(self.worker, self.owner, self.host)
        assert found is not None
        self.taken.append(found.id)

    def wake(self) -> None:
        """What the loop of a worker with room asks when it is woken; nothing is there for it."""
        Dispatch(self.tables).fire_due(self.tables.now())
        assert Dispatch(self.tables).take(self.worker, self.owner, self.host) is None
        Dispatch(self.tables).next_due()

    def beat(self) -> None:
        """What it asks at each beat, besides: nobody has died."""
        self.tables.refuse_newer()
        row = WorkerRow(self.worker, self.host, os.getpid(), self.owner, 4)
        Dispatch(self.tables).save_worker(row)
        Dispatch(self.tables).list_taken(self.host)
        self.beats += 1  # at each second it looks for leases that have lapsed anywhere
        Dispatch(self.tables).release_dead(is_dead, self.host, with_lapsed=self.beats % 2 == 0)
        self.wake()


def measure_queue(folder: str) -> str:
    """Tables for both kinds of storage, many takers at once, and a storm of notifications."""
    os.makedirs(f"{folder}/ledger")
    embedded = Bench(Counted(open_file(f"{folder}/ledger")), None)
    with embedded.tables:
        lines = _report(f"embedded, {ROWS:,} rows; CPU is the caller's", _measure_all(embedded))
    with durable_server(LISTENERS + 50) as server:
        with server.fresh_database() as url:
            lines += _report(f"PostgreSQL, {ROWS:,} rows; CPU is the server's", _measure_all(_team(url, server)))
        for takers in (1, 2, 4, 8):
            with server.fresh_database() as url:
                lines.append(take_together(url, server, takers))
        with server.fresh_database() as url:
            lines.append(raise_storm(url, server))
    return "\n".join(lines)


def _team(url: str, server: PostgresServer) -> Bench:
    return Bench(Counted(open_team_tables(url)), server)


def _measure_all(bench: Bench) -> Iterator[Rate]:
    """A queue of 10,000 that wait, then of 10,000 that are at work elsewhere, then 10,000 schedules."""
    caller = Caller(bench.tables, name_worker(), describe_self(), host_identity())
    fill(bench.tables, "queued", ROWS)
    yield from _measure_lives(bench, caller)
    yield from _measure_looks(bench, caller)
    yield from _measure_schedules(bench)


def _measure_lives(bench: Bench, caller: Caller) -> Iterator[Rate]:
    """What a submission goes through."""
    tables, worker, owner = bench.tables, caller.worker, caller.owner
    numbers = itertools.count()
    yield bench.measure("submit", TIMES, lambda: Dispatch(tables).submit(make_submission(f"new-{next(numbers)}")))
    show_workers(tables)
    title = f"submit, {SHOWN:,} idle workers are shown"
    yield bench.measure(title, TIMES, lambda: Dispatch(tables).submit(make_submission(f"new-{next(numbers)}")))
    tables.change("DELETE FROM workers")
    yield bench.measure("take", TIMES, caller.take)
    process = describe_self().replace('"run": ""', '"run": "it"')

    def with_each(work: Callable[[str], object]) -> Callable[[], object]:
        ids = iter(caller.taken)
        return lambda: work(next(ids))

    yield bench.measure("note its process", TIMES, with_each(lambda id: Dispatch(tables).own(id, worker, process)))
    run = "20260101-000000-aaaaaa"
    yield bench.measure("note its run", TIMES, with_each(lambda id: Dispatch(tables).name_run(id, run)))
    row = WorkerRow(worker, caller.host, os.getpid(), owner, 4)
    yield bench.measure("show a worker", TIMES, lambda: Dispatch(tables).save_worker(row))
    over = Rest(ENDED, 0.0, "the plan is complete", "complete")
    yield bench.measure("put back (rest)", TIMES, with_each(lambda id: Dispatch(tables).rest(id, worker, over)))


def _measure_looks(bench: Bench, caller: Caller) -> Iterator[Rate]:
    """What a worker asks when it is woken, and at its beat, while others have work."""
    tables, later = bench.tables, bench.tables.now() + 86_400
    away = "UPDATE submissions SET state = 'taken', worker = 'other/1/1', taken_on = 'other', until = ?"
    tables.change(f"{away} WHERE state = 'queued'", later)
    yield bench.measure(f"a worker is woken for nothing, {ROWS:,} at work", TIMES // 2, caller.wake)
    yield bench.measure(f"a worker's beat, {ROWS:,} at work", TIMES // 2, caller.beat)
    fill(tables, "late", TIMES)
    yield bench.measure(f"take, {ROWS:,} at work", TIMES // 2, caller.take)
    mine = Dispatch(tables).list_taken()[0]
    asking = partial(Dispatch(tables).wants_turn, mine, host_identity())
    yield bench.measure(f"does anybody wait, {ROWS:,} at work", TIMES // 2, asking)
    Dispatch(tables).set_limit("repository", "*", 3)
    yield bench.measure(f"take, {ROWS:,} at work, a limit for every repository", TIMES // 4, caller.take)
    Dispatch(tables).set_limit("repository", "*", None)


def _measure_schedules(bench: Bench) -> Iterator[Rate]:
    tables = bench.tables
    fill_schedules(tables, ROWS)
    yield bench.measure(f"fire, nothing due of {ROWS:,}", TIMES, lambda: Dispatch(tables).fire_due())
    tables.change("UPDATE schedules SET next = ?", tables.now() - 1)
    fired = bench.measure("", 1, lambda: Dispatch(tables).fire_due())
    per = (fired.seconds / ROWS, fired.server / ROWS, fired.asked / ROWS, fired.locked / ROWS)
    yield Rate(f"fire one of {ROWS:,} that are due at once", *per)


def _report(title: str, rates: Iterator[Rate]) -> list[str]:
    lines = [f"{title:<52}{'/s':>9}{'ms':>9}{'CPU ms':>9}{'asked':>8}{'locked':>8}"]
    for rate in rates:
        figures = f"{1 / rate.seconds:>9,.0f}{1000 * rate.seconds:>9.2f}{1000 * rate.server:>9.2f}"
        lines.append(f"  {rate.title:<50}{figures}{rate.asked:>8.1f}{rate.locked:>8.1f}")
    return [*lines, ""]
