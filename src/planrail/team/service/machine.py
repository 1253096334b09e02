"""The machine as the service sees it: its user, its folders, and the programs of the system that keep a service.

Every program is started here, without a shell, in English, with nothing to read from a terminal, and not for ever.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from planrail.approval.channels import ProcessFacts
from planrail.approval.people.terminals import list_lineage, read_login
from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.state_folder import state_folder

MARK = "# Written by `planrail service install`"
SYSTEMD, LAUNCHD = "systemd", "launchd"
TITLES = {SYSTEMD: "a systemd user unit", LAUNCHD: "a launchd agent"}
SECONDS = 30
_NOT_THERE = ("PLANRAIL_DATABASE", "PLANRAIL_DATABASE_PASSWORD", "PGPASSWORD")  # secrets that are no business of theirs


@record
class Machine:
    """All that the service needs to know of where it is."""

    environment: Mapping[str, str]
    platform: str  # as `sys.platform` has it
    release: str  # of the kernel, which tells WSL from other Linux
    user: str
    uid: int
    python: str  # the interpreter that runs this planrail; of a virtual environment, its own
    lineage: Callable[[], Sequence[ProcessFacts]]  # this process and its ancestors

    @property
    def home(self) -> str:
        return self.environment.get("HOME") or os.path.expanduser("~")

    @property
    def state(self) -> str:
        return state_folder(self.environment)

    @property
    def folder(self) -> str:
        return os.path.join(self.state, "service")

    @property
    def log(self) -> str:
        """Where what the worker prints is kept, by kinds that have no journal."""
        return os.path.join(self.folder, "worker.log")

    @property
    def is_wsl(self) -> bool:
        """Whether this is Linux inside Windows."""
        return "microsoft" in self.release.lower() or bool(self.environment.get("WSL_DISTRO_NAME"))


def open_machine() -> Machine:
    return Machine(
        environment=os.environ,
        platform=sys.platform,
        release=os.uname().release,
        user=read_login(),
        uid=os.getuid(),
        python=os.path.abspath(sys.executable),
        lineage=list_lineage,
    )


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


@record
class ProgramAnswer:
    """What a program answered; `problem` is what it said on standard error, or why it could not be asked."""

    code: int
    text: str
    problem: str

    @property
    def is_good(self) -> bool:
        return self.code == 0


def ask_program(machine: Machine, *words: str, seconds: float = SECONDS) -> ProgramAnswer:
    """Run a program to its end. Failing is an answer."""
    environment = build_environment(machine)
    try:
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return ProgramAnswer(124, "", f"{words[0]} did not answer within {seconds:g} s")
    except OSError as error:
        return ProgramAnswer(127, "", f"{words[0]} could not be started: {error.strerror}")
    return ProgramAnswer(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr).strip())


def tell_program(machine: Machine, *words: str, remedy: str, seconds: float = SECONDS) -> None:
    """The same where it has to succeed: raises `ToolFailed` with the program's own words."""
    answer = ask_program(machine, *words, seconds=seconds)
    if not answer.is_good:
        said = answer.problem.splitlines() or answer.text.strip().splitlines() or [f"exit status {answer.code}"]
        raise ToolFailed(f"{' '.join(words[:4])} failed: {said[-1]}", remedy=remedy)


def follow_program(machine: Machine, *words: str) -> int:
    """Let a program write to this terminal until it, or the person, ends it. Its exit code."""
    try:
        return subprocess.run(words, env=build_environment(machine), stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        raise ToolFailed(f"{words[0]} could not be started: {error.strerror}", remedy="planrail service logs") from None
    except KeyboardInterrupt:
        return 0


def build_environment(machine: Machine) -> Mapping[str, str]:
    """The user's environment, in English. A shell that was not logged in (`su`, `sudo`) still finds the user's bus."""
    values = {name: value for name, value in machine.environment.items() if name not in _NOT_THERE}
    values |= {"LC_ALL": "C", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "", "NO_COLOR": "1"}
    usual = f"/run/user/{machine.uid}"
    if not values.get("XDG_RUNTIME_DIR") and os.path.isdir(usual):
        values["XDG_RUNTIME_DIR"] = usual
    return values
