"""`make bench`: measure planrail, beside whichever peers are installed, and write docs/benchmarks.md.

The exit code is 0 also where a bar is missed: the report says so. It is 1 where the measurement itself failed.
"""

import argparse
import compileall
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version

from measure import FEWEST_RUNS, Case, Measurement, MeasurementFailed, floor_case, measure, probe, runs_within
from report import Report, show, write
from rows import Row, peer_rows, planrail_rows

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
ROUNDS = 25
SECONDS_A_ROW = 5.0


def main(argv: Sequence[str]) -> int:
    """Measure, write, print."""
    arguments = _parse(argv)
    # An installed wheel is compiled by pip; a checkout is compiled here, whatever PYTHONDONTWRITEBYTECODE says.
    compileall.compile_dir(SOURCES, quiet=1)
    try:
        report = _measure_all(arguments.rounds, with_peers=not arguments.no_peers)
    except MeasurementFailed as reason:
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    if not arguments.no_write:
        write(report)
    show(report)
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each command (default: %(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="measure planrail alone")
    parser.add_argument("--no-write", action="store_true", help="leave docs/benchmarks.md as it is")
    arguments = parser.parse_args(argv)
    if arguments.rounds < FEWEST_RUNS:
        parser.error(f"--rounds must be at least {FEWEST_RUNS}")
    return arguments


def _measure_all(rounds: int, *, with_peers: bool) -> Report:
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="planrail-bench-") as folder:
        rows = [*planrail_rows(folder), *(peer_rows(folder, notes.append) if with_peers else ())]
        chosen = _probe_all(rows, rounds, notes.append)
        floor = floor_case(folder, rows[0].case.environment)
        measurement = _measure(floor, [(row.case, runs) for row, runs in chosen], rounds)
    return Report([row for row, _ in chosen], measurement, version("planrail"), notes)


def _probe_all(rows: Sequence[Row], rounds: int, leave_out: Callable[[str], None]) -> list[tuple[Row, int]]:
    """The rows that answer as they must, each with the number of runs that its time allows."""
    chosen = []
    for row in rows:
        _tell(f"trying {row.program} {row.command}")
        try:
            chosen.append((row, runs_within(SECONDS_A_ROW, probe(row.case), rounds)))
        except MeasurementFailed as reason:
            if not row.is_optional:
                raise
            leave_out(f"{row.program} {row.command} is not measured: {reason}")
    return chosen


def _measure(floor: Case, cases: Sequence[tuple[Case, int]], rounds: int) -> Measurement:
    measurement = measure(floor, cases, rounds, lambda turn: _tell(f"round {turn + 1} of {rounds}"))
    _tell("")
    return measurement


def _tell(progress: str) -> None:
    """Show progress on one line, to a person only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
