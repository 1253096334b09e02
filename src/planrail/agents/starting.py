"""What every driver does to start its program, and the answers where it cannot be started."""

import os
from collections.abc import Mapping, Sequence

from planrail.agents.environment import build_environment, find_program
from planrail.agents.model import Ask, Assignment, Judge, Outcome, Running, failure
from planrail.agents.processes.processes import AgentProcess, Clock
from planrail.agents.running import AgentRun, NeverRan
from planrail.agents.wires import Permissions, Wire
from planrail.base.records import record
from planrail.base.settings.agent_table import AgentSettings

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


Prepared = tuple[Sequence[str], Wire]  # the arguments of a program, and the language in which it answers


@record
class Connection:
    """How planrail's hook gets into a program: by which file, and what its people have to do yet (`note`).

    The file lies in a project, or in the user's folder: the one that `variable` names, else `folder` below their home,
    and `inside` of that. `events` are the hooks with their seconds, in the form of Claude Code; a file that is no JSON
    is a script that comes with the plugin. `is_doubled`: a hook of the project and the same one of the user both run.
    """

    title: str
    note: str
    in_project: tuple[str, ...]
    in_user: tuple[str, ...]
    folder: str
    variable: str = ""
    inside: str = ""
    events: Mapping[str, int] = {}
    second: int = 1  # in the program's unit of time
    is_doubled: bool = False


class ProgramDriver:
    """See `model.Driver`. Each program is one class, which says what it may know, what it is told and how it answers.

    `title` is what people are told that it is called, `ours` are variables that it is given, `allowed` those that
    it may know, `path` is "" where the program is absent. `connection` is None for one that has no hooks.
    """

    name = title = install = ""
    ours: Mapping[str, str] = {}
    allowed: tuple[str, ...] = ()
    connection: Connection | None = None

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self.title = self.title or self.name
        given = self.surround(environment)
        self.path = find_program(self.choose(settings), given) or ""
        allowed = (*self.variables(environment), *settings.environment)
        self.environment = {**build_environment(given, allowed), **self.ours}

    @classmethod
    def variables(cls, environment: Mapping[str, str]) -> tuple[str, ...]:
        """The names that the program may need to know of an environment, in which it looks for more."""
        return cls.allowed

    def choose(self, settings: AgentSettings) -> str:
        """The program that the settings choose, else the one that has the driver's name."""
        return settings.programs.get(self.name) or self.name

    def surround(self, environment: Mapping[str, str]) -> Mapping[str, str]:
        """The environment, with what the program's own settings add to it."""
        return environment

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start the program. The prompt goes over its input or by a file, never onto the command line."""
        clock = Clock(assignment.timeout)
        prepared = self.refuse(assignment) or self.prepare(assignment, Permissions(ask, judge, clock))
        if isinstance(prepared, Outcome):
            return NeverRan(prepared)
        arguments, wire = prepared
        clock.restart()
        try:
            command = [self.path, *arguments]
            process = AgentProcess(
                command, assignment.folder, self.environment, clock, assignment.log, mark=assignment.mark
            )
        except OSError as error:
            why = f"{self.path} cannot be started: {error.strerror}"
            return NeverRan(failure("failed", why, assignment.conversation))
        return AgentRun(self.title, process, wire, assignment)

    def refuse(self, assignment: Assignment) -> Outcome | None:
        """Why the assignment cannot even be started; None if nothing speaks against it."""
        if not self.path:
            error = f"{self.title} was not found on the PATH. Install it with `{self.install}`, or name another agent"
            return failure("missing", error, assignment.conversation)
        if not os.path.isdir(assignment.folder):
            return failure("failed", f"{assignment.folder} is not a folder", assignment.conversation)
        for what, word in (("model", assignment.model), ("conversation", assignment.conversation)):
            if word.startswith("-") or not word.isprintable() or len(word) > 200:
                return failure("failed", f"{word[:80]!r} is not the name of a {what}")
        return None

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared | Outcome:
        """What the program is given for an assignment, or why it is not started."""
        raise NotImplementedError
