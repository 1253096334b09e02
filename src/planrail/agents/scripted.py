"""An agent that says what a script tells it to: a real process, for tests, demonstrations and trying out a set-up.

`PLANRAIL_AGENT_SCRIPT` names the script; `scripted_program` says what can stand in it.
"""

import os
import sys
from collections.abc import Mapping

from planrail.agents import scripted_program
from planrail.agents.model import Asked, Assignment, Began, Denied, Outcome, Question, Said, UsageEvent, Used, failure
from planrail.agents.starting import Prepared, ProgramDriver
from planrail.agents.wires import CloseInput, Parts, Permissions, Wire, ask_for, send_json
from planrail.base.json_reading import command_in, describe_use, number_in, object_in, objects_in, read_object, text_in
from planrail.base.records import replace
from planrail.base.settings.agent_table import AgentSettings


class ScriptedWire(Wire):
    """See `Wire`."""

    def __init__(self, assignment: Assignment, permissions: Permissions) -> None:
        super().__init__("the scripted agent", assignment, permissions)
        self._reason = ""

    def open(self) -> Parts:
        told = self._assignment
        prompt = ask_for(told.prompt, told.schema)
        yield send_json({"role": told.role, "prompt": prompt, "conversation": told.conversation})

    def hear(self, line: bytes) -> Parts:
        heard = read_object(line)
        kind = text_in(heard, "type")
        if kind == "began":
            self.conversation = text_in(heard, "conversation")
            yield Began(self.conversation)
        elif kind == "said":
            yield Said(text_in(heard, "text"))
        elif kind == "use":
            tool, given = text_in(heard, "tool"), object_in(heard, "input")
            yield Used(tool, describe_use(given), command_in(given))
            reason = self._permissions.refuse(tool, given)
            if reason is not None:
                yield Denied(tool, reason, command_in(given))
            yield send_json({"refused": reason})
        elif kind == "ask":
            questions = [_question(entry) for entry in objects_in(heard, "questions")]
            yield Asked(tuple(questions))
            yield send_json({"answers": self._permissions.answer(questions)})
        elif kind == "spent":
            cost = heard.get("cost")
            figures = number_in(heard, "tokens_in"), number_in(heard, "tokens_out")
            yield UsageEvent(*figures, float(cost) if isinstance(cost, int | float) else 0.0)
        elif kind == "answer":
            self._last_words, self._is_done = text_in(heard, "text"), not self._error
            yield Said(self._last_words)
            yield CloseInput()
        elif kind == "error":
            self._error, self._reason, self._is_done = text_in(heard, "text"), text_in(heard, "reason"), False

    def _fail(self, code: int, errors: str) -> Outcome:
        failed = super()._fail(code, errors)
        return replace(failed, reason=self._reason) if self._reason else failed


def _question(entry: dict[str, object]) -> Question:
    options = entry.get("options")
    labels = tuple(str(option) for option in options) if isinstance(options, list) else ()
    return Question(text_in(entry, "text"), labels, many=bool(entry.get("many")))


SCRIPT = "PLANRAIL_AGENT_SCRIPT"


class Scripted(ProgramDriver):
    """See `model.Driver`."""

    name, install = "scripted", "pip install planrail"
    allowed = (SCRIPT,)

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        super().__init__(environment, settings)
        self._script = os.path.abspath(environment[SCRIPT]) if environment.get(SCRIPT) else ""

    def choose(self, settings: AgentSettings) -> str:
        return settings.programs.get(self.name) or sys.executable

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not os.path.isfile(self._script):
            error = f"the scripted agent has no script; set {SCRIPT} to the path of one"
            return failure("missing", error, assignment.conversation)
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, permissions: Permissions) -> Prepared:
        # -P: the folder that the agent works in is no place to import from.
        return ["-P", scripted_program.__file__, self._script], ScriptedWire(assignment, permissions)


DRIVER = Scripted
