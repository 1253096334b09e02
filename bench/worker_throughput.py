"""One worker against two and eight, with agents that wait as models do: many plans, a repository each, on PostgreSQL.

All plans are submitted before the workers start, and what counts is the time from the first start of a phase to the
end of the last plan, as the runs wrote it down. Each worker has a state folder of its own, as on another machine.
"""

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec

from servers import PostgresServer, make_dbos_template
from worker_stage import Run, Stage, cpu_of_server, durable_server, expect_landed

BARS = {2: 1.8, 8: 6.0}  # how many times one worker so many shall be
PHASES = 2
SLOTS, SLEEP = (
    2,
    10,
)  # two cores are there for all workers, agents and the database: agents wait long beside what they cost
PLAIN, REMOTES, DBOS = "in place", "bare remotes", "remotes, DBOS"


@dataclass(frozen=True)
class Result:
    """How many phases a second so many workers did, the server's CPU, and which share of the machine's cores was busy,
    with whatever."""

    workers: int
    rate: float
    seconds: float
    server: float
    busy: float


def measure_throughput(folder: str, plans: int, rounds: int) -> str:
    """A table: in place, in workers' clones that land on bare remotes, and these with turns by DBOS if it is there."""
    lines = [f"{plans} plans x {PHASES} phases that sleep {SLEEP} s, workers of {SLOTS} slots, PostgreSQL"]
    rates = f"{'':<16}{'workers':>8}{'phases':>12}{'times one':>12}   {'bar':<12}"
    lines.append(f"{rates}{'server CPU/phase':>18}{'cores busy':>12}")
    with durable_server() as server:
        template = make_dbos_template(server) if find_spec("dbos") else ""
        for turn in range(rounds):
            for title in (PLAIN, REMOTES, DBOS) if template else (PLAIN, REMOTES):
                made = template if title == DBOS else "template1"
                results = [
                    _measure(server, f"{folder}/{turn}-{title}-{count}", plans, count, title, made)
                    for count in (1, *BARS)
                ]
                lines += [_line(title, results[0], result, plans * PHASES) for result in results]
    return "\n".join(lines)


def _measure(server: PostgresServer, folder: str, plans: int, workers: int, title: str, template: str) -> Result:
    with server.fresh_database(template) as url, contextlib.ExitStack() as stack:
        stage = Stage(folder.replace(" ", "-").replace(",", ""), url)
        os.makedirs(stage.folder)
        has_remote = title != PLAIN
        places = [stage.add(f"plan-{number}", PHASES, seconds=SLEEP, has_remote=has_remote) for number in range(plans)]
        stage.submit(places)
        before, machine = cpu_of_server(server), _busy_and_all()
        for number in range(workers):
            stack.enter_context(stage.worker(SLOTS, f"machine-{number}"))
        runs = stage.wait(plans)
        server_cpu = cpu_of_server(server) - before
        busy, whole = (after - was for after, was in zip(_busy_and_all(), machine, strict=True))
    for place in places:
        expect_landed(place, PHASES)
    return summarise(runs, workers, server_cpu, busy / whole)


def summarise(runs: Sequence[Run], workers: int, server_cpu: float, busy: float) -> Result:
    """What some runs amount to. Pure."""
    seconds = max(run.ended for run in runs) - min(run.began for run in runs)
    return Result(workers, len(runs) * PHASES / seconds, seconds, server_cpu, busy)


def _busy_and_all() -> tuple[float, float]:
    """How long the machine's cores have been busy, and how long they have been there."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(value) for value in file.readline().split()[1:9]]
    return float(sum(ticks) - ticks[3] - ticks[4]), float(sum(ticks))


def _line(title: str, one: Result, result: Result, phases: int) -> str:
    times, bar = result.rate / one.rate, BARS.get(result.workers)
    judged = "" if bar is None else f"{bar:g} {'met' if times >= bar else 'MISSED'}"
    rates = f"{title:<16}{result.workers:>8}{f'{result.rate:.2f} /s':>12}{times:>12.2f}   {judged:<12}"
    return f"{rates}{f'{1000 * result.server / phases:.0f} ms':>18}{f'{100 * result.busy:.0f} %':>12}"
