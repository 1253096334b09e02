"""Those whom a planning without a session needs: who is asked, and who keeps, looks up and tells."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from planrail.base.records import record
from planrail.planning.machine import GiveUp, Retry
from planrail.planning.planning import Answer, Ground, Planning, take_answer
from planrail.planning.prompts import Place, render_phase

ANGLES = (
    "the code that will change: the files and functions that the request touches, their callers, their data",
    "how it is run and tested: the tests beside that code, the tooling, the build, the checks of CI, configuration",
    "what was done before: the history of these files, documents and decisions, conventions, similar things elsewhere",
    "the edges: error paths, concurrency, permissions and secrets, data that already exists, performance",
    "who depends on it: public interfaces, other packages and programs, formats on disk and on the wire, users' habits",
    "what is already there: libraries and functions that could be used as they are, code that could be removed instead",
)


@record
class Exploration:
    """The task of one explorer; `number` counts from 1."""

    number: int
    angle: str
    prompt: str

    @property
    def title(self) -> str:
        return self.angle.partition(":")[0]


@record
class Report:
    """What an explorer brought, good enough or not; `problem` is why it is left out, "" where it is not."""

    exploration: Exploration
    text: str
    problem: str = ""


def split_exploration(planning: Planning, count: int, *, lessons: str = "") -> list[Exploration]:
    """The tasks of `count` explorers who have seen nothing yet. Past the last angle they come round again."""
    angles = [ANGLES[number % len(ANGLES)] for number in range(count)]
    places = [Place(is_continued=False, angle=angle) for angle in angles]
    prompts = [render_phase(planning, place, lessons=lessons) for place in places]
    pairs = enumerate(zip(angles, prompts, strict=True), 1)
    return [Exploration(number, angle, prompt) for number, (angle, prompt) in pairs]


def judge_report(planning: Planning, exploration: Exploration, text: str, ground: Ground) -> Report:
    decision = take_answer(planning, Answer(text), ground).decision
    problem = decision.problems[0].message if isinstance(decision, Retry | GiveUp) else ""
    return Report(exploration, text, problem)


def join_reports(reports: Sequence[Report]) -> str:
    """The good reports as one answer; where none is good, all of them, for the judge to say what is missing."""
    good = [report for report in reports if not report.problem] or reports
    parts = [f"[Explorer {one.exploration.number}: {one.exploration.title}]\n\n{one.text.strip()}" for one in good]
    return "\n\n".join(parts)


@record
class Reply:
    """What an agent came to. Not `ok`: it did not answer, for a `reason` with an `error` for people."""

    text: str
    ok: bool = True
    conversation: str = ""
    reason: str = ""
    error: str = ""


@record
class Stand:
    """Where a planning stands, between two answers.

    `heard` counts the reports that the author's conversation holds; `problems` are those of the last answer;
    `answers` what a person answered, None while nobody was asked.
    """

    planning: Planning
    conversation: str = ""
    heard: int = 0
    problems: tuple[str, ...] = ()
    answers: tuple[tuple[str, str], ...] | None = None


# ---- what happened, for those who watch ----


@record
class PhaseBegan:
    """A phase is asked for, for the first time or again."""

    index: int
    attempt: int


@record
class PhaseDone:
    """The answer to a phase was good."""

    index: int


@record
class QuestionsOpen:
    """The plan is good so far, and asks something of a person."""

    index: int
    count: int


@record
class AnswerRefused:
    """An answer was not good enough."""

    index: int
    problems: tuple[str, ...]
    attempts_left: int


@record
class ReportDropped:
    """An explorer's report is left out."""

    number: int
    why: str


@record
class AgentFailed:
    """An agent did not answer; it is asked once more, or not."""

    role: str
    error: str
    is_asked_again: bool


News = PhaseBegan | PhaseDone | QuestionsOpen | AnswerRefused | ReportDropped | AgentFailed

# ---- ports ----


class Crew(Protocol):
    """Those who are asked."""

    def ask_author(self, prompt: str, conversation: str) -> Reply:
        """Ask the author, in a conversation from before or ("") in a new one."""

    def ask_explorers(self, explorations: Sequence[Exploration]) -> list[Reply]:
        """Ask explorers, all at once; the replies in the order of the tasks."""

    def ask_critic(self, prompt: str) -> Reply:
        """Ask a critic who knows nothing but the prompt."""

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        """Ask a person; a question that is not answered is absent, or has an empty answer."""


class Keeper(Protocol):
    """What is kept, looked up and told."""

    def keep(self, stand: Stand) -> None:
        """Save where the planning stands; whole, or not at all."""

    def keep_answer(self, planning: Planning, answer: Answer) -> None:
        """Save an answer as it came, good or not."""

    def ground(self, planning: Planning) -> Ground:
        """What the answers are held against."""

    def lessons(self, planning: Planning) -> str:
        """What earlier plannings taught, as a block of the prompt."""

    def look_at_tree(self) -> None:
        """See whether an agent has changed what it must not."""

    def show(self, news: News) -> None:
        """Tell those who watch."""
