"""One worker, one setting, one run: what it costs while it has nothing to do, and how soon it acts when it has.

The worker serves three repositories whose schedules are far away. It is left alone for a minute, and then gets plans
by the same command that people type. How soon is told by the times that the runs themselves wrote down.
"""

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worker_stage import Run, Stage, cpu_of, cpu_of_server, durable_server, expect_landed, memory_of

MOST_CPU, MOST_MEMORY, MOST_GAP = 2.0, 120.0, 0.300  # percent of a core, MB, seconds
PHASES, ALONE, IN_LINE = 5, 3, 4
FAR = "3 9 1 1 *"  # once a year


@dataclass(frozen=True)
class Idle:
    """What a worker cost in so many seconds in which nothing happened; the server's share where it has one."""

    seconds: float
    cpu: float
    resident: float
    proportional: float
    server: float


@dataclass(frozen=True)
class Pace:
    """How long things took, in seconds: from phase to phase, from plan to plan, from a submission to its start."""

    phases: Sequence[float]
    plans: Sequence[float]
    submissions: Sequence[float]


def measure_pace(folder: str, seconds: float) -> str:
    """A table for both kinds of storage."""
    with durable_server() as server, server.fresh_database() as url:
        stages = [Stage(os.path.join(folder, "embedded")), Stage(os.path.join(folder, "team"), url)]
        with contextlib.ExitStack() as stack:
            workers = [stack.enter_context(_idle_worker(stage)) for stage in stages]
            time.sleep(6)  # a beat: what a worker does once is done
            before = [cpu_of(pid) for pid in workers], cpu_of_server(server), time.monotonic()
            time.sleep(seconds)
            passed, server_cpu = time.monotonic() - before[2], cpu_of_server(server) - before[1]
            idle = [
                Idle(passed, cpu_of(pid) - was, *memory_of(pid), server_cpu if stage.url else 0.0)
                for pid, was, stage in zip(workers, before[0], stages, strict=True)
            ]
            paces = [_give_work(stage) for stage in stages]
            after = [memory_of(pid) for pid in workers]
    return _table(idle, paces, after)


@contextlib.contextmanager
def _idle_worker(stage: Stage) -> Iterator[int]:
    """A worker that serves three repositories in which nothing is due, and those that get work later."""
    for number in range(3):
        place = stage.add(f"quiet-{number}", 2)
        stage.planrail(place, "run", "PLAN.md", "every", FAR)
        stage.planrail(place, "service", "add")
    for number in range(ALONE + IN_LINE):
        stage.planrail(stage.add(f"plan-{number}", PHASES), "service", "add")
    with stage.worker(1) as process:
        yield process.pid


def _give_work(stage: Stage) -> Pace:
    """Plans one by one to an idle worker, then several at once to its one slot."""
    places = stage.places[3:]
    runs: list[Run] = []
    for number, place in enumerate(places[:ALONE]):
        stage.submit([place])
        runs = stage.wait(number + 1)
    alone = [run.began - run.submitted for run in runs]
    stage.submit(places[ALONE:])
    runs = stage.wait(len(places))
    for place in places:
        expect_landed(place, PHASES)
    return Pace([gap for run in runs for gap in run.gaps()], _between(runs), alone)


def _between(runs: Sequence[Run]) -> list[float]:
    """From the end of a plan to the start of the next that was waiting for its slot. Pure."""
    in_line = sorted(runs, key=lambda run: run.began)
    pairs = itertools.pairwise(in_line)
    return [later.began - earlier.ended for earlier, later in pairs if later.submitted < earlier.ended]


def _table(idle: Sequence[Idle], paces: Sequence[Pace], after: Sequence[tuple[float, float]]) -> str:
    lines = [f"{'one worker, one run':<54}{'embedded':>12}{'PostgreSQL':>12}   bar"]

    def add(title: str, values: Sequence[float], form: str, most: float = 0.0) -> None:
        judged = f"   {most:g} {'met' if max(values) < most else 'MISSED'}" if most else ""
        lines.append(f"{title:<54}" + "".join(f"{form.format(value):>12}" for value in values) + judged)

    add(
        f"idle for {idle[0].seconds:.0f} s: CPU, % of a core",
        [100 * one.cpu / one.seconds for one in idle],
        "{:.2f}",
        MOST_CPU,
    )
    add("idle: the server's CPU, % of a core", [100 * one.server / one.seconds for one in idle], "{:.2f}")
    add("idle: resident MB", [one.resident for one in idle], "{:.0f}", MOST_MEMORY)
    add("idle: proportional MB", [one.proportional for one in idle], "{:.0f}")
    add("after its work: resident MB", [resident for resident, _ in after], "{:.0f}", MOST_MEMORY)
    for title, times in (
        ("end of a phase to start of the next", [pace.phases for pace in paces]),
        ("end of a plan to start of the next in line", [pace.plans for pace in paces]),
        ("submitted to start, idle worker", [pace.submissions for pace in paces]),
    ):
        bar = MOST_GAP if "phase" in title else 0.0
        add(f"{title}: median ms", [1000 * sorted(some)[len(some) // 2] for some in times], "{:.0f}")
        add(
            f"{'':<2}the longest of {min(map(len, times))}, ms",
            [1000 * max(some) for some in times],
            "{:.0f}",
            1000 * bar,
        )
    return "\n".join(lines)
