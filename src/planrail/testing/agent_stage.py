"""A stage for an agent: what the model behind it is told to do, and the judges that its tools answer to."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from planrail.agents.jobs.judges import read_only
from planrail.agents.model import Driver, Judge, Question
from planrail.base.records import record


@record
class Say:
    """The model ends its turn with this text."""

    text: str
    tokens_in: int = 10
    tokens_out: int = 5


@record
class Write:
    """The model writes a file, with the agent's own tool for that."""

    path: str


@record
class Run:
    """The model runs a shell command."""

    command: str


@record
class Fail:
    """The model's service answers with an error."""

    status: int
    message: str


@record
class Echo:
    """The model answers each prompt with the word in it that begins with MARK-."""


@record
class ShowEnvironment:
    """The model looks at the environment of the agent, and answers."""


@record
class Inquire:
    """The model puts one question, and answers with the answer that it got."""

    question: Question


@record
class Structure:
    """The model ends its turn with this JSON, in whichever way its agent hands over an answer by schema."""

    text: str


Act = Say | Write | Run | Fail | Echo | ShowEnvironment | Inquire | Structure


class Stage(Protocol):
    """One kind of agent, and a model behind it that does what it is told."""

    folder: Path

    def play(self, *acts: Act, environment: Mapping[str, str] | None = None) -> Driver:
        """A driver for the agent, whose model does these acts in order, with more variables around it."""

    def miss(self) -> Driver:
        """A driver whose program is not installed."""

    def heard(self) -> str:
        """All that the model was told."""


def allow(tool: str, given: Mapping[str, object]) -> str | None:
    return None


def guarded(folder: Path) -> Judge:
    """A judge as a planning has it: the guard, with nothing that may be written."""
    return read_only(str(folder))
