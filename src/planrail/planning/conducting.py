"""Driving a planning without a session: agents are asked phase by phase, until the plan is written.

The author keeps one conversation from phase to phase; explorers and critics begin with a fresh one each time. Who is
asked and what is kept come in as a port, so this loop knows no process, no file and no clock. After every call of it
the process may die: `PlanningState` is all that is needed to go on.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from planrail.agents.model import Outcome
from planrail.ask.asking import AgentQuestion
from planrail.base.records import record, replace
from planrail.planning import machine
from planrail.planning.answers.questions import open_questions
from planrail.planning.machine import CRITIQUE, EXPLORE, INTERVIEW, GiveUp, Retry
from planrail.planning.news import AnswerRefused, ExplorersSent, News, PhaseBegan, PhaseDone, PhasesAdded
from planrail.planning.options import describe_size
from planrail.planning.planning import AgentAnswer, AnswerContext, Planning, PlanningState, name_step, take_answer
from planrail.planning.prompts import ANGLES, PlanningPlace, findings_for, render_answers, render_phase

AUTHOR, EXPLORER, CRITIC = "author", "explorer", "critic"


class Port(Protocol):
    """Who is asked; and what is kept, looked up and told."""

    def ask(self, questions: Sequence[AgentQuestion]) -> list[Outcome]:
        """Ask agents, all at once, each again where that may help; the answers in the order of the questions."""

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        """Ask a person; a question that is not answered is absent, or has an empty answer."""

    def keep(self, stand: PlanningState) -> None:
        """Save where the planning stands; whole, or not at all."""

    def keep_answer(self, planning: Planning, answer: AgentAnswer) -> None:
        """Save an answer as it came, good or not."""

    def context(self, planning: Planning) -> AnswerContext:
        """What the answers are held against."""

    def lessons(self, planning: Planning) -> str:
        """What earlier plannings taught, as a block of the prompt."""

    def look_at_tree(self) -> None:
        """See whether an agent has changed what it must not."""

    def show(self, news: News) -> None:
        """Tell those who watch."""

    def note(self, text: str) -> None:
        """Tell it in words, to be read later as well."""


@record
class PlanningFinished:
    """The plan is written."""

    stand: PlanningState


@record
class Exhausted:
    """The last attempt at a phase was not good enough either."""

    stand: PlanningState


@record
class PlanningHalted:
    """An agent could not be had. Everything up to here is kept, and can be gone on with."""

    stand: PlanningState
    role: str
    error: str


Ended = PlanningFinished | Exhausted | PlanningHalted


def conduct(stand: PlanningState, port: Port, *, explorers: int = 1) -> Ended:
    """Ask for phase after phase until the planning ends, or an agent cannot be had."""
    while not (progress := stand.planning.progress).ended:
        is_asked = progress.phase == INTERVIEW and progress.asked > 0 and progress.attempt == 1
        if is_asked and stand.answers is None:
            questions = open_questions(stand.planning.plan)
            given = port.ask_person(questions) if questions else {}
            stand = replace(stand, answers=tuple((question, given.get(question, "")) for question in questions))
            port.keep(stand)
            continue
        port.show(PhaseBegan(progress.index, progress.attempt))
        role, outcome = _ask(stand, port, explorers)
        if not outcome.ok:
            return PlanningHalted(stand, role, outcome.error)
        if role == AUTHOR:
            stand = replace(stand, conversation=outcome.conversation, heard=len(stand.planning.reports))
        port.look_at_tree()
        # Half a character and NUL are nothing that a plan file could hold.
        text = outcome.text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
        stand = _take(stand, port, AgentAnswer(text), is_by_author=role == AUTHOR)
    return PlanningFinished(stand) if progress.ended == machine.FINISHED else Exhausted(stand)


def revive(stand: PlanningState) -> PlanningState:
    """A planning whose attempts were used up, with new ones for the phase at which it stopped."""
    progress = stand.planning.progress
    if progress.ended != machine.EXHAUSTED:
        return stand
    fresh = replace(progress, ended=machine.GOING_ON, attempt=1)
    return replace(stand, planning=replace(stand.planning, progress=fresh))


# ---- asking ----


def _ask(stand: PlanningState, port: Port, explorers: int) -> tuple[str, Outcome]:
    planning, progress = stand.planning, stand.planning.progress
    lessons, step = port.lessons(planning), name_step(planning)
    if progress.phase == EXPLORE and explorers > 1 and progress.attempt == 1:
        return EXPLORER, _explore(planning, port, explorers, lessons)
    prompt = _prompt(stand, port, lessons, is_continued=False)
    if progress.phase == CRITIQUE:
        return CRITIC, port.ask([AgentQuestion(step, CRITIC, prompt, CRITIC)])[0]
    following = _prompt(stand, port, lessons, is_continued=True) if stand.conversation else ""
    question = AgentQuestion(
        step, AUTHOR, prompt, AUTHOR, conversation=stand.conversation, following=following, can_ask=True
    )
    return AUTHOR, port.ask([question])[0]


def _prompt(stand: PlanningState, port: Port, lessons: str, *, is_continued: bool) -> str:
    """The task, below what the author has to know before it: reports of others, and what a person answered."""
    planning, place = stand.planning, PlanningPlace(is_continued=is_continued)
    news: list[str] = []
    if planning.progress.phase != CRITIQUE:
        unheard = planning.reports[stand.heard :] if is_continued else ()
        news += [f"Others have done the phase {name} for you. They report:\n\n{text}" for name, text in unheard]
        if stand.answers and (planning.progress.attempt == 1 or not is_continued):
            news.append(render_answers(stand.answers))
    findings = findings_for(planning, port.context(planning))
    asked = render_phase(planning, place, lessons=lessons, findings=findings, problems=stand.problems)
    return "\n\n".join([*news, asked])


def _explore(planning: Planning, port: Port, count: int, lessons: str) -> Outcome:
    """The good reports of all explorers as one answer; where none is good, all, for the judge to say what is missing.

    Each looks from an angle of its own; past the last one they come round again. It fails where nobody answered.
    """
    angles = [ANGLES[number % len(ANGLES)] for number in range(count)]
    named = [(f"{EXPLORER} {number}", angle.partition(":")[0]) for number, angle in enumerate(angles, 1)]
    port.show(ExplorersSent(tuple(named)))
    prompts = [
        render_phase(planning, PlanningPlace(is_continued=False, angle=angle), lessons=lessons) for angle in angles
    ]
    step = name_step(planning)
    asked = [
        AgentQuestion(f"{step}-{number}", EXPLORER, prompt, label)
        for number, (prompt, (label, _)) in enumerate(zip(prompts, named, strict=True), 1)
    ]
    reports, good = [], []
    for number, (outcome, (_, title)) in enumerate(zip(outcomes := port.ask(asked), named, strict=True), 1):
        why = outcome.error
        if outcome.ok:
            decision = take_answer(planning, AgentAnswer(outcome.text), port.context(planning)).decision
            why = decision.problems[0].message if isinstance(decision, Retry | GiveUp) else ""
            reports.append(f"[Explorer {number}: {title}]\n\n{outcome.text.strip()}")
            good += reports[-1:] if not why else []
        if why:
            port.note(f"the report of explorer {number} is left out: {why}")
    return Outcome("\n\n".join(good or reports), ok=True) if reports else outcomes[0]


# ---- taking the answer ----


def _take(stand: PlanningState, port: Port, answer: AgentAnswer, *, is_by_author: bool) -> PlanningState:
    """The stand after an answer was judged. The author knows its own answers, and those alone."""
    planning = stand.planning
    port.keep_answer(planning, answer)
    step = take_answer(planning, answer, port.context(planning))
    index, heard = planning.progress.index, len(step.planning.reports) if is_by_author else stand.heard
    after = replace(stand, planning=step.planning, problems=(), answers=None, heard=heard)
    news: News = PhaseDone(index)
    if isinstance(step.decision, Retry | GiveUp):
        messages = tuple(problem.message for problem in step.decision.problems)
        after = replace(stand, planning=step.planning, problems=messages)
        news = AnswerRefused(index, messages, planning.progress.attempts - planning.progress.attempt)
    port.keep(after)
    if isinstance(step.decision, machine.Ask):
        count = len(step.decision.questions)
        port.note(f"the plan asks {count} question{'s' * (count != 1)}")
    else:
        port.show(news)
    if step.planning.progress.phases != planning.progress.phases:
        port.show(PhasesAdded(step.planning.progress.phases, describe_size(step.planning.options)))
    return after
