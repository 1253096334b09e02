"""The service as a launchd agent of macOS: a property list in `~/Library/LaunchAgents`."""

import os
import plistlib
import re

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.team.service.kinds import LAUNCHD, Facts
from planrail.team.service.machine import Machine
from planrail.team.service.programs import ask_program, tell_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds
from planrail.team.service.unit_text import MARK
from planrail.team.service_files import ServiceFile, read_file, remove_file

LABEL = "planrail.worker"
_MORE = 30  # seconds
# launchd reads no file of variables: the shell does, then it becomes the worker.
_WITH_SECRETS = 'set -a; if [ -r "$0" ]; then . "$0"; fi; exec "$@"'
_PID = re.compile(r"^\s*pid = (\d+)", re.MULTILINE)
_STATE = re.compile(r"^\s*state = (.+)$", re.MULTILINE)
_LOOK = "planrail service logs, or: launchctl print gui/$(id -u)/planrail.worker"


class Launchd:
    """The kind of macOS."""

    name = LAUNCHD

    def is_installed(self, machine: Machine) -> bool:
        """Whether there is a property list that planrail wrote."""
        return _is_ours(read_file(locate_list(machine)))

    def look(self, machine: Machine) -> Facts:
        """What launchd knows of the agent."""
        place = locate_list(machine)
        domain = _find_domain(machine)
        text = ask_program(machine, "launchctl", "print", f"{domain}/{LABEL}").text if domain else ""
        pid, state = _PID.search(text), _STATE.search(text)
        return Facts(
            is_installed=self.is_installed(machine),
            is_running=pid is not None,
            pid=int(pid[1]) if pid else 0,
            is_enabled=self.is_installed(machine),
            said=state[1].strip() if state else "not loaded",
            places=(place,),
        )

    def list_files(self, machine: Machine, call: WorkerCall) -> list[ServiceFile]:
        """The property list."""
        return [ServiceFile(locate_list(machine), render_list(call, machine.log))]

    def list_lines(self, machine: Machine) -> list[str]:
        """Nothing stands elsewhere."""
        return []

    def check_files(self, machine: Machine) -> None:
        """A property list of somebody else is theirs."""
        place = locate_list(machine)
        there = read_file(place)
        if there is not None and not _is_ours(there):
            raise PlanrailError(
                f"{place} was not written by planrail, and is not overwritten",
                remedy="look at it, move it away, and give the command again",
            )

    def switch_on(self, machine: Machine, *, is_changed: bool) -> list[str]:
        """Load it; one that is loaded from an older list is loaded anew."""
        was_loaded = bool(_find_domain(machine))
        if was_loaded and not is_changed:
            return ["the worker runs"]
        self.restart(machine)
        return ["the worker was restarted with the new settings" if was_loaded else "the worker was started"]

    def remove(self, machine: Machine) -> list[str]:
        """Unload it, and remove its property list."""
        self.stop(machine)
        place = locate_list(machine)
        return ["the worker was stopped", *([f"removed {place}"] if remove_file(place) else [])]

    def start(self, machine: Machine) -> None:
        """Load it, which starts it. Without a desktop there is only the user's own domain."""
        if _find_domain(machine):
            return
        first, other = _domains(machine)
        if not ask_program(machine, "launchctl", "bootstrap", first, locate_list(machine)).is_good:
            tell_program(machine, "launchctl", "bootstrap", other, locate_list(machine), remedy=_LOOK)

    def stop(self, machine: Machine) -> None:
        """Unload it until the next login, or the next start."""
        domain = _find_domain(machine)
        if domain:
            words = ("launchctl", "bootout", f"{domain}/{LABEL}")
            answer = ask_program(machine, *words, seconds=find_stop_seconds(machine) + _MORE)
            if not answer.is_good and _find_domain(machine):  # it says so also where it is unloading still
                raise ToolFailed(f"{' '.join(words)} failed: {answer.problem}", remedy=_LOOK)

    def restart(self, machine: Machine) -> None:
        """Unload it, and load it again as its list is now."""
        self.stop(machine)
        self.start(machine)

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """A file keeps it."""
        return ["tail", "-n", str(lines), *(["-F"] if follows else []), machine.log]


def locate_list(machine: Machine) -> str:
    """Where the property list of this user lies."""
    return os.path.join(machine.home, "Library", "LaunchAgents", f"{LABEL}.plist")


def render_list(call: WorkerCall, log: str) -> bytes:
    """The property list for a worker."""
    values = {
        "Label": LABEL,
        "ProgramArguments": ["/bin/sh", "-c", _WITH_SECRETS, call.secrets, *call.words],
        "EnvironmentVariables": dict(call.variables),
        "WorkingDirectory": "/",
        "RunAtLoad": True,
        "KeepAlive": True,
        "ThrottleInterval": 5,
        "ExitTimeOut": call.stop_seconds,
        "AbandonProcessGroup": True,  # agents go on when the worker is stopped
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "Comment": MARK.removeprefix("# "),
    }
    return plistlib.dumps(values, sort_keys=False)


def _is_ours(data: bytes | None) -> bool:
    try:
        return data is not None and plistlib.loads(data).get("Comment") == MARK.removeprefix("# ")
    except (ValueError, AttributeError, plistlib.InvalidFileException):
        return False
    except Exception as error:  # the parser of XML has errors of its own
        if type(error).__module__ == "xml.parsers.expat":
            return False
        raise


def _domains(machine: Machine) -> tuple[str, str]:
    return f"gui/{machine.uid}", f"user/{machine.uid}"


def _find_domain(machine: Machine) -> str:
    """Where the agent is loaded; "" where it is not."""
    for domain in _domains(machine):
        if ask_program(machine, "launchctl", "print", f"{domain}/{LABEL}").is_good:
            return domain
    return ""
