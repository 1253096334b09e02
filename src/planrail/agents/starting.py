"""What every driver does to start its program, and the answers where it cannot be started."""

import os
from collections.abc import Callable, Mapping, Sequence

from planrail.agents.environment import build_environment, find_program
from planrail.agents.model import Ask, Assignment, Judge, Outcome, Running, failure
from planrail.agents.processes.processes import AgentProcess, Clock
from planrail.agents.processes.running import AgentRun, Desk, NeverRan, Wire
from planrail.base.records import record

_ASK = """

End your answer with one JSON object, and nothing after it, that has this JSON schema:

```json
{schema}
```
"""


def ask_for(prompt: str, schema: str) -> str:
    """The prompt, with the wish for an answer by schema where there is one."""
    return prompt + _ASK.format(schema=schema) if schema else prompt


def answered(text: str, assignment: Assignment, conversation: str) -> Outcome:
    structured = last_object(text) if assignment.schema else ""
    return Outcome(text, ok=True, conversation=conversation, structured=structured)


def last_object(text: str) -> str:
    """The last JSON object that a text holds, as JSON; "" where it holds none. One inside another does not count.

    Where another object has the same fields and says otherwise, one of them is a quotation, and nobody knows which: "".
    """
    import json

    decoder, found, at = json.JSONDecoder(), "", text.find("{")
    others: list[str] = []
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = json.dumps(value)
            others.append(found)
        at = text.find("{", end)
    rivals = [other for other in others if other != found and _fields(other) & _fields(found)]
    return "" if rivals else found


def _fields(text: str) -> set[str]:
    import json

    value = json.loads(text)
    return set(value) if isinstance(value, dict) else set()


def plain_json(value: object) -> str:
    import json

    return json.dumps(value)


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


Prepared = tuple[Sequence[str], Callable[[Desk], Wire]]  # the arguments, and the wire for the desk of an agent


class ProgramDriver:
    """See `model.Driver`. Each driver says by `prepare` what its program is told, and in which language it answers."""

    name: str

    def __init__(self, program: Program) -> None:
        self._program, self._path = program, program.path or ""

    def start(self, assignment: Assignment, ask: Ask | None, judge: Judge) -> Running:
        """Start the program. The prompt goes over its input or by a file, never onto the command line."""
        prepared = self.refuse(assignment) or self.prepare(assignment, asks=ask is not None)
        if isinstance(prepared, Outcome):
            return NeverRan(prepared)
        command, clock, given = [self._path, *prepared[0]], Clock(assignment.timeout), self._program.environment
        try:
            process = AgentProcess(command, assignment.folder, given, clock, assignment.log, mark=assignment.mark)
        except OSError as error:
            why = f"{self._path} cannot be started: {error.strerror}"
            return NeverRan(failure("failed", why, assignment.conversation))
        return AgentRun(self._program.name, process, prepared[1](Desk(ask, judge, clock)), assignment)

    def refuse(self, assignment: Assignment) -> Outcome | None:
        """Why the assignment cannot even be started; None if nothing speaks against it."""
        program = self._program
        if program.path is None:
            error = (
                f"{program.name} was not found on the PATH. Install it with `{program.install}`, or name another agent"
            )
            return failure("missing", error, assignment.conversation)
        if not os.path.isdir(assignment.folder):
            return failure("failed", f"{assignment.folder} is not a folder", assignment.conversation)
        for what, word in (("model", assignment.model), ("conversation", assignment.conversation)):
            if word.startswith("-") or not word.isprintable() or len(word) > 200:
                return failure("failed", f"{word[:80]!r} is not the name of a {what}")
        return None

    def prepare(self, assignment: Assignment, *, asks: bool) -> Prepared | Outcome:
        """What the program is given for an assignment, or why it is not started."""
        raise NotImplementedError
