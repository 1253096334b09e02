"""One worker against two, with agents that wait as models do: many plans, a repository each, on PostgreSQL.

All plans are submitted before the workers start, and what counts is the time from the first start of a phase to the
end of the last plan, as the runs wrote it down. Each worker has a state folder of its own, as on another machine.
"""

import contextlib
import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from servers import PostgresServer
from worker_stage import Run, Stage, cpu_of_server, durable_server, expect_landed

LEAST = 1.8
SLOTS, PHASES, SLEEP = 4, 3, 2


@dataclass(frozen=True)
class Result:
    """How many phases a second so many workers did, the longest pause between two phases, the server's CPU, and which
    share of the machine's cores was busy, with whatever."""

    workers: int
    rate: float
    gap: float
    seconds: float
    server: float
    busy: float


def measure_throughput(folder: str, plans: int, rounds: int) -> str:
    """A table: in place, and in workers' clones that land on bare remotes."""
    lines = [f"{plans} plans x {PHASES} phases that sleep {SLEEP} s, workers of {SLOTS} slots, PostgreSQL"]
    rates = f"{'1 worker':>14}{'2 workers':>14}{'times':>8}   {'bar':<10}"
    lines.append(f"{'':<16}{rates}{'longest gap':>12}{'server CPU/phase':>18}{'cores busy':>14}")
    with durable_server() as server:
        for turn in range(rounds):
            for title, has_remote in (("in place", False), ("bare remotes", True)):
                places = (f"{folder}/{turn}-{title}-{count}" for count in (1, 2))
                one, two = (
                    _measure(server, place, plans, count, has_remote=has_remote)
                    for count, place in enumerate(places, start=1)
                )
                lines.append(_line(title, one, two, plans * PHASES))
    return "\n".join(lines)


def _measure(server: PostgresServer, folder: str, plans: int, workers: int, *, has_remote: bool) -> Result:
    with server.fresh_database() as url, contextlib.ExitStack() as stack:
        stage = Stage(folder.replace(" ", "-"), url)
        os.makedirs(stage.folder)
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
    gaps = [gap for run in runs for gap in run.gaps()]
    return Result(workers, sum(len(run.gaps()) + 1 for run in runs) / seconds, max(gaps), seconds, server_cpu, busy)


def _busy_and_all() -> tuple[float, float]:
    """How long the machine's cores have been busy, and how long they have been there."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(value) for value in file.readline().split()[1:9]]
    return float(sum(ticks) - ticks[3] - ticks[4]), float(sum(ticks))


def _line(title: str, one: Result, two: Result, phases: int) -> str:
    times = two.rate / one.rate
    judged = "met" if times >= LEAST else "MISSED"
    rates = "".join(f"{f'{result.rate:.2f} /s':>14}" for result in (one, two))
    server = statistics.mean(result.server / phases for result in (one, two))
    gap = max(one.gap, two.gap)
    costs = f"{f'{1000 * gap:.0f} ms':>12}{f'{1000 * server:.0f} ms':>18}"
    busy = f"{100 * one.busy:.0f}, {100 * two.busy:.0f} %"
    return f"{title:<16}{rates}{times:>8.2f}   {f'{LEAST:g} {judged}':<10}{costs}{busy:>14}"
