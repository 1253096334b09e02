"""A stage for workers: repositories with plans, machines that serve them, and a count of what really happened.

Workers are real processes, each on a machine of its own (a home and a folder of state), with a shared PostgreSQL or
with the ledgers of the repositories alone. The phases write down each start of an agent in a file outside of all
repositories; what landed is read from git, and what is left from the database and from /proc. planrail is not asked.
"""

import collections
import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import planrail
from planrail.base.records import record
from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_PAUSE = 0.05
_SETTINGS = "[approval]\nrequired = {approved}\n\n[run]\n{run}\n"
_PHASE = """
## Phase {number} — Write {number}

- [ ] write {name}-{number}.txt

```sh run
echo {name} {number} >> '{starts}'
{work}
echo "phase {number}" > {name}-{number}.txt
```
```sh check
grep -qx "phase {number}" {name}-{number}.txt
```
"""
_RUN_ALL = """
import os, sys
from planrail.cli.main import main
for plan in sys.argv[1].split("\\n"):
    root, _, path = plan.partition("\\t")
    os.chdir(root)
    code = main(["run", path, *sys.argv[2:]])
    if code:
        sys.exit(f"{plan}: {code}")
"""


@record
class Plan:
    """A plan of the stage: its repository as a person has it, and where it lands ("" as `remote`: right there)."""

    name: str
    root: Path
    remote: str = ""

    @property
    def path(self) -> str:
        """Its file, as its repository names it."""
        return f"plans/{self.name}.md"

    @property
    def target(self) -> str:
        """The repository that it lands in."""
        return self.remote or str(self.root)


@record
class Size:
    """How much there is to do. `work`: shell commands of each agent, before it writes its file."""

    plans: int = 1
    phases: int = 3
    repositories: int = 0  # 0: one for each plan
    work: str = ""


