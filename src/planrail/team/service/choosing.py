"""Which kind of service is installed, and which fits this machine? `choose_kind` is pure."""

from planrail.base.errors import PlanrailError
from planrail.team.registry import ServiceFile, read_file
from planrail.team.service.launchd import Launchd
from planrail.team.service.machine import LAUNCHD, SYSTEMD, Machine
from planrail.team.service.starting import WorkerCall
from planrail.team.service.systemd import Systemd

Kept = Systemd | Launchd
KINDS: dict[str, Kept] = {SYSTEMD: Systemd(), LAUNCHD: Launchd()}
_IN_CRONTAB = "*/5 * * * * planrail worker --unless-running"
_IN_WSL = "write [boot] systemd=true into /etc/wsl.conf and give `wsl --shutdown` in Windows"


def find_installed(machine: Machine) -> Kept | None:
    """The kind that `install` wrote for this user; None where none is."""
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


def choose_kind(platform: str, *, has_manager: bool, is_wsl: bool) -> Kept:
    """The kind that fits. `has_manager`: a systemd runs for this user. Raises where neither can be."""
    if platform == "darwin":
        return KINDS[LAUNCHD]
    if has_manager:
        return KINDS[SYSTEMD]
    first = _IN_WSL if is_wsl else "log in as this user (ssh, or machinectl shell USER@)"
    raise PlanrailError("no systemd manager runs for this user", remedy=f"{first}; or in a crontab: {_IN_CRONTAB}")
