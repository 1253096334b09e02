"""What a check costs that is confined, beside the same check that is not: in turns, in one run.

`python bench/confined.py [--rounds N]`. The bar is 20 ms more for a check that does nothing. Measured is the CPU time
of all that planrail does for one check (`run_check`), with that of its processes; the median of the rounds.
"""

import argparse
import os
import resource
import statistics
import sys
import tempfile
from collections.abc import Sequence

from planrail.base.run_model import CheckOrder
from planrail.confine.backends import NONE, Backend
from planrail.confine.trials import list_backends, try_backend
from planrail.runs.checks.enclosures import Enclosure
from planrail.runs.checks.environment import check_environment
from planrail.runs.checks.running import run_check

BAR = 0.020
ROUNDS = 25
CHECKS = {
    "nothing": "true",
    "a Python that does nothing": "python3 -I -S -c pass",
    "100 processes": "for i in $(seq 100); do /bin/true; done",
}
_LINE = "{:<28} {:<12} {:>9} {:>9} {:>6}  {}"


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where the bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/confined.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each check (default: %(default)s)")
    rounds = parser.parse_args(argv).rounds
    found = [Backend(NONE), *(backend for backend in list_backends() if not try_backend(backend))]
    print(_LINE.format("a check that starts", "held by", "CPU", "more", "ratio", ""))
    for title, command in CHECKS.items():
        _measure(title, command, found, rounds)
    return 0


def _measure(title: str, command: str, backends: Sequence[Backend], rounds: int) -> None:
    took: dict[str, list[float]] = {backend.name: [] for backend in backends}
    with tempfile.TemporaryDirectory(prefix="planrail-confined-") as folder:
        os.makedirs(os.path.join(folder, "rooms", "work"))
        for _ in range(rounds):
            for backend in backends:
                took[backend.name].append(_run(command, os.path.join(folder, "rooms"), backend))
    bare = statistics.median(took[NONE])
    for name, figures in took.items():
        cost = statistics.median(figures)
        more, ratio = f"{(cost - bare) * 1000:.1f} ms", f"{cost / bare:.2f}"
        verdict = ("" if cost - bare <= BAR else "missed") if name != NONE and command == "true" else "no bar"
        print(
            _LINE.format(
                title, "nothing" if name == NONE else name, f"{cost * 1000:.1f} ms", more, ratio, verdict
            ).rstrip()
        )


def _run(command: str, rooms: str, backend: Backend) -> float:
    enclosure = Enclosure(backend, "it is compared with", temporary=rooms)
    work, output = os.path.join(rooms, "work"), os.path.join(os.path.dirname(rooms), "01.log")
    before = _used()
    done = run_check(CheckOrder(command, 0, "block"), work, "", check_environment(os.environ), output, 60.0, enclosure)
    if done.exit:
        raise SystemExit(f"bench: {command}: exit {done.exit}: {done.tail}")
    return _used() - before


def _used() -> float:
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
