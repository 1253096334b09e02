"""Many at once at the queue of a shared database: processes that take and put back, and connections that listen."""

import contextlib
import time
from multiprocessing import get_context

from queue_rows import fill
from servers import PostgresServer
from worker_stage import cpu_of_server

from planrail.store.ledger import open_team_tables
from planrail.store.owners import host_identity
from planrail.store.postgres.names import channel_of
from planrail.store.signs import name_worker
from planrail.team.dispatch import Dispatch
from planrail.team.process_notes import describe_self
from planrail.team.queueing import ENDED, Rest

ROWS, TIMES = 10_000, 200
LISTENERS = 300


def take_together(url: str, server: PostgresServer, takers: int) -> str:
    """Many processes that take and put back as fast as they can."""
    with open_team_tables(url) as tables:
        fill(tables, "queued", ROWS)
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
            found = Dispatch(tables).take(worker, describe_self(), host)
            assert found is not None
            Dispatch(tables).rest(found.id, worker, over)
        return time.perf_counter() - began


def raise_storm(url: str, server: PostgresServer, count: int = 100) -> str:
    """One worker is woken while many listen: when it has heard, and what it costs the server."""
    import select

    import psycopg

    links = []
    with open_team_tables(url) as tables, contextlib.ExitStack() as stack:
        for number in range(LISTENERS):
            link = psycopg.connect(url, autocommit=True)
            links.append(stack.enter_context(contextlib.closing(link)))
            link.execute(f"LISTEN {channel_of(str(number))}".encode())
        poll = select.poll()
        by_number = {link.fileno(): link for link in links}
        for number in by_number:
            poll.register(number, select.POLLIN)
        cpu, times = cpu_of_server(server), []
        for number in range(count):
            began = time.perf_counter()
            tables.wake(str(number))
            heard: list[object] = []
            while not heard:
                for other, _ in poll.poll(5_000):
                    heard += by_number[other].notifies(timeout=0)
            times.append(time.perf_counter() - began)
        used = (cpu_of_server(server) - cpu) / count
    median = sorted(times)[count // 2]
    return (
        f"one of {LISTENERS} workers that listen is woken: it has heard after {1000 * median:.1f} ms (median),"
        f" {1000 * used:.1f} ms of server CPU"
    )
