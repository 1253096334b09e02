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

from measured_costs import MEASURED, THROUGHPUT, THROUGHPUT_PHASES, THROUGHPUT_PLANS, THROUGHPUT_SLEEP
from simulation import Outcome, Site, count_connections, find_most, quantile, simulate_batch, simulate_flight

PLANS = 10_000
MOST_BUSY = 0.8  # of the database's cores, and of the lock: beyond, lines grow fast
MOST_GAP, MOST_GAP_CROWDED = 0.3, 1.5  # seconds, of 99 in 100; in a crowd another run begins, which takes its time
CASES = (("calm", False), ("crowded", True))
SLOTS = (4, 10, 16, 64)
TITLES = (
    *("slots", "workers", "phases/s", "gap p50", "gap p99", "lock busy", "its p99"),
    *("CPU busy", "commits/s", "WAL kB/s", "connections"),
)
CHECKED_CONNECTIONS, MOST_PLANS = (100, 500, 2_000), 160_000


def main(argv: Sequence[str]) -> int:
    """Simulate and print."""
    parser = argparse.ArgumentParser(prog="bench/simulate.py", description=__doc__)
    parser.add_argument("--plans", type=int, default=PLANS, help="plans in flight (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args(argv)
    began = time.monotonic()
    for part in (_validate, _table, _knees, _connections):
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
        outcome = simulate_batch(site, MEASURED, THROUGHPUT_PHASES, workers, seed=seed)
        rate = outcome.phases / outcome.ended
        off = f"{100 * (rate / measured - 1):+.0f} %" if measured else ""
        lines.append(f"{workers} worker{'s'[: workers - 1]:<4}{f'{measured:.2f} /s':>12}{f'{rate:.2f} /s':>12}{off:>9}")
    return lines


def _table(plans: int, seed: int) -> list[str]:
    """The same number of plans on small and large workers, calm and crowded."""
    lines = [
        f"{plans:,} plans in flight, phases of {Site(1).agent / 60:.0f} minutes, a database of 4 cores, 0.5 ms away"
    ]
    lines.append(f"{'':<9}" + "".join(f"{title:>12}" for title in TITLES))
    for title, is_crowded in CASES:
        for slots in SLOTS:
            site = Site(plans, slots, is_crowded=is_crowded)
            outcome = simulate_flight(site, MEASURED, seconds=60.0, seed=seed)
            lines.append(f"{title:<9}" + "".join(f"{cell:>12}" for cell in _cells(site, outcome)))
    return lines


def _cells(site: Site, outcome: Outcome) -> tuple[str, ...]:
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
        f"{count_connections(site, MEASURED):,.0f}",
    )


def _milliseconds(outcome: Outcome, gap: float) -> str:
    return f"{1000 * gap:.0f} ms" if outcome.gaps and outcome.cpu_busy < 1 else "no end"


def _knees(plans: int, seed: int) -> list[str]:
    """The most plans in flight that a database carries, and what is at its limit there."""
    del plans
    lines = ["the most plans in flight, connections aside (gap p99, lock and CPU below their limits), and what limits"]
    lines.append(f"{'':<36}" + "".join(f"{title:>24}" for title, _ in CASES))
    for slots, cores, network in ((4, 4, 0.0005), (16, 4, 0.0005), (64, 4, 0.0005), (16, 16, 0.0005), (16, 4, 0.005)):
        title = f"{slots} slots, {cores} cores, {1000 * network:g} ms away"
        cells = []
        for _, is_crowded in CASES:
            site = Site(1, slots, cores, network, is_crowded=is_crowded)
            most = find_most(_is_good(site, seed), MOST_PLANS, exactness=0.1)
            limits = _limits(replace(site, plans=math.ceil(most * 1.1)), seed) if most < MOST_PLANS else ["or more"]
            cells.append(f"{most:,} ({', '.join(limits) or 'nothing'})")
        lines.append(f"{title:<36}" + "".join(f"{cell:>24}" for cell in cells))
    return lines


def _is_good(site: Site, seed: int) -> Callable[[int], bool]:
    return lambda plans: not _limits(replace(site, plans=plans), seed)


def _limits(site: Site, seed: int) -> list[str]:
    """What is beyond its limit."""
    outcome = simulate_flight(site, MEASURED, seconds=_seconds(site), seed=seed)
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


def _connections(plans: int, seed: int) -> list[str]:
    """What the number of connections allows, which no simulation is needed for."""
    del seed
    needed = count_connections(Site(plans), MEASURED)
    lines = [f"connections that {plans:,} plans need: {needed:,.0f} with 16 slots a worker"]
    for most in CHECKED_CONNECTIONS:
        fits = _most_connected(most - 10)
        lines.append(f"  max_connections = {most:,}: {fits:,} plans in flight (10 are left for people)")
    return lines


def _most_connected(connections: int) -> int:
    return find_most(lambda number: count_connections(Site(number), MEASURED) <= connections, 100_000, exactness=0.0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
