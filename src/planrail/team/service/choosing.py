"""Which kind of service fits this machine, and may whoever asks install one? Pure, but for `survey`."""

from planrail.base.records import record
from planrail.team.service.cron import Cron
from planrail.team.service.kinds import CRON, LAUNCHD, SYSTEMD, TITLES, Kind
from planrail.team.service.launchd import Launchd
from planrail.team.service.machine import Machine
from planrail.team.service.programs import is_program
from planrail.team.service.systemd import Systemd, has_manager

_FOREGROUND = "planrail worker   (it serves while your terminal is open)"


@record
class Survey:
    """What there is on a machine to keep a worker running."""

    platform: str
    has_manager: bool  # a systemd that runs for this user
    has_crontab: bool
    is_wsl: bool = False
    installed: str = ""  # the kind that is installed already


@record
class Choice:
    """The kind to install, and what the person should know about that."""

    kind: str
    notes: tuple[str, ...] = ()


@record
class Refusal:
    """Why none can be installed, and what to do."""

    reason: str
    remedy: str


def decide_kind(survey: Survey, wanted: str | None) -> Choice | Refusal:
    """The kind that was asked for, else the one that is installed, else the one that fits."""
    if wanted and survey.installed and wanted != survey.installed:
        title = TITLES[survey.installed]
        return Refusal(
            f"the service is installed as {title} already", f"planrail service uninstall, then install it as {wanted}"
        )
    kind = wanted or survey.installed or _fitting(survey)
    if kind == SYSTEMD and not survey.has_manager:
        return Refusal("no systemd manager runs for this user", _remedy_without_manager(survey))
    if kind == LAUNCHD and survey.platform != "darwin":
        return Refusal("launchd is a part of macOS", "planrail service install   (it takes what fits)")
    if kind == CRON and not survey.has_crontab:
        return Refusal(_missing(survey), _remedy_without_cron(survey))
    return Choice(kind, _notes(survey, kind))


def survey(machine: Machine, installed: str) -> Survey:
    """Look what there is."""
    is_mac = machine.platform == "darwin"
    return Survey(
        platform=machine.platform,
        has_manager=not is_mac and has_manager(machine),
        has_crontab=is_program(machine, "crontab"),
        is_wsl=machine.is_wsl,
        installed=installed,
    )


def _fitting(survey: Survey) -> str:
    if survey.platform == "darwin":
        return LAUNCHD
    return SYSTEMD if survey.has_manager else CRON


def _missing(survey: Survey) -> str:
    where = " in this WSL" if survey.is_wsl else ""
    return f"there is nothing{where} that could keep a worker running: no systemd for this user, and no cron"


def _remedy_without_manager(survey: Survey) -> str:
    if survey.is_wsl:
        return "write [boot] systemd=true into /etc/wsl.conf and give `wsl --shutdown` in Windows, or: --kind cron"
    return "log in as this user (ssh, or machinectl shell USER@), or: planrail service install --kind cron"


def _remedy_without_cron(survey: Survey) -> str:
    if survey.is_wsl:
        return f"write [boot] systemd=true into /etc/wsl.conf and give `wsl --shutdown` in Windows, or: {_FOREGROUND}"
    return f"install cron, or: {_FOREGROUND}"


def _notes(survey: Survey, kind: str) -> tuple[str, ...]:
    if kind != CRON or survey.platform == "darwin":
        return ()
    if survey.has_manager:
        return ("systemd runs for this user and would do it better: planrail service install --kind systemd",)
    windows = ("WSL starts nothing while no window is open: what is due then runs when the next one opens",)
    return ("no systemd manager runs for this user, so cron does it", *(windows if survey.is_wsl else ()))


def find_kind(name: str) -> Kind:
    """The kind of that name."""
    if name == SYSTEMD:
        return Systemd()
    if name == LAUNCHD:
        return Launchd()
    return Cron()


def find_installed(machine: Machine) -> Kind | None:
    """The kind that is installed for this user; None where none is."""
    kinds = (find_kind(name) for name in _possible(machine))
    return next((kind for kind in kinds if kind.is_installed(machine)), None)


def _possible(machine: Machine) -> tuple[str, ...]:
    return (LAUNCHD, CRON) if machine.platform == "darwin" else (SYSTEMD, CRON)
