"""What every driver does to start its program, and the answers where it cannot be started."""

import os
from collections.abc import Callable, Mapping

from planrail.agents.environment import build_environment, find_program
from planrail.agents.model import Ask, Assignment, Judge, Outcome, Running, failure
from planrail.agents.processes.processes import AgentProcess, Clock
from planrail.agents.processes.running import AgentRun, Desk, NeverRan, Wire
from planrail.base.records import record


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
