"""Which kind of service is installed, and which fits this machine? Pure, but for `survey` and `find_installed`."""

import os
import shutil

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.team.service.kinds import CRON, LAUNCHD, SYSTEMD, TITLES
from planrail.team.service.launchd import Launchd
from planrail.team.service.machine import Machine
from planrail.team.service.systemd import Systemd, has_manager

Kept = Systemd | Launchd
KINDS: dict[str, Kept] = {SYSTEMD: Systemd(), LAUNCHD: Launchd()}
_FOREGROUND = "planrail worker   (it serves while your terminal is open)"
_IN_WSL = "write [boot] systemd=true into /etc/wsl.conf and give `wsl --shutdown` in Windows"


@record
class Survey:
    """What there is on a machine to keep a worker running."""

    platform: str
    has_manager: bool  # a systemd that runs for this user
    has_crontab: bool
    is_wsl: bool = False
    installed: str = ""  # the kind that is installed already


def find_installed(machine: Machine) -> Kept | None:
    """The kind that is installed for this user; None where none is. What cron does is the person's."""
    kind = KINDS[LAUNCHD if machine.platform == "darwin" else SYSTEMD]
    return kind if kind.is_installed(machine) else None


def survey(machine: Machine) -> Survey:
    installed = find_installed(machine)
    return Survey(
        platform=machine.platform,
        has_manager=machine.platform != "darwin" and has_manager(machine),
        has_crontab=shutil.which("crontab", path=machine.environment.get("PATH", os.defpath)) is not None,
        is_wsl=machine.is_wsl,
        installed=installed.name if installed else "",
    )


def decide_kind(survey: Survey, wanted: str | None) -> tuple[str, list[str]]:
    """The kind that was asked for, else the one that is installed, else the one that fits; and what to know of it.

    Raises where none can be.
    """
    if wanted and survey.installed and wanted != survey.installed:
        text = f"the service is installed as {TITLES[survey.installed]} already"
        raise PlanrailError(text, remedy=f"planrail service uninstall, then install it as {wanted}")
    fitting = LAUNCHD if survey.platform == "darwin" else SYSTEMD if survey.has_manager else CRON
    kind = wanted or survey.installed or fitting
    if kind == SYSTEMD and not survey.has_manager:
        elsewhere = "log in as this user (ssh, or machinectl shell USER@), or: planrail service install --kind cron"
        remedy = f"{_IN_WSL}, or: --kind cron" if survey.is_wsl else elsewhere
        raise PlanrailError("no systemd manager runs for this user", remedy=remedy)
    if kind == LAUNCHD and survey.platform != "darwin":
        raise PlanrailError("launchd is a part of macOS", remedy="planrail service install   (it takes what fits)")
    if kind == CRON and not survey.has_crontab:
        where = " in this WSL" if survey.is_wsl else ""
        text = f"there is nothing{where} that could keep a worker running: no systemd for this user, and no cron"
        raise PlanrailError(text, remedy=f"{_IN_WSL if survey.is_wsl else 'install cron'}, or: {_FOREGROUND}")
    if kind != CRON or survey.platform == "darwin":
        return kind, []
    if survey.has_manager:
        return kind, ["systemd runs for this user and would do it better: planrail service install --kind systemd"]
    windows = ["WSL starts nothing while no window is open: what is due then runs when the next one opens"]
    return kind, ["no systemd manager runs for this user, so cron does it", *(windows if survey.is_wsl else [])]
