"""The service as a systemd user unit: `planrail.service` of the user's own manager."""

import os
import re
import time
from collections.abc import Sequence

from planrail.base.errors import PlanrailError
from planrail.team.registry import remove_file
from planrail.team.service.machine import MARK, SYSTEMD, Facts, Machine, ask_program, tell_program
from planrail.team.service.starting import WorkerCall, find_stop_seconds

UNIT = "planrail.service"
_UP = ("running", "degraded", "starting", "initializing", "maintenance")
_ASKED = "LoadState,ActiveState,SubState,MainPID,UnitFileState,Result,ActiveEnterTimestampMonotonic"
_MORE = 30  # seconds
_LOOK = "planrail service logs, or: systemctl --user status planrail"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "%": "%%"}
_SPECIAL = re.compile('[\\\\"\n\t\r%]|[\x00-\x1f\x7f]')
_PLAIN = re.compile(r"[A-Za-z0-9_./@:=+,-]+")
_UNSAFE = re.compile("[\"'\\\\$\x00-\x1f\x7f]")  # what systemd refuses, or might change, in the name of a program
_TEMPLATE = """\
{mark}, and written anew by it.
# Changes of your own belong into a drop-in (systemctl --user edit planrail), which planrail never touches.

[Unit]
Description=planrail worker: schedules, and runs that wait
# However often it fails, it is tried again: a database or a disk may come back hours later.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={command}
# In no repository: it serves those that are registered, and none by accident of where it stands.
WorkingDirectory=/
Restart=always
RestartSec=5
# Only the worker is stopped. The agents that it started go on, and the next worker takes them over: an upgrade or a
# restart costs nobody the work of hours.
KillMode=process
# One agent that needs more memory than there is must not end the worker and all the others.
OOMPolicy=continue
# Longer than the worker's drain ([worker] drain in your planrail.toml), in which phases come to a rest.
TimeoutStopSec={seconds}
{variables}
# Secrets, for their owner's eyes only; the file need not be there.
EnvironmentFile=-{secrets}

[Install]
WantedBy=default.target
"""


