"""Many at once at the queue of a shared database: processes that take and put back, and connections that listen."""

import contextlib
import time
from multiprocessing import get_context

from queue_rows import fill
from servers import PostgresServer
from worker_stage import cpu_of_server

from planrail.store.ledger import open_team_tables
from planrail.store.owners import host_identity
from planrail.team import queue
from planrail.team.process_notes import describe_self, name_worker
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
            found = queue.take(tables, worker, describe_self(), host)
            assert found is not None
            queue.rest(tables, found.id, worker, over)
        return time.perf_counter() - began


def raise_storm(url: str, server: PostgresServer, count: int = 100) -> str:
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
