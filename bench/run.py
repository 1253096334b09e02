"""`make bench`: measure planrail, beside whichever peers are installed, and write docs/benchmarks.md.

The exit code is 0 also where a bar is missed: the report says so. It is 1 where the measurement itself failed.
"""

import argparse
import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version

from hook_rows import hook_rows
from measure import FEWEST_RUNS, MeasurementFailed, floor_case, measure, probe, runs_within
from report import Report, describe_machine, wants_colour, write
from rows import Row, peer_rows, planrail_rows

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
# Sections with a program of their own: each has another base than the floor of a process, and its own table.
PROGRAMS = {
    name: os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
    for name in ("effect", "authoring", "runs", "confined", "tasks")
}
ROUNDS = 25
SECONDS_A_ROW = 5.0
SECTIONS = ("plans", "hook", "effect", "authoring", "runs", "confined", "tasks", "peers")


def main(argv: Sequence[str]) -> int:
    """Measure, write, print, one section after the other."""
    arguments = _parse(argv)
    # An installed wheel is compiled by pip; a checkout is compiled here, whatever PYTHONDONTWRITEBYTECODE says.
    compileall.compile_dir(SOURCES, quiet=1)
    try:
        for section in arguments.only or SECTIONS:
            if section != "peers" or not arguments.no_peers:
                _run_section(section, arguments.rounds, is_written=not arguments.no_write)
    except MeasurementFailed as reason:
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run.py", description=__doc__)
    parser.add_argument("--only", action="append", choices=SECTIONS, help="this section, and leave the others' figures")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each command (default: %(default)s)")
    parser.add_argument("--no-peers", action="store_true", help="measure planrail alone")
    parser.add_argument("--no-write", action="store_true", help="leave docs/benchmarks.md as it is")
    arguments = parser.parse_args(argv)
    if arguments.rounds < FEWEST_RUNS:
        parser.error(f"--rounds must be at least {FEWEST_RUNS}")
    return arguments


def _run_section(section: str, rounds: int, *, is_written: bool) -> None:
    """Measure a section, show it, and put it into the document."""
    text, body = _measure_apart(section, rounds) if section in PROGRAMS else _measure_section(section, rounds)
    print(f"{text}\n", flush=True)
    if is_written and body:
        write(section, body)


def _measure_section(section: str, rounds: int) -> tuple[str, str]:
    """A section for the terminal and for the document; nothing for the latter where there is nothing to measure."""
    notes: list[str] = []
    with tempfile.TemporaryDirectory(prefix="planrail-bench-") as folder:
        chosen = _probe_all(_rows(section, folder, notes.append), rounds, notes.append)
        if not chosen:
            return "\n".join(notes), ""
        floor = floor_case(folder, chosen[0][0].case.environment)
        cases = [(row.case, runs) for row, runs in chosen]
        measurement = measure(floor, cases, rounds, lambda turn: _tell(f"{section}: round {turn + 1} of {rounds}"))
    _tell("")
    report = Report(section, [row for row, _ in chosen], measurement, version("planrail"), notes)
    return report.as_text(is_coloured=wants_colour()), report.as_markdown()


def _rows(section: str, folder: str, leave_out: Callable[[str], None]) -> Iterator[Row]:
    match section:
        case "plans":
            return planrail_rows(folder)
        case "hook":
            return hook_rows(folder)
        case _:
            return peer_rows(folder, leave_out)


def _measure_apart(section: str, rounds: int) -> tuple[str, str]:
    """A section that has a program of its own: the comparison by effect beside `git status`, judging in process."""
    runs = max(FEWEST_RUNS, rounds // 2) if section == "effect" else rounds  # large trees, which have to age
    _tell(f"{section}: {runs} rounds")
    program = PROGRAMS[section]
    done = subprocess.run([sys.executable, program, "--rounds", str(runs)], stdout=subprocess.PIPE, text=True)
    _tell("")
    if done.returncode:
        raise MeasurementFailed(f"{program}: exit code {done.returncode}")
    summary = f"- {describe_machine(version('planrail'))}\n- Medians of {runs} runs."
    return done.stdout, f"{summary}\n\n```text\n{done.stdout}```"


def _probe_all(rows: Iterable[Row], rounds: int, leave_out: Callable[[str], None]) -> list[tuple[Row, int]]:
    """The rows that answer as they must, each with the number of runs that its time allows."""
    chosen = []
    for row in rows:
        _tell(f"trying {row.program} {row.command}")
        try:
            chosen.append((row, runs_within(SECONDS_A_ROW, probe(row.case), rounds)))
        except MeasurementFailed as reason:
            if not row.is_optional:
                raise MeasurementFailed(f"{row.title}: {reason}") from None
            leave_out(f"{row.program} {row.command} is not measured: {reason}")
    return chosen


def _tell(progress: str) -> None:
    """Show progress on one line, to a person only."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