class Machine:
    """A machine as far as planrail can tell: a home, a state folder, and the workers that were started on it."""

    def __init__(self, home: Path, environment: dict[str, str], prefix: tuple[str, ...] = ()) -> None:
        self.home, self.environment, self.prefix = home, environment, prefix
        self.workers: list[subprocess.Popen[bytes]] = []

    def command(self, *words: str) -> list[str]:
        """planrail, as it is started here; the machine stands in the command, by which its processes are found."""
        return [*self.prefix, sys.executable, "-X", f"machine={self.home}", "-m", "planrail", *words]

    def start_worker(self, *options: str, folder: Path | None = None) -> "subprocess.Popen[bytes]":
        """A worker; what it says goes to a file."""
        return self.launch(self.command("worker", *options), folder)

    def launch(self, command: list[str], folder: Path | None = None) -> "subprocess.Popen[bytes]":
        """Any program that works as a worker."""
        with open(self.home / "worker.log", "ab") as log:
            worker = subprocess.Popen(
                command,
                cwd=folder or self.home,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers.append(worker)
        return worker

    def call(self, *words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
        """A command of planrail, to its end."""
        return subprocess.run(
            self.command(*words), cwd=folder, env=self.environment, capture_output=True, text=True, timeout=PATIENCE
        )

    @property
    def said(self) -> str:
        """What its workers have said so far."""
        log = self.home / "worker.log"
        return log.read_text() if log.exists() else ""

    def processes(self) -> dict[int, str]:
        """Everything that runs on it."""
        return find_processes(self.home)

    def kill_worker(self) -> None:
        """Its last worker dies by SIGKILL; what that has started goes on."""
        self.workers[-1].kill()
        self.workers[-1].wait()

    def kill_all(self) -> None:
        """The machine loses its power: nothing that runs on it is left."""
        while found := self.processes():
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)
        for worker in self.workers:
            worker.wait()


class WorkerStage:
    """Repositories, plans and machines below `place`. `database`: its address; "": there is none."""

    def __init__(
        self, place: Path, size: Size, database: str = "", *, has_remotes: bool = False, settings: str = ""
    ) -> None:
        self.place, self.size, self.database, self.has_remotes = place, size, database, has_remotes
        self.starts = place / "starts.txt"
        place.mkdir(parents=True, exist_ok=True)
        self.starts.touch()
        self.machines: dict[str, Machine] = {}
        self.laptop = self.machine("laptop")
        self.plans = self._make_plans(settings)
        self._bases = {plan.target: self.git(plan.target, "rev-parse", "main") for plan in self.plans}

    # ---- what stands on the stage ----

    def machine(self, name: str, *, prefix: tuple[str, ...] = (), database: str | None = None) -> Machine:
        """A machine by its name. `prefix` is put before its commands; `database` is its way to that."""
        if name not in self.machines:
            home = self.place / "machines" / name
            home.mkdir(parents=True)
            self.machines[name] = Machine(home, self._environment(home, database), prefix)
        return self.machines[name]

    def git(self, folder: "Path | str", *arguments: str) -> str:
        """What git says; it has to work."""
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], env=self.laptop.environment, capture_output=True, text=True
        )
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout.strip()

    def clone(self, plan: Plan, name: str) -> Path:
        """A plan's repository as another person has it."""
        folder = self.place / "clones" / name
        self.git(self.place, "clone", "-q", plan.target, str(folder))
        return folder

    def submit(self, *words: str, plans: "Iterable[Plan] | None" = None) -> None:
        """Submit plans from the laptop, all by one process: `planrail run PLAN finish auto`, or with these words."""
        wanted = self.plans if plans is None else list(plans)
        told = "\n".join(f"{plan.root}\t{plan.path}" for plan in wanted)
        options = words or ("finish", "auto")
        extra = () if self.database else ("--submit",)
        done = subprocess.run(
            [sys.executable, "-c", _RUN_ALL, told, *options, *extra],
            env=self.laptop.environment,
            cwd=self.laptop.home,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr

    def _environment(self, home: Path, database: str | None) -> dict[str, str]:
        url = self.database if database is None else database
        state = home / "state" if self.has_remotes else self.place / "state"
        for folder in (state, home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(Path(planrail.__file__).parents[1]),
            "HOME": f"{home}/",
            "TMPDIR": str(home / "tmp"),
            "XDG_STATE_HOME": str(state),
            "PLANRAIL_CONFINE": "off",  # agents write down their starts beside the repository
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "NO_COLOR": "1",
            "TZ": "UTC",
            **({"PLANRAIL_DATABASE": url} if url else {}),
        }

    def _make_plans(self, settings: str) -> list[Plan]:
        names = [f"plan{number}" for number in range(self.size.plans)]
        homes = self.size.repositories or self.size.plans
        made: list[Plan] = []
        for at in range(homes):
            made += self._make_repository(at, names[at::homes], settings)
        return made

    def _make_repository(self, number: int, names: list[str], settings: str) -> list[Plan]:
        root = self.place / "repositories" / str(number)
        (root / "plans").mkdir(parents=True)
        (root / "planrail.toml").write_text(settings or _SETTINGS.format(approved="false", run=""))
        for name in names:
            (root / "plans" / f"{name}.md").write_text(write_plan(name, self.size, self.starts))
        self.git(root, "init", "-q", "-b", "main")
        self.git(root, "config", "user.name", "Ann")
        self.git(root, "config", "user.email", "ann@example.org")
        self.git(root, "add", ".")
        self.git(root, "commit", "-q", "-m", "The beginning")
        return [Plan(name, root, self._publish(root, number) if self.has_remotes else "") for name in names]

    def _publish(self, root: Path, number: int) -> str:
        remote = self.place / "remotes" / f"{number}.git"
        if not remote.exists():
            self.git(root, "clone", "-q", "--bare", str(root), str(remote))
            self.git(root, "remote", "add", "origin", str(remote))
            self.git(root, "push", "-q", "-u", "origin", "main")
        return str(remote)

    # ---- what there is to be seen ----

    def rows(self, sql: str) -> "list[tuple[Any, ...]]":
        """What the database says; of the ledgers of all repositories together where there is none."""
        if self.database:
            return ask_database(self.database, sql)
        found = []
        for root in sorted({plan.root for plan in self.plans}):
            path = root / ".git" / "planrail" / "ledger.db"
            if path.exists():
                with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
                    found += connection.execute(sql).fetchall()
        return found

    def open_submissions(self) -> "list[tuple[Any, ...]]":
        """What is not ended: path, state, what was said of it last."""
        return self.rows("SELECT path, state, said FROM submissions WHERE state <> 'ended'")

    def wait_for(self, what: "Callable[[], object]", patience: float = PATIENCE) -> None:
        """Come back as soon as something is so."""
        deadline = time.monotonic() + patience
        while not what():
            assert time.monotonic() < deadline, f"it did not happen: {self.describe()}"
            time.sleep(_PAUSE)

    def wait_until_done(self, patience: float = PATIENCE) -> None:
        """Until no submission is left that is not ended."""
        self.wait_for(lambda: not self.open_submissions(), patience)

    def describe(self) -> str:
        """How it stands, for whoever has to find out what went wrong."""
        logs = [f"{name}:\n{machine.said[-1500:]}" for name, machine in self.machines.items() if machine.said]
        running = [f"{pid}: {told}" for pid, told in find_processes(self.place).items()]
        return "\n".join([str(self.open_submissions()[:20]), *running[:40], *logs])

    def landed(self, plan: Plan) -> list[str]:
        """The phases of a plan that landed, by the trailers of the commits, the oldest first."""
        form = "%(trailers:key=Planrail-Plan,valueonly,separator=%x2C)\t%(trailers:key=Planrail-Phase,valueonly)"
        span = f"{self._bases[plan.target]}..main"
        told = self.git(plan.target, "log", "--reverse", f"--format={form}", span).splitlines()
        return [phase for name, _, phase in (line.partition("\t") for line in told) if name == plan.path and phase]

    def count_starts(self) -> "dict[tuple[str, str], int]":
        """How often the agent of each phase of each plan was started."""
        lines = self.starts.read_text().splitlines()
        return dict(collections.Counter((name, number) for name, _, number in (line.partition(" ") for line in lines)))

    def kill_everything(self) -> None:
        """End whatever belongs to this stage."""
        for machine in self.machines.values():
            machine.kill_all()


def write_plan(name: str, size: Size, starts: Path) -> str:
    """A plan whose phases write one file each, and say so outside."""
    numbers = range(1, size.phases + 1)
    phases = [_PHASE.format(number=number, name=name, starts=starts, work=size.work) for number in numbers]
    return "".join([f"# {name}\n", *phases])


def ask_database(url: str, sql: str) -> "list[tuple[Any, ...]]":
    """What a PostgreSQL says, as soon as it says anything: a test may have stopped it, or filled it."""
    import psycopg

    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with psycopg.connect(url, autocommit=True, options="-c search_path=planrail") as connection:
                return connection.execute(sql.encode()).fetchall()
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "the database does not come back"
        time.sleep(_PAUSE)
