"""10,000 plans in flight, simulated with measured durations: what limits the queue and the database, and where.

`python bench/simulate.py [--plans N] [--seed N]`, in less than a minute. Durations come from `measured_costs.py`, which
`bench/workers.py` measured; the model is `simulation.py`. It is first held against the throughput that was measured.
"""

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from measured_costs import FIRST, NOW, THROUGHPUT, THROUGHPUT_PHASES, THROUGHPUT_PLANS, THROUGHPUT_SLEEP
from simulation import Costs, Outcome, Site, find_most, quantile, simulate_batch, simulate_flight

PLANS = 10_000
MOST_BUSY = 0.8  # of the database's cores, and of the lock: beyond, lines grow fast
MOST_GAP, MOST_GAP_CROWDED = 0.3, 1.5  # seconds, of 99 in 100; in a crowd another run begins, which takes its time
CASES = (("first, calm", FIRST, False), ("now, calm", NOW, False), ("now, crowded", NOW, True))
TITLES = (
    *("slots", "workers", "phases/s", "gap p50", "gap p99", "lock busy", "its p99"),
    *("CPU busy", "commits/s", "WAL kB/s", "connections"),
)
CHECKED_CONNECTIONS = (100, 500, 5_000)


def main(argv: Sequence[str]) -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="bench/simulate.py", description=__doc__)
    parser.add_argument("--plans", type=int, default=PLANS, help="plans in flight (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    began = time.monotonic()
    for part in (_validate, _table, _knees, _chart, _connections):
        print("\n".join(part(arguments.plans, arguments.seed)) + "\n", flush=True)
    print(f"(simulated in {time.monotonic() - began:.0f} s, seed {arguments.seed})")
    return 0


def _validate(plans: int, seed: int) -> list[str]:
    """The throughput bench, simulated: database and workers on the same two cores."""
    del plans
    what = f"{THROUGHPUT_PLANS} plans x {THROUGHPUT_PHASES} phases that sleep {THROUGHPUT_SLEEP:g} s"
    lines = [f"{what}, workers of 4 slots, 2 cores for all and the database"]
    lines.append(f"{'':<12}{'measured':>12}{'simulated':>12}{'off by':>9}")
    site = Site(THROUGHPUT_PLANS, 4, 2, 0.0001, THROUGHPUT_SLEEP, 0.0, is_shared=True)
    for workers, measured in THROUGHPUT.items():
        outcome = simulate_batch(site, NOW, THROUGHPUT_PHASES, workers, seed=seed)
        rate = outcome.phases / outcome.ended
        off = f"{100 * (rate / measured - 1):+.0f} %" if measured else ""
        lines.append(f"{workers} worker{'s'[: workers - 1]:<4}{f'{measured:.2f} /s':>12}{f'{rate:.2f} /s':>12}{off:>9}")
    return lines


def _table(plans: int, seed: int) -> list[str]:
    """The same number of plans on small and large workers, calm and crowded, before and after what was fixed."""
    lines = [
        f"{plans:,} plans in flight, phases of {Site(1).agent / 60:.0f} minutes, a database of 4 cores, 0.5 ms away"
    ]
    lines.append(f"{'':<16}" + "".join(f"{title:>12}" for title in TITLES))
    for title, costs, is_crowded in CASES:
        for slots in (4, 16, 64):
            site = Site(plans, slots, is_crowded=is_crowded)
            outcome = simulate_flight(site, costs, seconds=30.0, seed=seed)
            lines.append(f"{title:<16}" + "".join(f"{cell:>12}" for cell in _cells(site, costs, outcome)))
    return lines


def _cells(site: Site, costs: Costs, outcome: Outcome) -> tuple[str, ...]:
    seconds = outcome.seconds
    return (
        str(site.slots),
        f"{site.workers:,}",
        f"{outcome.phases / seconds:.1f}",
        *(_milliseconds(outcome, outcome.gap(share)) for share in (0.5, 0.99)),
        f"{100 * outcome.lock_busy:.1f} %",
        f"{1000 * quantile(outcome.lock_waits, 0.99):.1f} ms",
        f"{100 * outcome.cpu_busy:.0f} %",
        f"{outcome.commits / seconds:,.0f}",
        f"{outcome.wal / seconds / 1000:,.0f}",
        f"{count_connections(site, costs):,.0f}",
    )


def _milliseconds(outcome: Outcome, gap: float) -> str:
    return f"{1000 * gap:.0f} ms" if outcome.gaps and outcome.cpu_busy < 1 else "no end"


def _knees(plans: int, seed: int) -> list[str]:
    """The most plans in flight that a database carries, and what is at its limit there."""
    del plans
    lines = ["the most plans in flight, connections aside (gap p99, lock and CPU below their limits), and what limits"]
    lines.append(f"{'':<36}{'first':>24}{'now, calm':>24}{'now, crowded':>24}")
    for slots, cores, network in ((4, 4, 0.0005), (16, 4, 0.0005), (64, 4, 0.0005), (16, 16, 0.0005), (16, 4, 0.005)):
        title = f"{slots} slots, {cores} cores, {1000 * network:g} ms away"
        cells = []
        for costs, is_crowded in ((FIRST, False), (NOW, False), (NOW, True)):
            site = Site(1, slots, cores, network, is_crowded=is_crowded)
            most = find_most(_is_good(site, costs, seed), 80_000, exactness=0.1)
            cells.append(f"{most:,} ({_what_limits(replace(site, plans=math.ceil(most * 1.1)), costs, seed)})")
        lines.append(f"{title:<36}" + "".join(f"{cell:>24}" for cell in cells))
    return lines


def _is_good(site: Site, costs: Costs, seed: int) -> Callable[[int], bool]:
    return lambda plans: not _limits(replace(site, plans=plans), costs, seed)


def _what_limits(site: Site, costs: Costs, seed: int) -> str:
    return ", ".join(_limits(site, costs, seed)) or "nothing"


def _limits(site: Site, costs: Costs, seed: int) -> list[str]:
    """What is beyond its limit."""
    outcome = simulate_flight(site, costs, seconds=_seconds(site), seed=seed)
    most = MOST_GAP_CROWDED if site.is_crowded else MOST_GAP
    found = {
        "CPU": outcome.cpu_busy > MOST_BUSY,
        "lock": outcome.lock_busy > MOST_BUSY,
        "gap": outcome.gap(0.99) > most,
    }
    return [name for name, is_beyond in found.items() if is_beyond]


def _seconds(site: Site) -> float:
    """So long that some phases end, and not so long that it takes for ever."""
    return max(6.0, min(60.0, 100_000 / site.plans))


def _chart(plans: int, seed: int) -> list[str]:
    """How busy the database is, over the plans in flight."""
    del plans
    lines = ["CPU of a database of 4 cores, 16 slots a worker (. first, o now and calm, x now and crowded; | is full)"]
    for number in (250, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000):
        line = [" "] * 60 + ["|"]
        for mark, costs, is_crowded in ((".", FIRST, False), ("x", NOW, True), ("o", NOW, False)):
            site = Site(number, is_crowded=is_crowded)
            outcome = simulate_flight(site, costs, seconds=8.0, seed=seed)
            line[min(60, int(60 * outcome.cpu_busy))] = mark
        lines.append(f"{number:>7,} {''.join(line)}")
    return lines


def _connections(plans: int, seed: int) -> list[str]:
    """What the number of connections allows, which no simulation is needed for."""
    del seed
    lines = [
        f"connections that {plans:,} plans need: {count_connections(Site(plans), NOW):,.0f} with 16 slots a worker"
    ]
    for most in CHECKED_CONNECTIONS:
        fits = _most_connected(most - 10)
        lines.append(f"  max_connections = {most:,}: {fits:,} plans in flight (10 are left for people)")
    return lines


def _most_connected(connections: int) -> int:
    return find_most(lambda number: count_connections(Site(number), NOW) <= connections, 100_000, exactness=0.0)


def count_connections(site: Site, costs: Costs) -> float:
    """The connections of all workers and runs."""
    return site.workers * costs.worker_connections + site.plans * costs.run_connections


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
