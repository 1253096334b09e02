"""A person's desk with an agent at work on it: one user, one home, one repository with a plan.

Everything runs as processes. Where the tests run as root, person and agent are an ordinary user, since nothing can be
kept from root. The agent is a stand-in: a shell called `claude`, which marks what it starts as the real one does.
"""

import contextlib
import itertools
import json
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import pytest
import yaml

import planrail
from tests.support.patience import PATIENCE

HERE = Path(__file__).parent
TOOLS = HERE / "tools"
MARKS = {"CLAUDECODE": "1", "AI_AGENT": "claude-code_2-1-325_agent", "CLAUDE_CODE_ENTRYPOINT": "cli"}
PLAN = """# Herons

## Goal

Count the herons.

## Phase 1: Count

- [ ] count them in `notes.md`

## Phase 2: Report

- [ ] write the report
"""
_NOBODY = 65534
_MODULES = f"{Path(planrail.__file__).parents[1]}:{Path(yaml.__file__).parents[1]}"


class Desk:
    """The folders of one user, and ways to act there."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home, self.project, self.programs = base / "home", base / "project", base / "programs"
        self.machine = base / "etc"  # what /etc/planrail is elsewhere
        self._numbers = itertools.count()
        for folder in (self.home, self.project / "plans", self.programs, self.machine, base / "tmp"):
            folder.mkdir(parents=True)
        self.plan = self.project / "plans" / "herons.md"
        self.plan.write_text(PLAN)
        (self.project / "notes.md").write_text("# Notes\n")
        self.python = str(self.programs / "python")
        _write_program(Path(self.python), f'PYTHONPATH={quote(_MODULES)} exec {quote(_interpreter())} "$@"')
        installed = quote(str(HERE / "installed.py"))
        _write_program(
            self.programs / "planrail", f'exec {quote(self.python)} {installed} {quote(str(self.machine))} "$@"'
        )
        self.give_away(self.home, self.project, base / "tmp")
        self.run(["git", "init", "--quiet", "--initial-branch=main"])
        self.run(["git", "config", "--global", "user.email", "lena@example.org"])
        self.run(["git", "config", "--global", "user.name", "Lena"])
        self.commit("Begin")

    @property
    def as_user(self) -> list[str]:
        """What makes a command an ordinary user's."""
        if os.getuid() != 0:
            return []
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("setpriv is needed where the tests run as root")
        none = [f"--{kind}=-all" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
        return [setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", *none]

    @property
    def user(self) -> str:
        """The login name of person and agent."""
        return pwd.getpwuid(_NOBODY if os.getuid() == 0 else os.getuid()).pw_name

    def give_away(self, *folders: Path) -> None:
        """Let the user own what a test has made."""
        if os.getuid() == 0:
            for folder in folders:
                for path in [folder, *folder.rglob("*")]:
                    os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)

    def environment(self, **more: str) -> dict[str, str]:
        """A clean one, as a new window has it."""
        return {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.base / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/sh",
            **more,
        }

    def run(self, command: Sequence[str], **more: str) -> "subprocess.CompletedProcess[str]":
        """Run a command as the user, without a terminal."""
        return self.run_in(self.project, command, more)

    def run_in(
        self, folder: Path, command: Sequence[str], more: Mapping[str, str]
    ) -> "subprocess.CompletedProcess[str]":
        """The same elsewhere."""
        return subprocess.run(
            [*self.as_user, *command],
            cwd=folder,
            env=self.environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def commit(self, message: str) -> None:
        """Commit everything."""
        self.run(["git", "add", "--all"])
        done = self.run(["git", "commit", "--quiet", "--message", message])
        assert done.returncode == 0, done.stderr

    def at_window(
        self, command: Sequence[str], answers: Sequence[Sequence[Any]] = (), **more: str
    ) -> tuple[str, int | None]:
        """What a person sees who gives a command in a window of their own, and its exit code."""
        number = next(self._numbers)
        job, result = self.base / f"tmp/job-{number}", self.base / f"tmp/result-{number}"
        value = {
            "command": list(command),
            "cwd": str(self.project),
            "environment": self.environment(**more),
            "answers": [list(answer) for answer in answers],
        }
        job.write_text(json.dumps(value))
        self.run([self.python, str(HERE / "terminal_host.py"), str(job), str(result)])
        wait_for(result)
        found = json.loads(result.read_text())
        return found["shown"], found["code"]

    def by_agent(self, script: str, *, name: str = "claude", **more: str) -> "subprocess.CompletedProcess[str]":
        """Let an agent run a script in its shell."""
        return self.run(self.agent_command(script, name), **more)

    def agent_command(self, script: str, name: str = "claude") -> list[str]:
        """What starts an agent that runs a script. `name` is its program, after words that start it in disguise."""
        disguise, _, program = name.rpartition(" ")
        agent = self.programs / program
        if not agent.exists():
            shutil.copy(shutil.which("bash") or "/bin/sh", agent)
        marks = " ".join(f"{variable}={value}" for variable, value in MARKS.items())
        file = self.base / "tmp" / f"attempt-{next(self._numbers)}.sh"
        file.write_text(script)
        # `exit` keeps the agent alive above its shell, which would otherwise take its place.
        command = [str(agent), "-c", f"{marks} bash {quote(str(file))}; exit $?"]
        return ["bash", "-c", f'{disguise} "$0" "$@"', *command] if disguise else command


@contextlib.contextmanager
def open_desk() -> Iterator[Desk]:
    """A desk in a folder that an ordinary user can reach, which pytest's own are not."""
    base = Path(tempfile.mkdtemp(prefix="planrail-desk-"))
    base.chmod(0o755)
    try:
        yield Desk(base)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _interpreter() -> str:
    """The one that runs the tests, where an ordinary user can reach it, else the system's."""
    own = os.path.realpath(sys.executable)
    if os.getuid() != 0 or all(parent.stat().st_mode & stat.S_IXOTH for parent in Path(own).parents):
        return own
    system = shutil.which("python3", path="/usr/local/bin:/usr/bin")
    if system is None or subprocess.run([system, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).returncode:
        pytest.skip("no interpreter that an ordinary user can reach is new enough")
    return system


def wait_for(path: Path) -> None:
    """Until a file is there."""
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < until, f"{path} never came"
        time.sleep(0.05)


def _write_program(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
