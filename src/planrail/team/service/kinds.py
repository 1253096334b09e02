"""What a kind of service is: systemd and launchd keep a worker running by one file, each in its way."""

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.team.registry import ServiceFile, read_file
from planrail.team.service.machine import Machine
from planrail.team.service.starting import WorkerCall

MARK = "# Written by `planrail service install`"
SYSTEMD, LAUNCHD, CRON = "systemd", "launchd", "cron"
TITLES = {SYSTEMD: "a systemd user unit", LAUNCHD: "a launchd agent", CRON: "a line in your crontab"}


@record
class Facts:
    """A service as its keeper sees it. None: that is not known."""

    is_installed: bool
    is_running: bool = False
    pid: int = 0
    since: float | None = None
    is_enabled: bool | None = None  # it starts again after a reboot
    survives_logout: bool | None = None  # it runs also while nobody is logged in
    said: str = ""  # the state in the keeper's own word
    places: tuple[str, ...] = ()  # what was written


class Kind:
    """One way to keep a worker running, by one file: `Systemd` and `Launchd` say where it lies and what it says."""

    name: str

    def locate(self, machine: Machine) -> str:
        raise NotImplementedError

    def render(self, machine: Machine, call: WorkerCall) -> bytes:
        raise NotImplementedError

    def is_ours(self, data: bytes) -> bool:
        """Whether planrail wrote such a file."""
        raise NotImplementedError

    def is_installed(self, machine: Machine) -> bool:
        """Whether `install` wrote it; nothing else is asked, so that it is cheap."""
        there = read_file(self.locate(machine))
        return there is not None and self.is_ours(there)

    def plan_file(self, machine: Machine, call: WorkerCall) -> ServiceFile:
        """Its file, to be written. Raises where one is in the way that planrail did not write."""
        place = self.locate(machine)
        there = read_file(place)
        if there is not None and not self.is_ours(there):
            text = f"{place} was not written by planrail, and is not overwritten"
            raise PlanrailError(text, remedy="look at it, move it away, and give the command again")
        return ServiceFile(place, self.render(machine, call))

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """The program that shows its log, which is kept in a file."""
        return ["tail", "-n", str(lines), *(["-F"] if follows else []), machine.log]
