"""An agent that says what a script tells it to: a real process, for tests, demonstrations and trying out a set-up.

`PLANRAIL_AGENT_SCRIPT` names the script; `scripted_program` says what can stand in it.
"""

import os
import sys
from collections.abc import Mapping

from planrail.agents import scripted_program
from planrail.agents.model import (
    Asked,
    Assignment,
    Began,
    Denied,
    Outcome,
    Question,
    Said,
    Spent,
    Used,
    failure,
)
from planrail.agents.processes.running import CloseInput, Desk, Parts, send_json
from planrail.agents.starting import Prepared, ProgramDriver, answered, ask_for, locate
from planrail.base.json_reading import (
    command_in,
    describe_use,
    number_in,
    object_in,
    objects_in,
    read_object,
    reason_of,
    text_in,
)
from planrail.base.settings.agent_table import AgentSettings


class ScriptedWire:
    """See `running.Wire`."""

    def __init__(self, assignment: Assignment, desk: Desk) -> None:
        self._assignment, self._desk = assignment, desk
        self.conversation = assignment.conversation
        self._answer: str | None = None
        self._error = self._reason = ""

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
            yield from self._judge(text_in(heard, "tool"), object_in(heard, "input"))
        elif kind == "ask":
            yield from self._ask([_question(entry) for entry in objects_in(heard, "questions")])
        elif kind == "spent":
            cost = heard.get("cost")
            figures = number_in(heard, "tokens_in"), number_in(heard, "tokens_out")
            yield Spent(*figures, float(cost) if isinstance(cost, int | float) else 0.0)
        elif kind == "answer":
            self._answer = text_in(heard, "text")
            yield Said(self._answer)
            yield CloseInput()
        elif kind == "error":
            self._error, self._reason = text_in(heard, "text"), text_in(heard, "reason")

    def _judge(self, tool: str, given: dict[str, object]) -> Parts:
        yield Used(tool, describe_use(given), command_in(given))
        reason = self._desk.refuse(tool, given)
        if reason is not None:
            yield Denied(tool, reason, command_in(given))
        yield send_json({"refused": reason})

    def _ask(self, questions: list[Question]) -> Parts:
        yield Asked(tuple(questions))
        yield send_json({"answers": self._desk.answer(questions)})

    def settle(self) -> Parts:
        yield from ()

    def conclude(self, code: int, errors: str) -> Outcome:
        if self._answer is not None and code == 0 and not self._error:
            return answered(self._answer, self._assignment, self.conversation)
        error = self._error or errors or f"the scripted agent ended with code {code} and said nothing"
        return failure(self._reason or reason_of(error), error, self.conversation)


def _question(entry: dict[str, object]) -> Question:
    options = entry.get("options")
    labels = tuple(str(option) for option in options) if isinstance(options, list) else ()
    return Question(text_in(entry, "text"), labels, many=bool(entry.get("many")))


SCRIPT = "PLANRAIL_AGENT_SCRIPT"


class Scripted(ProgramDriver):
    """See `model.Driver`."""

    name = "scripted"

    def __init__(self, environment: Mapping[str, str], settings: AgentSettings) -> None:
        self._script = os.path.abspath(environment[SCRIPT]) if environment.get(SCRIPT) else ""
        chosen = settings.programs.get("scripted") or sys.executable
        super().__init__(locate("scripted", chosen, environment, settings.environment, "pip install planrail"))

    def refuse(self, assignment: Assignment) -> Outcome | None:
        if not os.path.isfile(self._script):
            error = f"the scripted agent has no script; set {SCRIPT} to the path of one"
            return failure("missing", error, assignment.conversation)
        return super().refuse(assignment)

    def prepare(self, assignment: Assignment, *, asks: bool) -> Prepared:
        # -P: the folder that the agent works in is no place to import from.
        return ["-P", scripted_program.__file__, self._script], lambda desk: ScriptedWire(assignment, desk)
