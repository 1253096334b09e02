"""A stage for an adapter of the dispatch port: machines, workers that are real processes, and a store that fails.

Inherit from `DispatchStage`, and say how people open the store, how its workers are started, and how it is taken away.
Processes are found in /proc.
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from planrail.base.records import record, replace
from planrail.runs.request.requests import RunRequest
from planrail.team.queueing import ScheduleRow, Submission, SubmissionRequest
from planrail.testing.dispatch_port import DispatchPort
from planrail.testing.dispatch_turn import TurnNote, go_file, read_notes
from planrail.testing.dispatch_worker import MACHINE, WorkerOrder

REPOSITORY = "stage"
REFUSES, HANGS, DIES = "refuses", "hangs", "dies"  # how a store is away: nobody answers, or not at all; killed
_PATIENCE = 120.0  # seconds until what has not come is called hanging


@record
class StageMachine:
    """A machine as an adapter can tell it from others. Clones have the same `host`, containers the same `boot`."""

    name: str
    host: str = ""  # "": its name
    boot: str = ""
    space: str = ""
    ahead: float = 0.0  # seconds that its clock is ahead


class DispatchStage(ABC):
    """One adapter, with an empty store below `folder`."""

    is_shared = True  # whether several machines can serve it
    lease, beat = 5.0, 1.25  # the pace of its workers, in seconds; planrail's own is 20 and 5

    engines = frozenset({"dbos", "sqlalchemy", "temporalio"})  # what commands that read or submit do not import

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[bytes]] = []

    # ---- what an adapter brings ----

    @abstractmethod
    def open(self, repository: str = REPOSITORY) -> AbstractContextManager[DispatchPort]:
        """What people have in their hands. Idle workers are woken by what is asked for there, and by nobody else."""

    @abstractmethod
    def order_worker(self, order: WorkerOrder) -> tuple[list[str], dict[str, str]]:
        """The command by which a worker is started, and more variables for it."""

    @abstractmethod
    def take_away(self, how: str) -> None:
        """Let the store be away: `REFUSES`, `HANGS` or `DIES`. A store on the machine itself skips the test."""

    @abstractmethod
    def bring_back(self) -> None:
        """Let it be there again, with all that it has confirmed."""

    @abstractmethod
    def lose_answer(self) -> AbstractContextManager[None]:
        """In the block the store does the next change that a person asks for, and its answer is lost."""

    @abstractmethod
    def count_transactions(self) -> int:
        """How many the store has had so far."""

    @abstractmethod
    def count_connections(self) -> int:
        """How many the processes of workers have open now."""

    @abstractmethod
    def describe_commands(self) -> dict[str, str]:
        """The variables by which the commands of planrail find the store."""

    # ---- what people ask for ----

    def submit(self, plan: str, **fields: object) -> Submission:
        """Put a plan into the queue. What its turn shall do is said by `phases`, `waits` and `ending`."""
        with self.open(str(fields.get("repository", REPOSITORY))) as dispatch:
            return dispatch.submit(self.make(plan, **fields))

    def make(self, plan: str, **fields: object) -> Submission:
        """A submission; what is no field of it is said to its turn."""
        known = {name: fields.pop(name) for name in list(fields) if name in Submission.__slots__}  # type: ignore[attr-defined]
        wish = SubmissionRequest(RunRequest(f"{plan}.md"), {name: str(said) for name, said in fields.items()})
        return replace(Submission("", "", plan, f"{plan}.md", wish, root=str(self.folder)), **known)

    def schedule(self, plan: str, at: float, **options: object) -> ScheduleRow:
        """Let a plan go on by itself at a time, and every hour after it."""
        row = self.make(plan, **options)
        made = ScheduleRow("", "", plan, row.path, "1h", "0 * * * *", "UTC", "cron", row.wish, at, root=row.root)
        with self.open() as dispatch:
            return dispatch.put_schedule(made)

    def stop(self, plan: str | None) -> None:
        """Stop a plan, and hear that it is so."""
        with self.open() as dispatch:
            dispatch.ask_stop(plan)

    def list_open(self) -> list[str]:
        """The plans with a submission that is not ended, of all repositories."""
        with self.open("") as dispatch:
            return [row.plan for row in dispatch.list_submissions()]

    def say_go(self, *plans: str) -> None:
        """Let the turns of these plans go on that wait for it."""
        for plan in plans:
            go_file(self.folder, plan).touch()

    # ---- machines ----

    def start_worker(self, machine: StageMachine, slots: int = 1) -> "subprocess.Popen[bytes]":
        """A worker on a machine, which takes turns by `dispatch_turn`."""
        home = self.folder / "machines" / machine.name
        home.mkdir(parents=True, exist_ok=True)
        host, boot, space = machine.host or machine.name, machine.boot or machine.name, machine.space or "pid:[1]"
        named = WorkerOrder(f"{host}#00000000", f"{boot:-<8}", space, machine.ahead, self.lease, self.beat, slots)
        command, variables = self.order_worker(named)
        environment = {**os.environ, "PLANRAIL_STATE_DIR": str(home / "state"), **variables, MACHINE: str(home)}
        with open(home / "worker.log", "ab") as log:
            worker = subprocess.Popen(
                command, cwd=home, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._started.append(worker)
        return worker

    def list_processes(self, machine: StageMachine) -> list[int]:
        """What runs on a machine: the worker, and the turns."""
        mark = os.fsencode(f"{MACHINE}={self.folder / 'machines' / machine.name}")
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                state = Path(f"/proc/{name}/stat").read_text().rpartition(") ")[2][:1]
                if state not in "ZX" and mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
        return found

    def send(self, number: int, machine: StageMachine) -> None:
        """A signal to all processes of a machine, until there is no new one."""
        told: set[int] = set()
        while new := set(self.list_processes(machine)) - told:
            told |= new
            for pid in new:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)

    def kill(self, machine: StageMachine) -> None:
        """The machine loses its power."""
        self.send(signal.SIGKILL, machine)
        self.wait_for(lambda: not self.list_processes(machine))

    @contextlib.contextmanager
    def frozen(self, machine: StageMachine) -> Iterator[None]:
        """In the block nothing of the machine moves."""
        self.send(signal.SIGSTOP, machine)
        try:
            yield
        finally:
            self.send(signal.SIGCONT, machine)

    @contextlib.contextmanager
    def full_disk(self, machine: StageMachine) -> Iterator[None]:
        """In the block no process of the machine can make a file longer, nor those that it starts."""
        for most in (0, resource.RLIM_INFINITY):
            for pid in self.list_processes(machine):
                with contextlib.suppress(ProcessLookupError):
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
            if not most:
                yield

    def close(self) -> None:
        """End whatever lives on the stage."""
        for home in self.folder.glob("machines/*"):
            self.kill(StageMachine(home.name))
        for worker in self._started:
            worker.wait()

    # ---- what there is to be seen ----

    def notes(self, *kinds: str) -> list[TurnNote]:
        """What happened of some kinds (`BEGAN`, `LANDED`, …), in this order."""
        return [note for note in read_notes(self.folder) if note.what in kinds]

    def wait_for(self, what: Callable[[], object]) -> None:
        """Come back as soon as something is so."""
        end = time.monotonic() + _PATIENCE
        while not what():
            if time.monotonic() > end:
                logs = [log.read_text()[-2000:] for log in self.folder.glob("machines/*/worker.log")]
                raise AssertionError("\n".join(["it did not happen", *map(str, read_notes(self.folder)), *logs]))
            time.sleep(0.05)

    def wait_until_done(self) -> None:
        """Until no submission is left that is not ended."""
        self.wait_for(lambda: not self.list_open())


def run_worker(order: WorkerOrder) -> list[str]:
    """The command for a worker of planrail's own, as it is on a stage."""
    told = {name: getattr(order, name) for name in WorkerOrder.__slots__}  # type: ignore[attr-defined]
    return [sys.executable, "-m", "planrail.testing.dispatch_worker", json.dumps(told)]
