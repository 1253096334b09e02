"""What workers cost and how fast they are, embedded and on a PostgreSQL of its own, which forces its commits to disk.

`python bench/workers.py [--only pace|throughput|cost|queue|budgets|prune] [--write]`: an idle worker and its pace in
one run; one worker against two and eight with agents that wait; what a phase costs in rows, bytes, connections and CPU;
the queue with 10,000 rows; the budgets of a team in counts and CPU; what 200 runs leave, and what of it when they are
pruned.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version

from report import describe_machine, write

PARTS = ("pace", "throughput", "cost", "queue", "budgets", "prune")


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where a bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/workers.py", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="this part")
    parser.add_argument("--seconds", type=float, default=60, help="how long a worker is left alone (%(default)s)")
    parser.add_argument("--plans", type=int, default=16, help="plans of the throughput (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="how often the throughput is measured (%(default)s)")
    parser.add_argument("--write", action="store_true", help="put all parts into docs/benchmarks.md")
    arguments = parser.parse_args(argv)
    told = []
    for part in arguments.only or PARTS:
        told.append(_measure_part(part, arguments))
        print(f"{told[-1]}\n", flush=True)
    if arguments.write and not arguments.only:
        text = "\n\n".join(told)
        write("workers", f"- {describe_machine(version('planrail'))}\n\n```text\n{text}\n```")
    return 0


def _measure_part(part: str, arguments: argparse.Namespace) -> str:
    """The table of a part, and how busy the machine was."""
    load, began = os.getloadavg()[0], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="planrail-workers-", ignore_cleanup_errors=True) as folder:
        table = _measure(part, arguments)(folder)
    seconds, now = time.monotonic() - began, os.getloadavg()[0]
    return f"{table}\n({part}: {seconds:.0f} s; load of the machine {load:.1f} before, {now:.1f} after)"


def _measure(part: str, arguments: argparse.Namespace) -> Callable[[str], str]:
    match part:
        case "pace":
            from worker_pace import measure_pace

            return lambda folder: measure_pace(folder, arguments.seconds)
        case "throughput":
            from worker_throughput import measure_throughput

            return lambda folder: measure_throughput(folder, arguments.plans, arguments.rounds)
        case "cost":
            from worker_costs import measure_costs

            return measure_costs
        case "budgets":
            from queue_crowds import measure_budgets

            return measure_budgets
        case "prune":
            from pruned_bytes import measure_pruning

            return measure_pruning
        case _:
            from queue_rates import measure_queue

            return measure_queue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
