"""The service as a systemd user unit: `planrail.service` of the user's own manager."""

import os
import time

from planrail.base.errors import PlanrailError
from planrail.team.service.kinds import SYSTEMD, Facts
from planrail.team.service.machine import Machine
from planrail.team.service.programs import Answer, ask_program, tell_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds
from planrail.team.service.unit_text import MARK, render_unit
from planrail.team.service_files import ServiceFile, read_file, remove_file

UNIT = "planrail.service"
_UP = ("running", "degraded", "starting", "initializing", "maintenance")
_ASKED = "LoadState,ActiveState,SubState,MainPID,UnitFileState,Result,ActiveEnterTimestampMonotonic"
_MORE = 30  # seconds
_LOOK = "planrail service logs, or: systemctl --user status planrail"


class Systemd:
    """The kind of most Linux machines."""

    name = SYSTEMD

    def is_installed(self, machine: Machine) -> bool:
        """Whether there is a unit that planrail wrote."""
        return (read_file(locate_unit(machine)) or b"").startswith(MARK.encode())

    def look(self, machine: Machine) -> Facts:
        """What the manager knows of the unit."""
        place = locate_unit(machine)
        answer = ask_program(machine, "systemctl", "--user", "show", UNIT, f"--property={_ASKED}")
        values = dict(line.split("=", 1) for line in answer.text.splitlines() if "=" in line)
        is_running = values.get("ActiveState") in ("active", "reloading", "deactivating")
        return Facts(
            is_installed=self.is_installed(machine),
            is_running=is_running,
            pid=int(values.get("MainPID") or 0) if is_running else 0,
            since=_since(values.get("ActiveEnterTimestampMonotonic", "")) if is_running else None,
            is_enabled=values["UnitFileState"] == "enabled" if values.get("UnitFileState") else None,
            survives_logout=ask_linger(machine),
            said=_describe(values) if answer.is_good else answer.problem,
            places=(place,),
        )

    def list_files(self, machine: Machine, call: WorkerCall) -> list[ServiceFile]:
        """The unit."""
        return [ServiceFile(locate_unit(machine), os.fsencode(render_unit(call)))]

    def list_lines(self, machine: Machine) -> list[str]:
        """Nothing stands elsewhere."""
        return []

    def check_files(self, machine: Machine) -> None:
        """A unit of somebody else, and one that was masked, are theirs."""
        place = locate_unit(machine)
        if os.path.islink(place) and os.path.realpath(place) == os.devnull:
            raise PlanrailError(f"{UNIT} is masked", remedy=f"systemctl --user unmask {UNIT}")
        there = read_file(place)
        if there is not None and not there.startswith(MARK.encode()):
            raise PlanrailError(
                f"{place} was not written by planrail, and is not overwritten",
                remedy="look at it, move it away, and give the command again",
            )

    def switch_on(self, machine: Machine, *, is_changed: bool) -> list[str]:
        """Enable and start it; one that runs with an older unit is restarted."""
        was_running = self.look(machine).is_running
        self._tell(machine, "daemon-reload")
        self._tell(machine, "enable", UNIT)
        if was_running and is_changed:
            self.restart(machine)
            return ["the worker was restarted with the new unit; its agents were not interrupted"]
        self.start(machine)
        return ["the worker runs" if was_running else "the worker was started"]

    def remove(self, machine: Machine) -> list[str]:
        """Stop, disable and remove the unit. Drop-ins are the person's, and stay."""
        place = locate_unit(machine)
        answer = ask_program(machine, "systemctl", "--user", "disable", "--now", UNIT, seconds=_patience(machine))
        said = ["the worker was stopped"] if answer.is_good else [f"systemctl did not stop it: {answer.problem}"]
        _remove_link(machine)
        if remove_file(place):
            said.append(f"removed {place}")
        ask_program(machine, "systemctl", "--user", "daemon-reload")
        ask_program(machine, "systemctl", "--user", "reset-failed", UNIT)
        if os.path.isdir(f"{place}.d"):
            said.append(f"kept {place}.d, which is yours")
        return said

    def start(self, machine: Machine) -> None:
        """Start it now."""
        self._tell(machine, "start", UNIT)

    def stop(self, machine: Machine) -> None:
        """Stop it until the next boot, or the next start."""
        self._tell(machine, "stop", UNIT)

    def restart(self, machine: Machine) -> None:
        """Stop it, and start it again."""
        self._tell(machine, "restart", UNIT)

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """The journal keeps it."""
        rest = ["--follow"] if follows else ["--no-pager", "--quiet"]
        return ["journalctl", "--user", f"--unit={UNIT}", f"--lines={lines}", "--output=short-iso", *rest]

    def _tell(self, machine: Machine, *words: str) -> Answer:
        return tell_program(machine, "systemctl", "--user", *words, remedy=_LOOK, seconds=_patience(machine))


def locate_unit(machine: Machine) -> str:
    """Where the unit of this user lies."""
    moved = machine.environment.get("XDG_CONFIG_HOME") or ""
    base = moved if os.path.isabs(moved) else os.path.join(machine.home, ".config")
    return os.path.join(base, "systemd", "user", UNIT)


def has_manager(machine: Machine) -> bool:
    """Whether a systemd manager runs for this user."""
    return ask_program(machine, "systemctl", "--user", "is-system-running").text.strip() in _UP


def ask_linger(machine: Machine) -> bool | None:
    """Whether the user's services run while nobody is logged in; None where nobody can say."""
    answer = ask_program(machine, "loginctl", "show-user", machine.user, "--property=Linger")
    word = answer.text.strip().removeprefix("Linger=")
    return {"yes": True, "no": False}.get(word) if answer.is_good else None


def _patience(machine: Machine) -> float:
    return find_stop_seconds(machine) + _MORE


def _describe(values: dict[str, str]) -> str:
    state, result = values.get("ActiveState", "unknown"), values.get("Result", "success")
    detail = values.get("SubState", "")
    more = f" ({detail})" if detail and detail != state else ""
    return f"{state}{more}" + (f", it ended with: {result}" if result not in ("success", "") else "")


def _since(microseconds: str) -> float | None:
    """When it started, from systemd's monotonic clock: its dates are written in the zone and words of the machine."""
    if not microseconds.isdigit() or microseconds == "0":
        return None
    return time.time() - (time.clock_gettime(time.CLOCK_MONOTONIC) - int(microseconds) / 1e6)


def _remove_link(machine: Machine) -> None:
    """What `enable` made, also where no manager answers that could take it back."""
    link = os.path.join(os.path.dirname(locate_unit(machine)), "default.target.wants", UNIT)
    if os.path.islink(link):
        remove_file(link)
