"""What a comparison by effect costs beside `git status`: CPU time, in one run.

`python bench/effect.py [--rounds N]`. For each state of a tree these take turns: the interpreter doing nothing (the
floor), `git status`, and a process that does nothing but `compare`. Three ratios to `git status` are printed:

- the comparison less the floor, in a process that ends in the ordinary way, as the floor does; the bar is 2;
- the same where the process leaves as planrail's own do, without taking its objects apart;
- the git processes that it started, alone.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence

from measure import FEWEST_RUNS, Case, MeasurementFailed, floor_case, measure, probe

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")
BAR = 2.0
ROUNDS = 25
SIZES = (1_000, 10_000)
LINES = 40
_LINE = "{:>6}  {:<28} {:>10} {:>9} {:>6} {:>8} {:>8}"
# It begins and ends as `planrail.cli.main.entry` does: no search for cycles, nothing taken apart.
PROGRAM = """
import gc, posix, sys
gc.disable()
sys.path.insert(0, {sources!r})
from planrail.repo.snapshots import compare, load_snapshot
changes = compare({root!r}, load_snapshot({folder!r}, {name!r}))
if len(sys.argv) > 1:
    import resource
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(sys.argv[1], "a") as report:
        report.write(f"{{used.ru_utime + used.ru_stime}}\\n")
print(len(changes.files), flush=True)
{leave}
"""
TAKE = """
import sys, time
sys.path.insert(0, {sources!r})
from planrail.repo.snapshots import take_snapshot
take_snapshot({root!r}, {folder!r}, {name!r}, taken_at=time.time())
"""


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where the bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/effect.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each command (default: %(default)s)")
    arguments = parser.parse_args(argv)
    print(_LINE.format("files", "state", "git status", "compare", "ratio", "leaving", "its git"))
    try:
        for size in SIZES:
            with tempfile.TemporaryDirectory(prefix="planrail-effect-") as folder:
                _measure_size(folder, size, max(arguments.rounds, FEWEST_RUNS))
    except MeasurementFailed as reason:
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    return 0


def _measure_size(folder: str, size: int, rounds: int) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C"}
    root = os.path.join(folder, "tree")
    _make_tree(root, size, environment)
    for number, (state, changed) in enumerate(_states(root, folder, environment)):
        values = {"sources": SOURCES, "root": root, "folder": os.path.join(folder, "s"), "name": f"n{number}"}
        if changed < 0:
            values["name"] = f"n{number - 1}"
        else:
            time.sleep(2.5)  # no file is so young that git has to read it
            _git(root, environment, "status")
            subprocess.run([sys.executable, "-c", TAKE.format(**values)], check=True, env=environment)
            time.sleep(2.5)
        programs = [PROGRAM.format(**values, leave=leave) for leave in ("posix._exit(0)", "")]
        _measure_state(folder, root, environment, programs, (size, state, abs(changed)), rounds)


def _states(root: str, folder: str, environment: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """Each state of the tree; a negative number says that so many files have changed since the last snapshot."""
    yield "clean", 0
    for number in range(50):
        _write(root, number * 7, "changed\n")
    yield "50 dirty at entry", 0
    for number in range(500):
        _put(os.path.join(root, f"untracked/{number % 10}/{number}.txt"), "new\n")
    yield "and 500 untracked at entry", 0
    for number in range(50):
        _write(root, number * 7 + 1, "changed since\n")
    yield "and 50 changed since", -50


def _measure_state(
    folder: str,
    root: str,
    environment: Mapping[str, str],
    programs: Sequence[str],
    about: tuple[int, str, int],
    rounds: int,
) -> None:
    size, state, expected = about
    report = os.path.join(folder, "report")

    def check(output: str) -> str:
        return "" if output.strip() == str(expected) else f"{output.strip()} changes, not {expected}"

    python = [(sys.executable, "-I", "-S", "-c", program) for program in programs]
    status = (shutil.which("git") or "git", "status", "--porcelain=v2", "--untracked-files=all")
    cases = [Case(status, root, environment)]
    cases += [Case(command, root, environment, check=check) for command in (*python, (*python[0], report))]
    for case in (*cases, *cases):  # twice: what the first run refreshes, the second finds
        probe(case)
    os.unlink(report)
    done = measure(floor_case(root, environment), [(case, rounds) for case in cases], rounds, lambda _: None)
    base, quick, ordinary = (result.cpu for result in done.results[:3])
    with open(report, encoding="ascii") as lines:
        started = statistics.median(float(line) for line in lines)
    _print_line((size, state), base, quick - done.floor.cpu, ordinary - done.floor.cpu, started)


def _print_line(about: tuple[int, str], base: float, quick: float, ordinary: float, started: float) -> None:
    ratios = [f"{cost / base:.2f}" for cost in (ordinary, quick, started)]
    line = _LINE.format(*about, f"{base * 1e3:.1f} ms", f"{ordinary * 1e3:.1f} ms", *ratios)
    print(line + ("" if ordinary / base <= BAR else "  missed"), flush=True)


def _make_tree(root: str, size: int, environment: Mapping[str, str]) -> None:
    for number in range(size):
        _write(root, number, "")
    _git(root, environment, "init", "-q")
    _git(root, environment, "add", "-A")
    _git(root, environment, "-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "-m", "b")


def _write(root: str, number: int, more: str) -> None:
    _put(os.path.join(root, f"part{number // 200}/d{number % 10}/file{number}.py"), f"x = {number}\n" * LINES + more)


def _put(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _git(root: str, environment: Mapping[str, str], *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
