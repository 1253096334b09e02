"""The service as a launchd agent of macOS: a property list in `~/Library/LaunchAgents`."""

import os
import plistlib
import re
from xml.parsers.expat import ExpatError

from planrail.base.errors import ToolFailed
from planrail.team.registry import remove_file
from planrail.team.service.machine import LAUNCHD, MARK, Facts, Machine, ask_program, tell_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds

LABEL = "planrail.worker"
_MORE = 30  # seconds
# launchd reads no file of variables: the shell does, then it becomes the worker.
_WITH_SECRETS = 'set -a; if [ -r "$0" ]; then . "$0"; fi; exec "$@"'
_PID = re.compile(r"^\s*pid = (\d+)", re.MULTILINE)
_STATE = re.compile(r"^\s*state = (.+)$", re.MULTILINE)
_LOOK = "planrail service logs, or: launchctl print gui/$(id -u)/planrail.worker"


class Launchd:
    name = LAUNCHD

    def locate(self, machine: Machine) -> str:
        return os.path.join(machine.home, "Library", "LaunchAgents", f"{LABEL}.plist")

    def render(self, machine: Machine, call: WorkerCall) -> bytes:
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
            "StandardOutPath": machine.log,
            "StandardErrorPath": machine.log,
            "Comment": MARK.removeprefix("# "),
        }
        return plistlib.dumps(values, sort_keys=False)

    def is_ours(self, data: bytes) -> bool:
        try:
            return bool(plistlib.loads(data).get("Comment") == MARK.removeprefix("# "))
        except (ValueError, AttributeError, plistlib.InvalidFileException, ExpatError):
            return False

    def refuse(self, place: str) -> None:
        """Nothing of launchd's own is in the way."""

    def look(self, machine: Machine) -> Facts:
        _, text = _find_domain(machine)
        pid, state = _PID.search(text), _STATE.search(text)
        return Facts(
            is_installed=True,
            is_running=pid is not None,
            pid=int(pid[1]) if pid else 0,
            is_enabled=True,
            said=state[1].strip() if state else "not loaded",
            places=(self.locate(machine),),
        )

    def switch_on(self, machine: Machine, *, is_changed: bool) -> str:
        """Load it; one that is loaded from an older list is loaded anew."""
        was_loaded = bool(_find_domain(machine)[0])
        if was_loaded and not is_changed:
            return "the worker runs"
        self.steer(machine, "restart")
        return "the worker was restarted with the new settings" if was_loaded else "the worker was started"

    def remove(self, machine: Machine) -> list[str]:
        self.steer(machine, "stop")
        place = self.locate(machine)
        return ["the worker was stopped", *([f"removed {place}"] if remove_file(place) else [])]

    def steer(self, machine: Machine, action: str) -> None:
        """`start`: load it; `stop`: unload it until the next login or the next start; `restart`: both."""
        domain, _ = _find_domain(machine)
        if domain and action != "start":
            words = ("launchctl", "bootout", f"{domain}/{LABEL}")
            answer = ask_program(machine, *words, seconds=find_stop_seconds(machine) + _MORE)
            if not answer.is_good and _find_domain(machine)[0]:  # it says so also where it is unloading still
                raise ToolFailed(f"{' '.join(words)} failed: {answer.problem}", remedy=_LOOK)
            domain = ""
        if not domain and action != "stop":  # without a desktop there is only the user's own domain
            first, other = (("launchctl", "bootstrap", domain, self.locate(machine)) for domain in _domains(machine))
            if not ask_program(machine, *first).is_good:
                tell_program(machine, *other, remedy=_LOOK)

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        """The program that shows its log, which is kept in a file."""
        return ["tail", "-n", str(lines), *(["-F"] if follows else []), machine.log]


def _domains(machine: Machine) -> tuple[str, str]:
    return f"gui/{machine.uid}", f"user/{machine.uid}"


def _find_domain(machine: Machine) -> tuple[str, str]:
    """Where the agent is loaded, and what launchd says of it; two empty texts where it is not."""
    for domain in _domains(machine):
        answer = ask_program(machine, "launchctl", "print", f"{domain}/{LABEL}")
        if answer.is_good:
            return domain, answer.text
    return "", ""
