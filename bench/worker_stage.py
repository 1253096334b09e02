"""A stage for measuring workers: repositories with plans, a state folder, a database or none, and workers as processes.

What happened is read from what planrail itself wrote down: the times of the steps of each run, and of the queue.
"""

import contextlib
import glob
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from servers import PostgresServer

PLANRAIL = (sys.executable, "-m", "planrail")
SECONDS = 900  # that anything here may take
DURABLE = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB", "max_wal_size": "1GB"}
PHASE = """
## Phase {0} — Write file {0}

- [ ] write phase-{0}.txt

```sh run
{1}echo "phase {0}" > phase-{0}.txt
```

```sh check
grep -q "phase {0}" phase-{0}.txt
```
"""


@dataclass(frozen=True)
class Step:
    """A step of a run that has ended, with the times that its run wrote down."""

    key: str
    began: float
    ended: float


@dataclass(frozen=True)
class Run:
    """A run, as the queue and the journal tell of it."""

    plan: str
    submitted: float
    outcome: str
    steps: Sequence[Step] = ()

    def find(self, key: str) -> Step:
        """The step with this key."""
        return next(step for step in self.steps if step.key == key)

    @property
    def began(self) -> float:
        """When its first phase started."""
        return self.find("phase/1/1/start").began

    @property
    def ended(self) -> float:
        """When its last step had ended."""
        return max(step.ended for step in self.steps)

    def gaps(self) -> list[float]:
        """From the end of each phase to the start of the next."""
        starts = {step.key.split("/")[1]: step.began for step in self.steps if step.key.endswith("/1/start")}
        ends = {step.key.split("/")[1]: step.ended for step in self.steps if step.key.endswith("/1/end")}
        return [starts[str(int(name) + 1)] - at for name, at in ends.items() if str(int(name) + 1) in starts]


@dataclass
class Stage:
    """Where workers are measured. Without a `url`, everything is embedded."""

    folder: str
    url: str = ""
    places: list[str] = field(default_factory=list)

    def environment(self, state: str = "state") -> dict[str, str]:
        """What planrail is started with; `state` names a machine's own state folder."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PLANRAIL"))}
        kept["PLANRAIL_STATE_DIR"] = os.path.join(self.folder, state)
        return {**kept, "PLANRAIL_DATABASE": self.url} if self.url else kept

    def add(self, name: str, phases: int, *, seconds: float = 0, has_remote: bool = False) -> str:
        """A repository with a plan whose agents sleep so long in each phase."""
        place = make_repository(os.path.join(self.folder, name), phases, seconds=seconds, has_remote=has_remote)
        self.places.append(place)
        return place

    def planrail(self, place: str, *words: str) -> str:
        """Run planrail in a repository, and return what it says."""
        done = subprocess.run(
            [*PLANRAIL, *words], cwd=place, env=self.environment(), text=True, capture_output=True, timeout=SECONDS
        )
        if done.returncode:
            raise SystemExit(f"bench: planrail {' '.join(words)} in {place}: {done.stderr}{done.stdout}")
        return done.stdout

    def submit(self, places: Sequence[str]) -> None:
        """Hand the plans of some repositories to whatever worker comes, two at a time."""
        words = ("run", "PLAN.md", "finish", "auto", *(() if self.url else ("--submit",)))
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda place: self.planrail(place, *words), places))

    @contextlib.contextmanager
    def worker(self, slots: int, state: str = "state") -> Iterator["subprocess.Popen[bytes]"]:
        """A worker at work; ended afterwards."""
        os.makedirs(os.path.join(self.folder, state), exist_ok=True)
        with open(os.path.join(self.folder, f"{state}.log"), "ab") as log:
            process = subprocess.Popen(
                [*PLANRAIL, "worker", "--slots", str(slots), "--json"],
                cwd=self.folder,
                env=self.environment(state),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            yield process
        finally:
            end(process)

    def runs(self) -> list[Run]:
        """All submissions with their runs, the earliest first."""
        found = _team_runs(self.url) if self.url else _embedded_runs(os.path.join(self.folder, "state"))
        return sorted(found, key=lambda run: run.submitted)

    def wait(self, count: int, seconds: float = SECONDS) -> list[Run]:
        """Until so many submissions have ended; all that there are."""
        end_at = time.monotonic() + seconds
        while time.monotonic() < end_at:
            runs = self.runs()
            if sum(run.outcome == "complete" for run in runs) >= count:
                return runs
            bad = [run for run in runs if run.outcome not in ("", "complete", "not_begun", "gave_way", "yielded")]
            if bad:
                raise SystemExit(f"bench: {bad[0].plan} ended as {bad[0].outcome}; see {self.folder}")
            time.sleep(1)
        raise SystemExit(f"bench: not done after {seconds:.0f} seconds; see {self.folder}")


def make_repository(place: str, phases: int, *, seconds: float = 0, has_remote: bool = False) -> str:
    """A repository with a plan of so many phases, if wanted with a bare remote beside it."""
    os.makedirs(place)
    sleep = f"sleep {seconds}\n" if seconds else ""
    with open(f"{place}/PLAN.md", "w", encoding="utf-8") as file:
        file.write("# Files\n" + "".join(PHASE.format(number, sleep) for number in range(1, phases + 1)))
    with open(f"{place}/planrail.toml", "w", encoding="utf-8") as file:
        file.write("[approval]\nrequired = false\n")
    commands = [["init", "-q", "-b", "main"], ["config", "user.name", "bench"], ["config", "user.email", "b@localhost"]]
    commands += [["add", "."], ["commit", "-q", "-m", "Begin"]]
    if has_remote:
        commands += [
            ["init", "-q", "--bare", "-b", "main", f"{place}.git"],
            ["remote", "add", "origin", f"{place}.git"],
        ]
        commands += [["push", "-q", "-u", "origin", "main"]]
    for command in commands:
        subprocess.run(["git", *command], cwd=place, check=True)
    return place


def expect_landed(place: str, phases: int) -> None:
    """Each phase has landed, once: in the repository, or in its remote where it has one."""
    where = f"{place}.git" if os.path.isdir(f"{place}.git") else place
    told = subprocess.run(
        ["git", "log", "--format=%(trailers:key=Planrail-Phase,valueonly)", "main"],
        cwd=where,
        text=True,
        capture_output=True,
    )
    landed = sorted(int(line) for line in told.stdout.split() if line.isdigit())
    if landed != list(range(1, phases + 1)):
        raise SystemExit(f"bench: {where} has {landed}")


@contextlib.contextmanager
def durable_server(max_connections: int = 400) -> Iterator[PostgresServer]:
    """A PostgreSQL that forces what it commits to the disk, as one that keeps a team's work does."""
    with PostgresServer(max_connections=max_connections) as server:
        server.restart(**DURABLE)
        yield server


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a worker: it is asked, asked again, and at last killed."""
    for sign, seconds in ((signal.SIGTERM, 20), (signal.SIGTERM, 20), (signal.SIGKILL, 20)):
        if process.poll() is None:
            process.send_signal(sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(seconds)


def cpu_of(pid: int, *, with_ended_children: bool = False) -> float:
    """The CPU seconds of a process until now, user and system."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(") ")[2].split()
    last = 15 if with_ended_children else 13
    return sum(int(value) for value in fields[11:last]) / os.sysconf("SC_CLK_TCK")


