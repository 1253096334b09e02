"""The plan's own fenced blocks, executed in order: an agent that needs no model, for every machine that has a shell.

All blocks run below one shell, so that a server which one block starts is there for the next; what is left of it when
the last block has ended is ended, too. Each block is a file, run by `sh -e`: it ends at its first failing command.
"""

from planrail.agents.model import Assignment, Began, Outcome, Said, Used, failure
from planrail.agents.starting import Prepared, ProgramDriver, ScratchFolder
from planrail.agents.wires import Parts, Permissions, Wire
from planrail.base.settings.agent_table import AgentSettings

# The number of each block goes to the first stream, and all that the blocks say to the second: they cannot be confused.
_EACH = 'number=0; for block; do number=$((number + 1)); echo $number; sh -e "$block" </dev/null >&2 || exit $?; done'
_LINES = 40  # of the output that an error quotes
_DETAIL = 160


class Runbook(ProgramDriver):
    """See `model.Driver`. There is no model: nobody is asked, and the judge has nothing to judge."""

    name, install = "runbook", "a POSIX shell"

    def choose(self, settings: AgentSettings) -> str:
        return "/bin/sh"

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared | Outcome:
        if not assignment.scripts:
            error = "the phase has no block to run: the runbook agent executes fenced blocks that begin with ```sh run"
            return failure("failed", error)
        if assignment.read_only:
            return failure("failed", "the runbook agent runs whatever a block says, and cannot be read-only")
        folder = ScratchFolder(assignment.log)
        blocks = [folder.write(f"block-{at}.sh", script + "\n") for at, script in enumerate(assignment.scripts, 1)]
        return ["-c", _EACH, "sh", *blocks], RunbookWire(assignment, permissions, folder)


DRIVER = Runbook


class RunbookWire(Wire):
    """See `Wire`."""

    def __init__(self, assignment: Assignment, permissions: Permissions, folder: ScratchFolder) -> None:
        super().__init__("runbook", assignment, permissions)
        self.conversation, self._scripts, self._folder, self._at = "", assignment.scripts, folder, 0

    def open(self) -> Parts:
        yield Began("")

    def hear(self, line: bytes) -> Parts:
        self._at = int(line) if line.isdigit() else self._at
        if 0 < self._at <= len(self._scripts):
            script = self._scripts[self._at - 1]
            yield Used("sh", _first_line(script), script)

    def settle(self) -> Parts:
        self._folder.remove()
        yield Said(self._account())

    def conclude(self, code: int, errors: str) -> Outcome:
        if code == 0:
            return Outcome(self._account(), ok=True)
        where = f"block {self._at} of {len(self._scripts)} ended with code {code}"
        said = "\n".join(errors.splitlines()[-_LINES:])
        return failure("failed", f"{where}: {said}" if said else f"{where} and said nothing")

    def _account(self) -> str:
        first = [f"{number}. {_first_line(script)}" for number, script in enumerate(self._scripts[: self._at], 1)]
        count = len(self._scripts)  # not by `plural`: its module takes longer to load than a job
        return "\n".join([f"{self._at} of {count} block{'s' * (count != 1)} begun:", *first])


def _first_line(script: str) -> str:
    lines = (line.strip() for line in script.splitlines())
    told = next((line for line in lines if line and not line.startswith("#")), "")
    return told if len(told) <= _DETAIL else told[: _DETAIL - 1] + "…"
