"""Killing workers while they work: in turn, again and again, until everything is done."""

import time
from collections.abc import Callable

from planrail.base.records import record
from tests.support.patience import PATIENCE
from tests.support.worker_stage import Machine, WorkerStage

Kill = Callable[[Machine], None]


def worker_alone(machine: Machine) -> None:
    """The worker's process dies; what it has started goes on."""
    machine.kill_worker()


def whole_machine(machine: Machine) -> None:
    """The worker dies with all that it has started, agents too."""
    machine.kill_all()


@record
class Tally:
    """How it went: how many workers were killed, and how long it took."""

    kills: int
    seconds: float


class Tormentor:
    """Starts workers on machines, and kills one every so many seconds."""

    def __init__(self, stage: WorkerStage, kill: Kill, *options: str, machines: int = 2) -> None:
        self._stage, self._kill, self._options = stage, kill, options
        self._machines = [stage.machine(f"worker{number}") for number in range(machines)]

    def run(self, every: float) -> Tally:
        """Until everything is done; the workers that are left live on.

        A pause that brought nothing makes the next ones longer, so that a slow machine comes to an end, too.
        """
        began, kills, seen = time.monotonic(), 0, -1
        for machine in self._machines:
            self._start(machine)
        while not self._is_done_within(every):
            machine = self._machines[kills % len(self._machines)]
            assert machine.workers[-1].poll() is None, f"a worker has ended by itself: {machine.said}"
            self._kill(machine)
            self._start(machine)
            kills += 1
            before, seen = seen, len(self._stage.count_starts()) - len(self._stage.open_submissions())
            every *= 1.3 if seen == before else 1
            assert every < PATIENCE, self._stage.describe()
        return Tally(kills, time.monotonic() - began)

    def _start(self, machine: Machine) -> None:
        folder = None if self._stage.database else self._stage.plans[0].root
        machine.start_worker(*self._options, folder=folder)

    def _is_done_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self._stage.open_submissions():
                return True
            time.sleep(0.1)
        return False
