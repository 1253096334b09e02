"""What every driver does to start its program, and the answers where it cannot be started."""

import os
from collections.abc import Callable, Mapping

from planrail.agents.environment import build_environment, find_program
from planrail.agents.model import Ask, Assignment, Judge, Outcome, Running, failure
from planrail.agents.processes.processes import AgentProcess, Clock
from planrail.agents.processes.running import AgentRun, Desk, NeverRan, Wire
from planrail.base.records import record

_PREFIX = "planrail-"


class ScratchFolder:
    """A new folder for its owner alone: beside the log, where that is kept, else with everything temporary."""

    def __init__(self, log: str = "") -> None:
        base = os.path.dirname(os.path.abspath(log)) if log else os.environ.get("TMPDIR") or "/tmp"
        self.path = f"{base.rstrip('/')}/{_PREFIX}{os.urandom(8).hex()}"
        os.mkdir(self.path, 0o700)

    def write(self, name: str, text: str) -> str:
        path = f"{self.path}/{name}"
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        return path

    def remove(self) -> None:
        """Nobody needs it any more; more than once does no harm."""
        _remove(self.path)


def remove_forgotten(folder: str) -> None:
    """Remove the scratch folders that agents left here whose runner was killed."""
    for name in os.listdir(folder):
        if name.startswith(_PREFIX):
            _remove(os.path.join(folder, name))


def _remove(path: str) -> None:
    for folder, folders, files in os.walk(path, topdown=False):
        for name in files:
            os.unlink(f"{folder}/{name}")
        for name in folders:
            os.rmdir(f"{folder}/{name}")
    if os.path.isdir(path):
        os.rmdir(path)


@record
class Program:
    """An agent program as it is found here: its path, its environment, and what to do where it is absent."""

    name: str
    path: str | None
    environment: Mapping[str, str]
    install: str


def locate(name: str, chosen: str, given: Mapping[str, str], allowed: tuple[str, ...], install: str) -> Program:
    """The program that the settings choose, else the one on the PATH, with an environment built for it."""
    return Program(name, find_program(chosen or name, given), build_environment(given, allowed), install)


def refuse(program: Program, assignment: Assignment) -> Outcome | None:
    """Why the assignment cannot even be started; None if nothing speaks against it."""
    if program.path is None:
        error = f"{program.name} was not found on the PATH. Install it with `{program.install}`, or name another agent"
        return failure("missing", error, assignment.conversation)
    if not os.path.isdir(assignment.folder):
        return failure("failed", f"{assignment.folder} is not a folder", assignment.conversation)
    for what, word in (("model", assignment.model), ("conversation", assignment.conversation)):
        if word.startswith("-") or not word.isprintable() or len(word) > 200:
            return failure("failed", f"{word[:80]!r} is not the name of a {what}")
    return None


def launch(
    program: Program,
    command: list[str],
    assignment: Assignment,
    speak: Callable[[Desk], Wire],
    ask: Ask | None,
    judge: Judge,
) -> Running:
    """Start the command for the assignment; `speak` makes the wire for the desk that decides the agent's requests."""
    clock = Clock(assignment.timeout)
    try:
        process = AgentProcess(
            command, assignment.folder, program.environment, clock, assignment.log, mark=assignment.mark
        )
    except OSError as error:
        return NeverRan(failure("failed", f"{command[0]} cannot be started: {error.strerror}", assignment.conversation))
    return AgentRun(program.name, process, speak(Desk(ask, judge, clock)), assignment)
