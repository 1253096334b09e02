"""What a phase costs: rows, bytes, commits, connections and CPU on PostgreSQL; bytes, syncs and CPU embedded.

A worker that leaves when nothing is left carries out plans of few and of many phases. What differs, divided by the
phases that differ, is the cost of a phase; the rest is the cost of a run.
"""

import contextlib
import ctypes
import os
import resource
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import psycopg
from servers import PostgresServer
from worker_stage import (
    PLANRAIL,
    SECONDS,
    Stage,
    children_of,
    cpu_of_server,
    durable_server,
    expect_landed,
    memory_of,
)

FEW, MANY, PLANS, LONG = 2, 22, 2, 40
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what agents' runners leave behind is counted, too
TABLES = ("steps", "facts", "texts", "runs", "claims", "submissions", "workers")
_DATABASE = """SELECT sessions, xact_commit, tup_inserted, tup_updated, tup_deleted,
    pg_current_wal_lsn() - '0/0'::pg_lsn FROM pg_stat_database WHERE datname = current_database()"""
_TABLE = """SELECT n_tup_ins + n_tup_upd + n_tup_del, n_tup_ins - n_tup_del, pg_total_relation_size(relid)
    FROM pg_stat_user_tables WHERE schemaname = 'planrail' AND relname = %s"""


@dataclass
class Cost:
    """What was used: figures by name."""

    figures: dict[str, float] = field(default_factory=dict)

    def less(self, other: "Cost", divisor: float) -> "Cost":
        """What this used more than another one, for each of so many. Pure."""
        return Cost({name: (value - other.figures.get(name, 0.0)) / divisor for name, value in self.figures.items()})


def measure_costs(folder: str) -> str:
    """Tables for both kinds of storage."""
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    embedded = [_embedded(f"{folder}/embedded-{phases}", phases) for phases in (FEW, MANY)]
    with durable_server() as server:
        team = [_team(server, f"{folder}/team-{phases}", phases) for phases in (FEW, MANY)]
        peak = _connections(server, f"{folder}/peak")
        beats = _beats(server, f"{folder}/beats")
    lines = _report("embedded", embedded) + _report("PostgreSQL, in place", team)
    return "\n".join([*lines, *peak, *beats])


def _report(title: str, costs: Sequence[Cost]) -> list[str]:
    few, many = costs
    phase = many.less(few, PLANS * (MANY - FEW))
    run = {name: few.figures[name] / PLANS - FEW * phase.figures[name] for name in few.figures}
    lines = [f"{title:<36}{'a phase':>12}{'a run besides':>16}"]
    lines += [f"  {name:<34}{phase.figures[name]:>12,.1f}{run[name]:>16,.1f}" for name in phase.figures]
    return [*lines, ""]


def _embedded(folder: str, phases: int) -> Cost:
    stage = Stage(folder)
    places = [stage.add(f"plan-{number}", phases) for number in range(PLANS)]
    for place in places:
        stage.planrail(place, "service", "add")
    stage.submit(places)
    before, cpu = _size(f"{folder}/state/ledgers"), _cpu_of_children()
    _work(stage, [])
    used = _cpu_of_children() - cpu
    for place in places:
        expect_landed(place, phases)
    figures = {"CPU ms": 1000 * used, "bytes kept": float(_size(f"{folder}/state/ledgers") - before)}
    return Cost({**figures, **_syncs(folder, phases)})


def _syncs(folder: str, phases: int) -> dict[str, float]:
    """How often a disk is waited for, by strace where it is there, in a run of its own."""
    if shutil.which("strace") is None:
        return {}
    stage = Stage(f"{folder}-traced")
    places = [stage.add(f"plan-{number}", phases) for number in range(PLANS)]
    for place in places:
        stage.planrail(place, "service", "add")
    stage.submit(places)
    told = f"{stage.folder}/syncs"
    _work(stage, ["strace", "-f", "-qq", "-o", told, "-e", "trace=fsync,fdatasync", "--seccomp-bpf"])
    with open(told, encoding="utf-8", errors="replace") as file:
        return {"fsync and fdatasync": float(sum("sync(" in line for line in file))}


def _team(server: PostgresServer, folder: str, phases: int) -> Cost:
    with server.fresh_database() as url:
        stage = Stage(folder, url)
        os.makedirs(folder)
        places = [stage.add(f"plan-{number}", phases) for number in range(PLANS)]
        stage.submit(places)
        before, cpu, own = _look(url), cpu_of_server(server), _cpu_of_children()
        _work(stage, [])
        used, ours = cpu_of_server(server) - cpu, _cpu_of_children() - own
        after = _look(url)
    for place in places:
        expect_landed(place, phases)
    return Cost(
        {"CPU ms, worker and runs": 1000 * ours, "CPU ms, server": 1000 * used, **after.less(before, 1).figures}
    )


