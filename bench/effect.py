"""What a comparison by effect costs beside `git status`: CPU time, children included, in one run.

`python bench/effect.py [--rounds N]`. For each state of a tree these take turns: `git status`; the process that the
hook starts to have the tree compared, with the request that it sends; and the floor, the same interpreter, started in
the same way, that does nothing and leaves as that process does (`posix._exit`, nothing taken apart). The figure is the
process less the floor, divided by `git status`; the bar is 2.

The last state has a second line, without a bar: the first time that changes are seen, they are parked on a branch too.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from measure import FEWEST_RUNS, Case, MeasurementFailed, find_ready, measure, probe

from planrail.git.snapshots.snapshots import take_snapshot
from planrail.hook.heavy import command_for

BAR = 2.0
ROUNDS = 25
SIZES = (1_000, 10_000)
LINES = 40
AGE = 2.5  # seconds after which no file is so young that it has to be read to be trusted
STATUS = ("status", "--porcelain=v2", "--untracked-files=all")
FLOOR = (sys.executable, "-I", "-S", "-c", "import posix; posix._exit(0)")
_LINE = "{:>6}  {:<32} {:>10} {:>8} {:>9} {:>6}"


@dataclass(frozen=True)
class Tree:
    """A working tree, and the folder that planrail keeps its things in."""

    root: str
    state: str
    environment: Mapping[str, str]

    def git(self, *arguments: str) -> None:
        """Run git in the tree."""
        command = ["git", *arguments]
        subprocess.run(command, cwd=self.root, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def put(self, path: str, text: str) -> None:
        """Write a file."""
        place = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def put_source(self, number: int, more: str = "") -> None:
        """Write one of the tracked files."""
        self.put(f"part{number // 200}/d{number % 10}/file{number}.py", f"x = {number}\n" * LINES + more)

    def take(self, name: str) -> None:
        """Begin to plan."""
        time.sleep(AGE)
        self.git("status")
        take_snapshot(self.root, f"{self.state}/snapshots", name, taken_at=time.time())

    def forget_parked(self, name: str) -> None:
        """Make the changes new again."""
        if os.path.exists(told := f"{self.state}/snapshots/{name}.told"):
            os.unlink(told)
        self.git("update-ref", "-d", "refs/heads/planrail/parked/bench-1")


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where the bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/effect.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each command (default: %(default)s)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="files in the tree (default: %(default)s)")
    arguments = parser.parse_args(argv)
    print(_LINE.format("files", "state", "git status", "floor", "compare", "ratio"))
    try:
        for size in arguments.sizes:
            with tempfile.TemporaryDirectory(prefix="planrail-effect-") as folder:
                _measure_size(folder, size, max(arguments.rounds, FEWEST_RUNS))
    except MeasurementFailed as reason:
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    return 0


def _measure_size(folder: str, size: int, rounds: int) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": folder, "LC_ALL": "C"}
    tree = Tree(os.path.join(folder, "tree"), os.path.join(folder, "state"), environment)
    _fill(tree, size)
    for state, name, changed in _states(tree):
        time.sleep(AGE)
        _measure_state(tree, name, (size, state, changed), rounds)
    _measure_state(tree, name, (size, "the same, seen and parked first", changed), rounds, is_first=True)


def _states(tree: Tree) -> Iterator[tuple[str, str, int]]:
    """Each state of the tree, the snapshot to compare it with, and how many files have changed since that."""
    tree.take("clean")
    yield "clean", "clean", 0
    for number in range(50):
        tree.put_source(number * 7, "changed\n")
    tree.take("dirty")
    yield "50 dirty at entry", "dirty", 0
    for number in range(500):
        tree.put(f"untracked/{number % 10}/{number}.txt", "new\n")
    tree.take("untracked")
    yield "and 500 untracked at entry", "untracked", 0
    for number in range(50):
        tree.put_source(number * 7 + 1, "changed since\n")
    yield "and 50 changed since", "untracked", 50


def _measure_state(tree: Tree, name: str, about: tuple[int, str, int], rounds: int, *, is_first: bool = False) -> None:
    size, state, changed = about
    prepare = (lambda: tree.forget_parked(name)) if is_first else find_ready
    status = Case((shutil.which("git") or "git", *STATUS), tree.root, tree.environment)
    cases = [status, _compare_case(tree, name, changed, prepare)]
    for case in (*cases, *cases):  # twice: what the first run refreshes, the second finds
        probe(case)
    done = measure(Case(FLOOR, tree.root, tree.environment), [(case, rounds) for case in cases], rounds, lambda _: None)
    base, whole = (result.cpu for result in done.results)
    cost, floor = whole - done.floor.cpu, done.floor.cpu
    figures = [f"{seconds * 1e3:.1f} ms" for seconds in (base, floor, cost)]
    remark = "  no bar" if is_first else "" if cost / base <= BAR else "  missed"
    print(_LINE.format(size, state, *figures, f"{cost / base:.2f}") + remark, flush=True)


def _compare_case(tree: Tree, name: str, changed: int, prepare: Callable[[], None]) -> Case:
    """The process that the hook starts, as it starts it."""
    about = {"folder": tree.state, "snapshot": name, "plan": "", "is_leaving": False, "label": "bench"}
    request: dict[str, object] = {"do": "compare", **about}

    def check(output: str) -> str:
        lines = json.loads(output).get("report", output).splitlines()
        listed = sum(line.startswith("  modified ") for line in lines)
        more = sum(int(line.split()[2]) for line in lines if line.startswith("  … and "))
        return "" if listed + more == changed else f"{listed + more} changes, not {changed}: {output}"

    data = json.dumps(request).encode()
    return Case(command_for(request), tree.root, tree.environment, check=check, input=data, prepare=prepare)


def _fill(tree: Tree, size: int) -> None:
    for number in range(size):
        tree.put_source(number)
    tree.git("init", "-q")
    tree.git("add", "-A")
    tree.git("-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "-m", "b")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
