"""The languages of agent programs: what a wire says to its program, what it hears, and where requests are decided."""

import time
from collections.abc import Iterator, Mapping

from planrail.agents.model import Ask, Assignment, Event, Judge, Outcome, Question, failure
from planrail.agents.processes.processes import Clock
from planrail.base.records import record

_ASK = """

End your answer with one JSON object, and nothing after it, that has this JSON schema:

```json
{schema}
```
"""


def ask_for(prompt: str, schema: str) -> str:
    """The prompt, with the request for an answer by schema where there is one."""
    return prompt + _ASK.format(schema=schema) if schema else prompt


def not_a_command(prompt: str) -> str:
    """The prompt so that it reaches the model: what begins with a slash is a command to some of the programs."""
    return "\n" + prompt if prompt.lstrip().startswith("/") else prompt


def last_object(text: str) -> str:
    """The last JSON object that a text holds, as JSON; "" where it holds none. One inside another does not count.

    Where another object has the same fields and says otherwise, one of them is a quotation, and nobody knows which: "".
    """
    import json

    decoder, at = json.JSONDecoder(), text.find("{")
    found: list[dict[str, object]] = []
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            found.append(value)
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
    last = json.dumps(found[-1]) if found else ""
    has_rival = any(other.keys() & found[-1].keys() and json.dumps(other) != last for other in found)
    return "" if has_rival else last


@record
class Send:
    """Say this to the agent."""

    text: str


@record
class LogNote:
    """Keep this in the log, as something that the agent was told in another way."""

    text: str


@record
class CloseInput:
    """There is nothing more to say to the agent."""


@record
class Finish:
    """The answer is there: the agent may end."""


@record
class Abort:
    """The agent has done what it must not: end it, with this error."""

    error: str


Part = Event | Send | LogNote | CloseInput | Finish | Abort
Parts = Iterator[Part]


def send_json(value: object) -> Send:
    """A message of a language that has one JSON object on each line."""
    import json

    return Send(json.dumps(value) + "\n")


class Permissions:
    """Answers an agent that asks. What goes wrong here is a refusal, never a permission."""

    def __init__(self, ask: Ask | None, judge: Judge, clock: Clock) -> None:
        self._ask, self._judge, self._clock = ask, judge, clock

    @property
    def answers_questions(self) -> bool:
        return self._ask is not None

    def refuse(self, tool: str, given: Mapping[str, object]) -> str | None:
        """Why the agent may not use the tool so; None if it may."""
        try:
            return self._judge(tool, given)
        except Exception as error:
            return f"this call could not be judged ({type(error).__name__}), so it is refused"

    def answer(self, questions: list[Question]) -> dict[str, str]:
        """The answers that `ask` gives. The time that it takes is not the agent's."""
        if self._ask is None:
            return {}
        began = time.monotonic()
        try:
            return dict(self._ask(questions))
        finally:
            self._clock.give_back(time.monotonic() - began)


class Wire:
    """The language of one agent program: what its lines mean, and how it is answered."""

    def __init__(self, name: str, assignment: Assignment, permissions: Permissions) -> None:
        self._name, self._assignment, self._permissions = name, assignment, permissions
        self.conversation = assignment.conversation
        self._last_words = self._error = ""
        self._is_done = False

    def open(self) -> Parts:
        """What is said first."""
        raise NotImplementedError

    def hear(self, line: bytes) -> Parts:
        """What follows from a line of the agent. A line that means nothing is nothing."""
        raise NotImplementedError

    def settle(self) -> Parts:
        """What is still to be told when the process has ended."""
        yield from ()

    def conclude(self, code: int, errors: str) -> Outcome:
        """The outcome of a process that ended by itself: only what the wire has heard to its end is an answer."""
        return self._answer() if self._is_done and code == 0 else self._fail(code, errors)

    def _answer(self) -> Outcome:
        structured = last_object(self._last_words) if self._assignment.schema else ""
        return Outcome(self._last_words, ok=True, conversation=self.conversation, structured=structured)

    def _fail(self, code: int, errors: str) -> Outcome:
        from planrail.base.json_reading import reason_of

        error = self._error or errors or f"{self._name} ended with code {code} and said nothing"
        return failure(reason_of(error), error, self.conversation)
