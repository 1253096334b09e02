"""What a run costs beside a plain shell script that does the same work: CPU time, children included, in one run.

`python bench/runs.py [--rounds N]`. The plan has 20 phases, each of which writes a file and checks it. The script
(`bench/plain_run.sh`) makes a worktree, commits, checks, and lands by cherry-pick, with no engine, no evidence and no
proof; planrail does it with all of them, by the runbook agent, with nothing confined and with agents and checks that
are. They take turns, each on a fresh repository. The bar is 5 for both. `--many` runs plans of 5 phases, each in a
repository of its own, all in one go, and counts errors.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

BAR = 5.0
PHASES = 20
FEWEST, MOST = 3, 7
WAYS = {"off": "planrail run", "required": "planrail run, confined"}
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plain_run.sh")
PHASE = """
## Phase {0} — Write file {0}

- [ ] write phase-{0}.txt

```sh run
echo "phase {0}" > phase-{0}.txt
```

```sh check
grep -q "phase {0}" phase-{0}.txt
```
"""


def main(argv: Sequence[str]) -> int:
    """Measure and print; the exit code is 0 also where the bar is missed, since the figures say so."""
    parser = argparse.ArgumentParser(prog="bench/runs.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=MOST, help="runs of each (default: %(default)s)")
    parser.add_argument("--many", type=int, default=0, help="this many plans of 5 phases at once, instead")
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="planrail-runs-") as folder:
        return _measure_many(folder, arguments.many) if arguments.many else _measure(folder, arguments.rounds)


def _measure(folder: str, rounds: int) -> int:
    plain: list[float] = []
    ours: dict[str, list[float]] = {way: [] for way in WAYS}
    for turn in range(min(max(rounds, FEWEST), MOST)):
        plain.append(_cost(["sh", SCRIPT, _make(f"{folder}/plain-{turn}", PHASES, detached=True), str(PHASES)], folder))
        for way, took in ours.items():
            place = _make(f"{folder}/{way}-{turn}", PHASES)
            took.append(_cost(_command(), place, PLANRAIL_CONFINE=way))
            _expect(place, PHASES)
    base = statistics.median(plain)
    print(f"{PHASES} phases, medians of {len(plain)} turns; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(f"  plain shell script     {base:6.2f} s CPU")
    for way, took in ours.items():
        whole = statistics.median(took)
        judged = "met" if whole / base <= BAR else "MISSED"
        print(f"  {WAYS[way]:<22} {whole:6.2f} s CPU   {whole / base:.2f} x   {judged}")
        print(f"    a phase              {whole / PHASES * 1e3:6.0f} ms CPU")
    return 0


def _measure_many(folder: str, count: int) -> int:
    places = [_make(f"{folder}/{number}", 5) for number in range(count)]
    began = time.monotonic()
    with ThreadPoolExecutor(count) as pool:
        codes = list(pool.map(lambda place: _run(_command(), place), places))
    seconds = time.monotonic() - began
    for place in places:
        _expect(place, 5)
    print(f"{count} plans of 5 phases in one go: {sum(code != 0 for code in codes)} errors, {seconds:.0f} s")
    return 0 if not any(codes) else 1


def _command() -> list[str]:
    return [sys.executable, "-m", "planrail", "run", "PLAN.md", "finish", "auto"]


def _make(place: str, phases: int, *, detached: bool = False) -> str:
    """A repository with a plan; with nothing checked out, where a script moves the branch by itself."""
    os.makedirs(place)
    with open(f"{place}/PLAN.md", "w", encoding="utf-8") as file:
        file.write("# Files\n" + "".join(PHASE.format(number) for number in range(1, phases + 1)))
    with open(f"{place}/planrail.toml", "w", encoding="utf-8") as file:
        file.write("[approval]\nrequired = false\n")
    commands = [["init", "-q", "-b", "main"], ["config", "user.name", "bench"], ["config", "user.email", "b@localhost"]]
    commands += [["add", "."], ["commit", "-q", "-m", "Begin"], *([["checkout", "-q", "--detach"]] if detached else [])]
    for command in commands:
        subprocess.run(["git", *command], cwd=place, check=True)
    return place


def _cost(command: list[str], folder: str, **more: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if _run(command, folder, **more):
        raise SystemExit(f"bench: {' '.join(command)} failed in {folder}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run(command: list[str], folder: str, **more: str) -> int:
    environment = {**os.environ, "PLANRAIL_STATE_DIR": f"{folder}.state", **more}
    quiet = subprocess.DEVNULL
    return subprocess.run(command, cwd=folder, env=environment, stdin=quiet, stdout=quiet, stderr=quiet).returncode


def _expect(place: str, phases: int) -> None:
    """Each phase has landed, once."""
    told = subprocess.run(
        ["git", "log", "--format=%(trailers:key=Planrail-Phase,valueonly)", "main"],
        cwd=place,
        text=True,
        capture_output=True,
    )
    landed = sorted(int(line) for line in told.stdout.split() if line.isdigit())
    if landed != list(range(1, phases + 1)):
        raise SystemExit(f"bench: {place} has {landed}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
