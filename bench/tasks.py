"""What commands about tasks cost beside the emptiest process, in books of 1,000 and of 10,000 tasks.

`python bench/tasks.py [--rounds N]`: the median CPU time of each command, start of the program included, as a multiple
of the floor that ran between them. A status update is measured where it changes a marker, and where it closes a task,
so that the order of all tasks is another.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from measure import Case, find_ready, floor_case, measure, planrail_program, probe
from report import Table

from planrail.base.records import replace
from planrail.tasks.book.task_rows import Note, open_book
from planrail.tasks.book.task_views import check_views, write_views
from planrail.tasks.model import Task

SIZES = (1_000, 10_000)
NUMBER = 500  # the task that is changed
SESSION = "sess_1782900000_abcdef"
STATES = ("not_started", "not_started", "researched", "planned", "completed")
TOPICS = ("core", "docs", "agent-system", "")


@dataclass(frozen=True)
class Line:
    """A command on a book, and the most that it may cost, in starts of the interpreter."""

    name: str
    size: int
    bar: float | None
    case: Case


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where a bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/tasks.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (default: %(default)s)")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="planrail-tasks-") as folder:
        os.environ["PLANRAIL_STATE_DIR"] = os.path.join(folder, "state")
        roots = {size: make_book(folder, size) for size in SIZES}
        lines = list(_lines(roots))
        for line in lines:
            probe(line.case)
        rounds = arguments.rounds
        floor, cases = floor_case(folder, _environment()), [(line.case, rounds) for line in lines]
        measured = measure(floor, cases, rounds, lambda turn: None)
        behind = [root for root in roots.values() if check_views(root)]
    rows: list[tuple[str, ...]] = []
    for line, result in zip(lines, measured.results, strict=True):
        ratio = measured.ratio(result)
        verdict = "" if line.bar is None else f"{line.bar:g} {'met' if ratio <= line.bar else 'MISSED'}"
        rows.append((line.name, f"{line.size:,}", f"{result.cpu * 1000:.0f}", f"{ratio:.1f}", verdict))
    print(Table(("command", "tasks", "CPU ms", "× floor", "bar"), rows, 1).as_text(is_coloured=False))
    runs = len(measured.floor.samples)
    print(f"\nThe floor: {measured.floor.cpu * 1000:.1f} ms of CPU time (median of {runs} runs).")
    if behind:
        print("The views are not what the ledger says.")
    return 1 if behind else 0


def make_book(folder: str, size: int) -> str:
    """A project with so many tasks, of ordinary length and with ordinary dependencies, and its views."""
    root = os.path.join(folder, str(size))
    os.mkdir(root)
    subprocess.run(["git", "init", "-q", root], check=True)
    chance = random.Random(size)
    with open_book(root) as book:
        book.put([_make_task(number, chance) for number in range(1, size + 1)], Note("imported"))
    write_views(root)
    return root


def _make_task(number: int, chance: random.Random) -> Task:
    near = range(max(1, number - 30), number)
    wanted = chance.sample(near, min(len(near), chance.choice((0, 0, 1, 1, 2))))
    return Task(
        number,
        f"task_{number}_of_a_project",
        f"Task {number} with a title of ordinary length",
        chance.choice(STATES),
        description="A sentence that says what is to be done. " * chance.randint(3, 12),
        effort="2-3 hours",
        topic=chance.choice(TOPICS),
        created="2026-07-01T12:00:00Z",
        last_updated="2026-07-01T12:00:00Z",
        dependencies=tuple(sorted(wanted)),
    )


def _lines(roots: dict[int, str]) -> Iterator[Line]:
    update = ("task", "update-status", "preflight", str(NUMBER), "plan", SESSION)
    close = ("task", "abandon", str(NUMBER), "--no-commit")
    for size, bar in zip(SIZES, (12.0, 18.0), strict=True):
        yield _line("status update", size, bar, roots[size], update)
        yield _line("closing a task", size, bar, roots[size], close)
        yield _line("new task", size, None, roots[size], ("task", "new", "Another one", "--no-commit"))
        yield _line("planrail task", size, 15.0, roots[size], ("task",))


def _line(name: str, size: int, bar: float | None, root: str, words: Sequence[str]) -> Line:
    prepare = _put_back(root) if len(words) > 1 else find_ready
    case = Case((planrail_program(), *words), root, _environment(), prepare=prepare)
    return Line(name, size, bar, case)


def _put_back(root: str) -> Callable[[], None]:
    """The task as it was, uncounted, so that each run has something to change."""

    def prepare() -> None:
        with open_book(root) as book:
            book.change(NUMBER, lambda task: replace(task, status="researched"), Note("put back"))
        write_views(root)

    return prepare


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
