"""The programs of the system that the service speaks to: systemctl, launchctl, crontab, loginctl, and readers of logs.

Every one is started here, without a shell, in English, with nothing to read from a terminal, and not for ever.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.team.service.machine import Machine

SECONDS = 30
MISSING, TIMED_OUT = 127, 124
_NOT_THERE = ("PLANRAIL_DATABASE", "PLANRAIL_DATABASE_PASSWORD", "PGPASSWORD")  # secrets that are no business of theirs


@record
class Answer:
    """What a program answered. `code` is MISSING where there is none, TIMED_OUT where it did not end."""

    code: int
    output: bytes
    problem: str

    @property
    def text(self) -> str:
        """What it printed."""
        return os.fsdecode(self.output)

    @property
    def is_good(self) -> bool:
        """Whether it did what it was asked for."""
        return self.code == 0


def ask_program(machine: Machine, *words: str, seconds: float = SECONDS, folder: str | None = None) -> Answer:
    """Run a program to its end. Failing is an answer."""
    try:
        done = subprocess.run(
            words,
            env=build_environment(machine),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(TIMED_OUT, b"", f"{words[0]} did not answer within {seconds:g} s")
    except OSError as error:
        return Answer(MISSING, b"", f"{words[0]} could not be started: {error.strerror}")
    return Answer(done.returncode, done.stdout, os.fsdecode(done.stderr).strip())


def tell_program(
    machine: Machine, *words: str, remedy: str, seconds: float = SECONDS, folder: str | None = None
) -> Answer:
    """The same where it has to succeed: raises `ToolFailed` with the program's own words."""
    answer = ask_program(machine, *words, seconds=seconds, folder=folder)
    if not answer.is_good:
        said = answer.problem.splitlines() or answer.text.strip().splitlines() or [f"exit status {answer.code}"]
        raise ToolFailed(f"{' '.join(words[:4])} failed: {said[-1]}", remedy=remedy)
    return answer


def follow_program(machine: Machine, *words: str) -> int:
    """Let a program write to this terminal until it, or the person, ends it. Its exit code."""
    try:
        return subprocess.run(words, env=build_environment(machine), stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        raise ToolFailed(f"{words[0]} could not be started: {error.strerror}", remedy="planrail service logs") from None
    except KeyboardInterrupt:
        return 0


def launch_program(machine: Machine, *words: str) -> int:
    """Start a program that is nobody's child, and goes on when planrail and its terminal are gone. Its number."""
    command = ("/bin/sh", "-c", '"$0" "$@" </dev/null >/dev/null 2>&1 & printf %s "$!"', *words)
    try:
        done = subprocess.run(
            command,
            env=build_environment(machine),
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            start_new_session=True,
            check=True,
        )
        return int(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ToolFailed(f"{words[0]} could not be started: {error}", remedy="planrail worker") from error


def is_program(machine: Machine, name: str) -> bool:
    """Whether there is a program of that name."""
    return shutil.which(name, path=machine.environment.get("PATH", os.defpath)) is not None


def build_environment(machine: Machine) -> Mapping[str, str]:
    """The user's environment, in English. A shell that was not logged in (`su`, `sudo`) still finds the user's bus."""
    values = {name: value for name, value in machine.environment.items() if name not in _NOT_THERE}
    values |= {"LC_ALL": "C", "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": "", "NO_COLOR": "1"}
    usual = f"/run/user/{machine.uid}"
    if not values.get("XDG_RUNTIME_DIR") and os.path.isdir(usual):
        values["XDG_RUNTIME_DIR"] = usual
    return values