def cpu_of_server(server: PostgresServer) -> float:
    """The CPU seconds of a database server: of its main process, of those that have ended, of those that live."""
    main = server_pid(server)
    total = cpu_of(main, with_ended_children=True)
    for pid in children_of(main):
        with contextlib.suppress(OSError):
            total += cpu_of(pid)
    return total


def children_of(pid: int) -> list[int]:
    """The processes that a process has started by itself, and that live."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def server_pid(server: PostgresServer) -> int:
    """The main process of a server."""
    return int((server.folder / "data/postmaster.pid").read_text().split("\n", 1)[0])


def memory_of(pid: int) -> tuple[float, float]:
    """Resident and proportional size of a process, in MB of 1,000,000 bytes."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        sizes = {line.split(":")[0]: int(line.split()[1]) for line in file if line.endswith("kB\n")}
    return sizes["Rss"] * 1024 / 1e6, sizes["Pss"] * 1024 / 1e6


def _embedded_runs(state: str) -> list[Run]:
    found = []
    for path in glob.glob(f"{state}/ledgers/*/ledger.db"):
        with contextlib.closing(sqlite3.connect(path)) as database:
            rows = database.execute("SELECT path, root, submitted, outcome, run, state FROM submissions").fetchall()
        for plan, root, submitted, outcome, run, state_now in rows:
            journal = os.path.join(os.path.dirname(path), "runs", run, "journal.jsonl")
            steps = _read_journal(journal) if state_now == "ended" and os.path.exists(journal) else []
            found.append(Run(f"{root}/{plan}", submitted, outcome if state_now == "ended" else "", steps))
    return found


def _read_journal(path: str) -> list[Step]:
    begun: dict[str, float] = {}
    steps = []
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            if line["state"] == "begun":
                begun[line["key"]] = line["at"]
            else:
                steps.append(Step(line["key"], begun.get(line["key"], line["at"]), line["at"]))
    return steps


def _team_runs(url: str) -> list[Run]:
    import psycopg

    with psycopg.connect(url, autocommit=True) as link:
        rows = link.execute(
            "SELECT root || '/' || path, submitted, CASE state WHEN 'ended' THEN outcome ELSE '' END, run, repository"
            " FROM planrail.submissions"
        ).fetchall()
        if any(not row[2] for row in rows):  # still at work: who waits does not want the steps
            return [Run(row[0], row[1], row[2]) for row in rows]
        steps = link.execute("SELECT run, key, began, ended FROM planrail.steps ORDER BY number").fetchall()
    by_run: dict[str, list[Step]] = {}
    for run, key, began, ended in steps:
        by_run.setdefault(run, []).append(Step(key, began, ended))
    return [Run(row[0], row[1], row[2], by_run.get(row[3], [])) for row in rows]
