"""Many at once at the queue of a shared database: processes that take and put back, and connections that listen.

And the budgets of a team, in counts and CPU: what a worker, a submission and a run that waits may cost, however many
workers there are.
"""

import contextlib
import os
import time
from collections.abc import Iterator
from multiprocessing import get_context

import psycopg
from queue_rows import fill, make_submission
from servers import PostgresServer
from worker_costs import count_connections
from worker_stage import Stage, cpu_of_server, durable_server

from planrail.base.records import replace
from planrail.store.ledger import open_team_tables
from planrail.store.owners import host_identity
from planrail.store.postgres.connections import close_idle
from planrail.store.postgres.names import channel_of
from planrail.store.signs import name_worker
from planrail.store.tables import Tables
from planrail.team.dispatch import Dispatch
from planrail.team.process_notes import describe_self
from planrail.team.queueing import ENDED, Rest, WorkerRow

ROWS, TIMES = 10_000, 200
LISTENERS = 300
IDLE, SUBMISSIONS, WAITING, SHOWN = (0, 8, 24), 20, 16, 1_000
MOST_IDLE, MOST_LINKS, MOST_SUBMIT, MOST_WAITING, MOST_BEAT = 5.0, 3, 12.0, 4, 5.0
_WATCHED, _BEAT = 40.0, 5.0  # seconds
_LATE = 11.0  # seconds after which a server has counted what was done


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


# ---- budgets ----


def measure_budgets(folder: str) -> str:
    """What is counted, and the bar for each."""
    lines = []
    with durable_server() as server:
        for idle in IDLE:
            with _crowd(server, f"{folder}/idle-{idle}", idle) as (url, pids):
                rest, links, _ = _watch(url, pids)
                if idle:
                    lines.append(_judge(f"{idle} idle workers: transactions/s of each", rest / idle, MOST_IDLE))
                    lines.append(_judge("  connections of each", links / idle, MOST_LINKS))
                lines.append(
                    _judge(f"a submission, {idle} idle workers: transactions", _submit(url, rest), MOST_SUBMIT)
                )
        with _crowd(server, f"{folder}/alone", 1) as (url, pids):
            alone = _watch(url, pids)[2]
            with open_team_tables(url) as tables:
                show_workers(tables, busy=4)
            crowded = _watch(url, pids)[2]
            title = f"CPU ms of a worker's beat, {SHOWN:,} workers shown (it alone: {alone:.1f})"
            lines.append(_judge(title, crowded, MOST_BEAT))
        lines.append(
            _judge(f"connections of a worker with {WAITING} runs that wait", *_wait_for_agents(server, folder))
        )
    return "\n".join(lines)


def _judge(title: str, found: float, most: float) -> str:
    return f"{title:<72}{found:>8.1f}   at most {most:g} {'met' if found <= most else 'MISSED'}"


@contextlib.contextmanager
def _crowd(server: PostgresServer, folder: str, count: int) -> Iterator[tuple[str, list[int]]]:
    """Workers of a team that have nothing to do."""
    with server.fresh_database() as url, contextlib.ExitStack() as stack:
        stage = Stage(folder, url)
        os.makedirs(folder)
        with open_team_tables(url) as tables:  # the tables are made
            tables.now()
        pids = [stack.enter_context(stage.worker(4, f"state-{number}")).pid for number in range(count)]
        with open_team_tables(url) as tables:
            while len(Dispatch(tables).list_workers()) < count:
                time.sleep(1)
        time.sleep(_LATE)  # and what a worker does once is done
        yield url, pids


def _watch(url: str, pids: list[int]) -> tuple[float, float, float]:
    """Transactions a second of them all, their connections, and CPU milliseconds of each at a beat."""
    close_idle()  # our own
    with psycopg.connect(url, autocommit=True) as link:
        links = count_connections(link)
        cpu, commits, began = sum(map(_cpu_of, pids)), _commits(link), time.monotonic()
        time.sleep(_WATCHED)
        seconds = time.monotonic() - began
        used = sum(map(_cpu_of, pids)) - cpu
        rate = (_commits(link) - commits - 1) / seconds
    return rate, links, 1000 * used / max(1, len(pids)) / (seconds / _BEAT)


def _submit(url: str, rest: float) -> float:
    """Transactions of a submission that no worker may start, those of the workers that it wakes included."""
    with open_team_tables(url) as tables, psycopg.connect(url, autocommit=True) as link:
        Dispatch(tables).hold_account("claude", tables.now() + 86_400)
        time.sleep(_LATE)
        commits, began = _commits(link), time.monotonic()
        for number in range(SUBMISSIONS):
            Dispatch(tables).submit(make_submission(f"new-{number}"))
            time.sleep(0.5)
        time.sleep(_LATE)
        return (_commits(link) - commits - 1 - rest * (time.monotonic() - began)) / SUBMISSIONS


def show_workers(tables: Tables, busy: int = 0) -> None:
    """Workers of other machines, as rows that are seen for a while yet."""
    with tables.exclusive():
        row = WorkerRow("", "elsewhere", 1, describe_self(), 4, busy, version="0")
        for number in range(SHOWN):
            Dispatch(tables).save_worker(replace(row, id=f"elsewhere/{number}"))
        tables.change("UPDATE workers SET seen = seen + 3600 WHERE host = 'elsewhere'")


def _wait_for_agents(server: PostgresServer, folder: str) -> tuple[float, float]:
    """The most connections of a worker and of runs whose agents all work."""
    with server.fresh_database() as url:
        stage = Stage(f"{folder}/waiting", url)
        os.makedirs(stage.folder)
        places = [stage.add(f"plan-{number}", 1, seconds=90) for number in range(WAITING)]
        with stage.worker(WAITING), psycopg.connect(url, autocommit=True) as link:
            stage.submit(places)
            asking = "SELECT count(*) FROM planrail.runs WHERE current LIKE '%implement%'"
            while (link.execute(asking).fetchone() or (0,))[0] < WAITING:
                time.sleep(1)
            time.sleep(15)  # what a run keeps for moments is closed
            seen = []
            for _ in range(200):
                seen.append(count_connections(link))
                time.sleep(0.1)
            stage.wait(WAITING)
    return max(seen), MOST_WAITING


def _commits(link: "psycopg.Connection[tuple[object, ...]]") -> int:
    asking = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    row = link.execute(asking).fetchone()
    return int(str(row[0])) if row else 0


def _cpu_of(pid: int) -> float:
    """Seconds, finer than the clock ticks of `cpu_of`."""
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e9
