"""Which kind of service is installed, and which fits this machine? `decide_kind` is pure."""

from planrail.base.errors import PlanrailError
from planrail.team.registry import ServiceFile, read_file
from planrail.team.service.launchd import Launchd
from planrail.team.service.machine import CRON, LAUNCHD, SYSTEMD, TITLES, Machine
from planrail.team.service.starting import WorkerCall
from planrail.team.service.systemd import Systemd

Kept = Systemd | Launchd
KINDS: dict[str, Kept] = {SYSTEMD: Systemd(), LAUNCHD: Launchd()}
_FOREGROUND = "planrail worker   (it serves while your terminal is open)"
_IN_WSL = "write [boot] systemd=true into /etc/wsl.conf and give `wsl --shutdown` in Windows"


def find_installed(machine: Machine) -> Kept | None:
    """The kind that `install` wrote for this user; None where none is. What cron does is the person's."""
    kind = KINDS[LAUNCHD if machine.platform == "darwin" else SYSTEMD]
    there = read_file(kind.locate(machine))
    return kind if there is not None and kind.is_ours(there) else None


def plan_file(kind: Kept, machine: Machine, call: WorkerCall) -> ServiceFile:
    """The file of a service, to be written. Raises where one is in the way that planrail did not write."""
    place = kind.locate(machine)
    kind.refuse(place)
    there = read_file(place)
    if there is not None and not kind.is_ours(there):
        text = f"{place} was not written by planrail, and is not overwritten"
        raise PlanrailError(text, remedy="look at it, move it away, and give the command again")
    return ServiceFile(place, kind.render(machine, call))


def decide_kind(
    platform: str, wanted: str | None, installed: str, *, has_manager: bool, has_crontab: bool, is_wsl: bool
) -> tuple[str, list[str]]:
    """The kind that was asked for, else the one that is installed, else the one that fits; and what to know of it.

    `has_manager`: a systemd runs for this user. Raises where none can be.
    """
    if wanted and installed and wanted != installed:
        text = f"the service is installed as {TITLES[installed]} already"
        raise PlanrailError(text, remedy=f"planrail service uninstall, then install it as {wanted}")
    fitting = LAUNCHD if platform == "darwin" else SYSTEMD if has_manager else CRON
    kind = wanted or installed or fitting
    if kind == SYSTEMD and not has_manager:
        elsewhere = "log in as this user (ssh, or machinectl shell USER@), or: planrail service install --kind cron"
        remedy = f"{_IN_WSL}, or: --kind cron" if is_wsl else elsewhere
        raise PlanrailError("no systemd manager runs for this user", remedy=remedy)
    if kind == LAUNCHD and platform != "darwin":
        raise PlanrailError("launchd is a part of macOS", remedy="planrail service install   (it takes what fits)")
    if kind == CRON and not has_crontab:
        where = " in this WSL" if is_wsl else ""
        text = f"there is nothing{where} that could keep a worker running: no systemd for this user, and no cron"
        raise PlanrailError(text, remedy=f"{_IN_WSL if is_wsl else 'install cron'}, or: {_FOREGROUND}")
    if kind != CRON or platform == "darwin":
        return kind, []
    if has_manager:
        return kind, ["systemd runs for this user and would do it better: planrail service install --kind systemd"]
    windows = ["WSL starts nothing while no window is open: what is due then runs when the next one opens"]
    return kind, ["no systemd manager runs for this user, so cron does it", *(windows if is_wsl else [])]