def _look(url: str) -> Cost:
    """What the server has counted until now."""
    with psycopg.connect(url, autocommit=True) as link:
        time.sleep(1.5)  # backends tell their counts when they have been idle for a second
        link.execute("SELECT pg_stat_force_next_flush()")
        names = ("connections made", "commits", "rows inserted", "rows updated", "rows deleted", "bytes of WAL")
        row = link.execute(_DATABASE).fetchone() or ()
        figures = {name: float(value) for name, value in zip(names, row, strict=True)}
        for table in TABLES:
            written, kept, size = link.execute(_TABLE, (table,)).fetchone() or (0, 0, 0)
            figures[f"{table}: rows written"] = float(written)
            figures[f"{table}: rows kept"] = float(kept)
            figures[f"{table}: bytes on disk"] = float(size)
    return Cost(figures)


def _connections(server: PostgresServer, folder: str) -> list[str]:
    """How many connections workers and runs have: a worker of 4 slots, idle and full."""
    with server.fresh_database() as url:
        stage = Stage(folder, url)
        os.makedirs(folder)
        places = [stage.add(f"plan-{number}", 2, seconds=8) for number in range(4)]
        seen: list[int] = []
        over = threading.Event()
        with stage.worker(4) as worker, psycopg.connect(url, autocommit=True) as link:
            time.sleep(3)
            idle = count_connections(link)
            stage.submit(places)
            watch = threading.Thread(target=lambda: _watch(url, over, seen))
            watch.start()
            time.sleep(5)
            sizes = [memory_of(pid) for pid in children_of(worker.pid)]
            stage.wait(len(places))
            over.set()
            watch.join()
    steady = sorted(seen)[len(seen) // 2]
    told = f"connections: idle worker {idle}; with 4 runs at work, median {steady}, at most {max(seen)}"
    resident, proportional = (max(size[kind] for size in sizes) for kind in (0, 1))
    return [
        told,
        f"  that is {(steady - idle) / 4:.1f} (median) and {(max(seen) - idle) / 4:.1f} (peak) for each run",
        f"memory of a run's process while its agent works: {resident:.0f} MB resident, {proportional:.0f} proportional",
    ]


def _watch(url: str, over: threading.Event, seen: list[int]) -> None:
    with psycopg.connect(url, autocommit=True) as link:
        while not over.wait(0.02):
            seen.append(count_connections(link) - 1)


def count_connections(link: "psycopg.Connection[tuple[object, ...]]") -> int:
    """The connections of planrail to this database: not this one."""
    asking = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    row = link.execute(asking).fetchone()
    return int(str(row[0])) if row else 0


def _beats(server: PostgresServer, folder: str) -> list[str]:
    """What a run costs while its agent works and nothing happens."""
    with server.fresh_database() as url:
        stage = Stage(folder, url)
        os.makedirs(folder)
        places = [stage.add(f"plan-{number}", 1, seconds=LONG + 15) for number in range(4)]
        with stage.worker(4) as process:
            time.sleep(5)  # it makes the tables
            idle, idle_cpu = _over_time(server, url, process.pid)
            stage.submit(places)
            time.sleep(5)  # they begin
            busy, busy_cpu = _over_time(server, url, process.pid)
            stage.wait(len(places))
    lines = ["a second of waiting:                 idle worker     each run"]
    for name in ("commits", "bytes of WAL", "rows updated", "CPU ms, server"):
        run = (busy.figures[name] - idle.figures[name]) / 4
        lines.append(f"  {name:<34}{idle.figures[name]:>12,.2f}{run:>13,.2f}")
    lines.append(f"  CPU ms, worker{'':<20}{idle_cpu:>12,.2f}   with 4 runs: {busy_cpu:,.2f}")
    return lines


def _over_time(server: PostgresServer, url: str, pid: int) -> tuple[Cost, float]:
    """What the server did in each second of a while, and the worker's CPU milliseconds."""
    from worker_stage import cpu_of

    seconds = LONG / 2
    before, cpu, own = _look(url), cpu_of_server(server), cpu_of(pid)
    began = time.monotonic()
    time.sleep(seconds)
    passed = time.monotonic() - began
    used, ours = cpu_of_server(server) - cpu, cpu_of(pid) - own
    cost = _look(url).less(before, passed + 1.5)
    cost.figures["CPU ms, server"] = 1000 * used / passed
    return cost, 1000 * ours / passed


def _work(stage: Stage, wrapper: Sequence[str]) -> None:
    """A worker does what is there, and leaves; all that was started is waited for, so that its CPU is counted."""
    command = [*wrapper, *PLANRAIL, "worker", "--slots", "1", "--once"]
    with open(f"{stage.folder}/worker.log", "ab") as log:
        done = subprocess.run(
            command,
            cwd=stage.folder,
            env=stage.environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            timeout=SECONDS,
        )
    if done.returncode:
        raise SystemExit(f"bench: the worker in {stage.folder} failed: see worker.log there")


def _cpu_of_children() -> float:
    """The CPU seconds of all that was started here and has ended, orphans included; the server has not ended."""
    time.sleep(0.3)
    _reap_orphans()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap_orphans() -> None:
    for pid in children_of(os.getpid()):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            if file.read().rpartition(") ")[2][:1] == "Z":
                os.waitpid(pid, os.WNOHANG)


def _size(folder: str) -> int:
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
