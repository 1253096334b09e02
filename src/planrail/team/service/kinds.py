"""What a kind of service is: systemd, launchd and cron do the same things, each in its way."""

from typing import Protocol

from planrail.base.records import record
from planrail.team.service.machine import Machine
from planrail.team.service.starting import WorkerCall
from planrail.team.service_files import ServiceFile

SYSTEMD, LAUNCHD, CRON = "systemd", "launchd", "cron"
TITLES = {SYSTEMD: "a systemd user unit", LAUNCHD: "a launchd agent", CRON: "lines in your crontab"}


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


class Kind(Protocol):
    """One way to keep a worker running."""

    name: str

    def look(self, machine: Machine) -> Facts:
        """How it stands."""

    def is_installed(self, machine: Machine) -> bool:
        """Whether `install` wrote it; nothing else is asked, so that it is cheap."""

    def list_files(self, machine: Machine, call: WorkerCall) -> list[ServiceFile]:
        """The files that it consists of."""

    def list_lines(self, machine: Machine) -> list[str]:
        """The lines that it puts into a file that is not its own."""

    def check_files(self, machine: Machine) -> None:
        """Raise where a file is in the way that planrail did not write."""

    def switch_on(self, machine: Machine, *, is_changed: bool) -> list[str]:
        """Start it, now and after each reboot; what was done, in sentences."""

    def remove(self, machine: Machine) -> list[str]:
        """Stop it and take out what was written; what was done."""

    def start(self, machine: Machine) -> None: ...
    def stop(self, machine: Machine) -> None: ...
    def restart(self, machine: Machine) -> None: ...

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """The program that shows its log."""
