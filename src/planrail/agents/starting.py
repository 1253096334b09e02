"""What every driver does to start its program, and the answers where it cannot be started."""

import os
from collections.abc import Mapping, Sequence

from planrail.agents.environment import build_environment, find_program
from planrail.agents.model import AgentConfinement, Ask, Assignment, Judge, Outcome, Running, failure
from planrail.agents.processes.processes import AgentProcess, Clock
from planrail.agents.running import AgentRun, NeverRan
from planrail.agents.wires import Permissions, Wire
from planrail.base.records import record, replace
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


def list_scratch(log: str) -> list[str]:
    folder = os.path.dirname(os.path.abspath(log)) if log else ""
    return [os.path.join(folder, name) for name in (os.listdir(folder) if log else ()) if name.startswith(_PREFIX)]


def remove_forgotten(folder: str) -> None:
    for path in list_scratch(os.path.join(folder, "log")):
        _remove(path)


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
    `mcp_entries` go into `mcp_file` of a project, so that it finds planrail's tools; `mcp_command` does it by hand.
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
    mcp_file: tuple[str, ...] = ()
    mcp_entries: Mapping[str, object] = {}
    mcp_command: str = ""


class ProgramDriver:
    """See `model.Driver`. Each program is one class, which says what it may know, what it is told and how it answers.

    `title` is what people are told that it is called, `ours` are variables that it is given, `allowed` those that
    it may know, `path` is "" where the program is absent. `connection` is None for one that has no hooks.

    What a confined one has, below the home folder: its `login`, which it may write, and copies of its settings
    (`copied`). `helpers` are what it starts to get a key.
    """

    name = title = install = ""
    ours: Mapping[str, str] = {}
    allowed: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    connection: Connection | None = None

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self.title = self.title or self.name
        given = self.surround(environment)
        self.path = find_program(self.choose(settings), given) or ""
        self.known = (*self.variables(environment), *settings.environment)
        self.environment = {**build_environment(given, self.known), **self.ours}

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
        refused = self.refuse(assignment)
        if refused is None and assignment.confinement.holds and (why := self._try_confinement(assignment)):
            if assignment.confinement.is_required:
                refused = failure("failed", f"{why}, and [run] confine requires that it is", assignment.conversation)
            assignment = replace(assignment, confinement=AgentConfinement("none", reason=why))
        prepared = refused or self.prepare(assignment, Permissions(ask, judge, clock))
        if isinstance(prepared, Outcome):
            return NeverRan(prepared)
        arguments, wire = prepared
        clock.restart()
        try:
            command, given = self.enclose([self.path, *arguments], assignment)
            process = AgentProcess(command, assignment.folder, given, clock, assignment.log, mark=assignment.mark)
        except OSError as error:
            why = f"{self.path} cannot be started: {error.strerror}"
            return NeverRan(failure("failed", why, assignment.conversation))
        return AgentRun(self.title, process, wire, assignment)

    def _try_confinement(self, assignment: Assignment) -> str:
        """See `refuse_confinement`. No program that an agent can have put into its workspace answers here, nor is one
        of them preferred where nothing confines it then."""
        given, own = self.environment, f"{assignment.folder}/"
        folders = sorted(given.get("PATH", "").split(os.pathsep), key=lambda folder: folder.startswith(own))
        self.environment = {**given, "PATH": os.pathsep.join(folders)}
        if why := self.refuse_confinement(assignment):
            return why
        self.environment = given
        return ""

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

    def enclose(self, command: list[str], assignment: Assignment) -> tuple[list[str], Mapping[str, str]]:
        """What is started, with which variables."""
        if not assignment.confinement.holds:
            return command, self.environment
        from planrail.agents.confining import AgentHome, enclose  # jobs start by the hundred, and most need none of it

        known, readable = self.connection, (*self.helpers, *list_scratch(assignment.log))
        folders = {known.variable: known.folder} if known is not None and known.variable else {}
        login = self.kept(self.environment)
        home = AgentHome(self.environment, self.known, login, self.copied, readable, folders)
        inside = enclose(command, assignment, home)
        return inside.argv, inside.environment

    def kept(self, environment: Mapping[str, str]) -> tuple[str, ...]:
        """The files and folders of its login, below the home folder."""
        return self.login

    def refuse_confinement(self, assignment: Assignment) -> str:
        """Why the program cannot work where it is confined, such as for a sandbox of its own; "" where it can."""
        return ""

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared | Outcome:
        """What the program is given for an assignment, or why it is not started."""
        raise NotImplementedError