class Systemd:
    name = SYSTEMD

    def locate(self, machine: Machine) -> str:
        moved = machine.environment.get("XDG_CONFIG_HOME") or ""
        base = moved if os.path.isabs(moved) else os.path.join(machine.home, ".config")
        return os.path.join(base, "systemd", "user", UNIT)

    def render(self, machine: Machine, call: WorkerCall) -> bytes:
        return os.fsencode(render_unit(call))

    def is_ours(self, data: bytes) -> bool:
        return data.startswith(MARK.encode())

    def refuse(self, place: str) -> None:
        """A unit that was masked is not unmasked."""
        if os.path.islink(place) and os.path.realpath(place) == os.devnull:
            raise PlanrailError(f"{UNIT} is masked", remedy=f"systemctl --user unmask {UNIT}")

    def look(self, machine: Machine) -> Facts:
        answer = ask_program(machine, "systemctl", "--user", "show", UNIT, f"--property={_ASKED}")
        values = dict(line.split("=", 1) for line in answer.text.splitlines() if "=" in line)
        is_running = values.get("ActiveState") in ("active", "reloading", "deactivating")
        # By systemd's monotonic clock: its dates are written in the zone and words of the machine.
        at = values.get("ActiveEnterTimestampMonotonic", "")
        elapsed = time.clock_gettime(time.CLOCK_MONOTONIC) - int(at) / 1e6 if at.isdigit() and at != "0" else None
        since = time.time() - elapsed if is_running and elapsed is not None else None
        # Whether the user's services run while nobody is logged in; None where nobody can say.
        lingers = ask_program(machine, "loginctl", "show-user", machine.user, "--property=Linger")
        word = lingers.text.strip().removeprefix("Linger=") if lingers.is_good else ""
        state, detail = values.get("ActiveState", "unknown"), values.get("SubState", "")
        said = state + (f" ({detail})" if detail and detail != state else "")
        if values.get("Result", "success") not in ("success", ""):
            said += f", it ended with: {values['Result']}"
        return Facts(
            is_installed=True,
            is_running=is_running,
            pid=int(values.get("MainPID") or 0) if is_running else 0,
            since=since,
            is_enabled=values["UnitFileState"] == "enabled" if values.get("UnitFileState") else None,
            survives_logout={"yes": True, "no": False}.get(word),
            said=said if answer.is_good else answer.problem,
            places=(self.locate(machine),),
        )

    def switch_on(self, machine: Machine, *, is_changed: bool) -> str:
        """Enable and start it; one that runs with an older unit is restarted."""
        was_running = self.look(machine).is_running
        self._tell(machine, "daemon-reload")
        self._tell(machine, "enable", UNIT)
        if was_running and is_changed:
            self.steer(machine, "restart")
            return "the worker was restarted with the new unit; its agents were not interrupted"
        self.steer(machine, "start")
        return "the worker runs" if was_running else "the worker was started"

    def remove(self, machine: Machine) -> list[str]:
        """Stop, disable and remove the unit. Drop-ins are the person's, and stay."""
        place = self.locate(machine)
        seconds = find_stop_seconds(machine) + _MORE
        answer = ask_program(machine, "systemctl", "--user", "disable", "--now", UNIT, seconds=seconds)
        said = ["the worker was stopped"] if answer.is_good else [f"systemctl did not stop it: {answer.problem}"]
        link = os.path.join(os.path.dirname(place), "default.target.wants", UNIT)
        if os.path.islink(link):  # what `enable` made, also where no manager answers that could take it back
            remove_file(link)
        if remove_file(place):
            said.append(f"removed {place}")
        ask_program(machine, "systemctl", "--user", "daemon-reload")
        ask_program(machine, "systemctl", "--user", "reset-failed", UNIT)
        if os.path.isdir(f"{place}.d"):
            said.append(f"kept {place}.d, which is yours")
        return said

    def steer(self, machine: Machine, action: str) -> None:
        """`start` it, `stop` it until the next boot or the next start, or `restart` it."""
        self._tell(machine, action, UNIT)

    def log_command(self, machine: Machine, lines: int, *, follows: bool) -> list[str]:
        rest = ["--follow"] if follows else ["--no-pager", "--quiet"]
        return ["journalctl", "--user", f"--unit={UNIT}", f"--lines={lines}", "--output=short-iso", *rest]

    def _tell(self, machine: Machine, *words: str) -> None:
        seconds = find_stop_seconds(machine) + _MORE
        tell_program(machine, "systemctl", "--user", *words, remedy=_LOOK, seconds=seconds)


def has_manager(machine: Machine) -> bool:
    return ask_program(machine, "systemctl", "--user", "is-system-running").text.strip() in _UP


# ---- the text of the unit, in systemd's own quoting ----
# Each line of a unit has rules of its own (systemd.service(5), systemd.exec(5), systemd.syntax(7)): words may stand in
# double quotes, with C escapes; `%` begins a specifier everywhere; `$` a variable in a command's arguments only; the
# program itself may hold neither quote nor backslash, and has no variables; EnvironmentFile takes the rest of the line
# as it is, and as a pattern.


def render_unit(call: WorkerCall) -> str:
    variables = [f"Environment={quote_word(f'{name}={value}')}" for name, value in call.variables.items()]
    return _TEMPLATE.format(
        mark=MARK,
        command=render_command(call.words),
        seconds=call.stop_seconds,
        variables="\n".join(variables),
        secrets=quote_pattern(call.secrets),
    )


def render_command(words: Sequence[str]) -> str:
    """A command for ExecStart; by way of `sh` where its program has a name that systemd would not take."""
    if _UNSAFE.search(words[0]):
        words = ("/bin/sh", "-c", 'exec "$0" "$@"', *words)
    escaped = [words[0], *(word.replace("$", "$$") for word in words[1:])]
    return " ".join(word if _PLAIN.fullmatch(word) else quote_word(word) for word in escaped)


def quote_word(text: str) -> str:
    return '"' + _SPECIAL.sub(lambda found: _ESCAPES.get(found[0]) or f"\\x{ord(found[0]):02x}", text) + '"'


def quote_pattern(path: str) -> str:
    """A path where systemd takes the rest of the line, expands specifiers, and then looks for a pattern."""
    return re.sub(r"([*?\[\]\\])", r"\\\1", path).replace("%", "%%")
