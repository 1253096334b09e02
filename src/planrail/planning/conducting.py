"""Driving a planning without a session: agents are asked phase by phase, until the plan is written.

The author keeps one conversation from phase to phase; explorers and critics begin with a fresh one each time. Who is
asked and what is kept come in as a port, so this loop knows no process, no file and no clock. After every call of it
the process may die: `Stand` is all that is needed to go on.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from planrail.agents.model import Outcome
from planrail.ask.asking import Question
from planrail.base.records import record, replace
from planrail.planning import machine
from planrail.planning.answers.judging import Problem
from planrail.planning.answers.questions import open_questions
from planrail.planning.exploring import join_reports, judge_report, split_exploration
from planrail.planning.machine import CRITIQUE, EXPLORE, INTERVIEW
from planrail.planning.news import (
    AnswerRefused,
    ExplorersSent,
    News,
    PhaseBegan,
    PhaseDone,
    QuestionsOpen,
    ReportDropped,
)
from planrail.planning.planning import Answer, Ground, Planning, Stand, Step, name_step, take_answer
from planrail.planning.prompts import Place, findings_for, render_answers, render_phase, render_retry

AUTHOR, EXPLORER, CRITIC = "author", "explorer", "critic"


class Port(Protocol):
    """Who is asked; and what is kept, looked up and told."""

    def ask(self, questions: Sequence[Question]) -> list[Outcome]:
        """Ask agents, all at once, each again where that may help; the answers in the order of the questions."""

    def ask_person(self, questions: Sequence[str]) -> Mapping[str, str]:
        """Ask a person; a question that is not answered is absent, or has an empty answer."""

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


# ---- how it ended ----


@record
class Finished:
    """The plan is written."""

    stand: Stand


@record
class Exhausted:
    """The last attempt at a phase was not good enough either."""

    stand: Stand


@record
class Halted:
    """An agent could not be had. Everything up to here is kept, and can be gone on with."""

    stand: Stand
    role: str
    reason: str
    error: str


Ended = Finished | Exhausted | Halted


def conduct(stand: Stand, port: Port, *, explorers: int = 1) -> Ended:
    """Ask for phase after phase until the planning ends, or an agent cannot be had."""
    conductor = _Conductor(port, explorers)
    while not stand.planning.progress.ended:
        after = conductor.advance(stand)
        if isinstance(after, Halted):
            return after
        stand = after
    return Finished(stand) if stand.planning.progress.ended == machine.FINISHED else Exhausted(stand)


def revive(stand: Stand) -> Stand:
    """A planning whose attempts were used up, with new ones for the phase at which it stopped."""
    progress = stand.planning.progress
    if progress.ended != machine.EXHAUSTED:
        return stand
    fresh = replace(progress, ended=machine.GOING_ON, attempt=1)
    return replace(stand, planning=replace(stand.planning, progress=fresh))


@record
class _Answered:
    """An answer, and the stand in which it was given."""

    stand: Stand
    text: str
    is_by_author: bool


class _Conductor:
    def __init__(self, port: Port, explorers: int) -> None:
        self._port, self._explorers = port, explorers

    def advance(self, stand: Stand) -> Stand | Halted:
        if _waits_for_person(stand):
            return self._interview(stand)
        progress = stand.planning.progress
        self._port.show(PhaseBegan(progress.index, progress.attempt))
        asked = self._ask(stand)
        if isinstance(asked, Halted):
            return asked
        self._port.look_at_tree()
        return self._take(asked)

    def _interview(self, stand: Stand) -> Stand:
        questions = open_questions(stand.planning.plan)
        given = self._port.ask_person(questions) if questions else {}
        answered = replace(stand, answers=tuple((question, given.get(question, "")) for question in questions))
        self._port.keep(answered)
        return answered

    # ---- asking ----

    def _ask(self, stand: Stand) -> _Answered | Halted:
        progress = stand.planning.progress
        lessons = self._port.lessons(stand.planning)
        role = AUTHOR
        if progress.phase == CRITIQUE:
            role = CRITIC
            prompt = self._prompt(stand, lessons, is_continued=False)
            (outcome,) = self._port.ask([Question(name_step(stand.planning), CRITIC, prompt, CRITIC)])
        elif progress.phase == EXPLORE and self._explorers > 1 and progress.attempt == 1:
            role, outcome = EXPLORER, self._explore(stand.planning, lessons)
        else:
            (outcome,) = self._port.ask([self._question_for_author(stand, lessons)])
        if not outcome.ok:
            return Halted(stand, role, outcome.reason, outcome.error)
        if role == AUTHOR:
            stand = replace(stand, conversation=outcome.conversation, heard=len(stand.planning.reports))
        # Half a character and NUL are nothing that a plan file could hold.
        text = outcome.text.encode("utf-8", "replace").decode().replace("\x00", "\ufffd")
        return _Answered(stand, text, is_by_author=role == AUTHOR)

    def _question_for_author(self, stand: Stand, lessons: str) -> Question:
        prompt = self._prompt(stand, lessons, is_continued=False)
        following = self._prompt(stand, lessons, is_continued=True) if stand.conversation else ""
        return Question(
            name_step(stand.planning),
            AUTHOR,
            prompt,
            AUTHOR,
            conversation=stand.conversation,
            following=following,
            can_ask=True,
        )

    def _prompt(self, stand: Stand, lessons: str, *, is_continued: bool) -> str:
        planning, place = stand.planning, Place(is_continued=is_continued)
        findings = findings_for(planning, self._port.ground(planning))
        if stand.problems:
            problems = [Problem("before", message) for message in stand.problems]
            asked = render_retry(planning, problems, place, findings=findings)
        else:
            asked = render_phase(planning, place, lessons=lessons, findings=findings)
        return "\n\n".join([*_news_for_author(stand, is_continued=is_continued), asked])

    def _explore(self, planning: Planning, lessons: str) -> Outcome:
        """The reports of all explorers as one answer; it fails only where not one of them answered."""
        tasks = split_exploration(planning, self._explorers, lessons=lessons)
        labels = [f"{EXPLORER} {task.number}" for task in tasks]
        self._port.show(ExplorersSent(tuple(zip(labels, (task.title for task in tasks), strict=True))))
        step = name_step(planning)
        outcomes = self._port.ask(
            [
                Question(f"{step}-{task.number}", EXPLORER, task.prompt, label)
                for task, label in zip(tasks, labels, strict=True)
            ]
        )
        ground, reports = self._port.ground(planning), []
        for task, outcome in zip(tasks, outcomes, strict=True):
            report = judge_report(planning, task, outcome.text, ground) if outcome.ok else None
            why = report.problem if report is not None else outcome.error
            if report is not None:
                reports.append(report)
            if why:
                self._port.show(ReportDropped(task.number, why))
        return Outcome(join_reports(reports), ok=True) if reports else outcomes[0]

    # ---- taking the answer ----

    def _take(self, asked: _Answered) -> Stand:
        planning, answer = asked.stand.planning, Answer(asked.text)
        self._port.keep_answer(planning, answer)
        step = take_answer(planning, answer, self._port.ground(planning))
        after = _stand_after(asked, step)
        self._port.keep(after)
        self._port.show(_news_of(planning, step))
        return after


def _waits_for_person(stand: Stand) -> bool:
    progress = stand.planning.progress
    return progress.phase == INTERVIEW and progress.asked > 0 and progress.attempt == 1 and stand.answers is None


def _news_for_author(stand: Stand, *, is_continued: bool) -> list[str]:
    """What the author has to know before the task: reports of others, and what a person answered."""
    planning = stand.planning
    if planning.progress.phase == CRITIQUE:
        return []
    unheard = planning.reports[stand.heard :] if is_continued else ()
    news = [f"Others have done the phase {name} for you. They report:\n\n{text}" for name, text in unheard]
    if stand.answers and (planning.progress.attempt == 1 or not is_continued):
        news.append(render_answers(stand.answers))
    return news


def _stand_after(asked: _Answered, step: Step) -> Stand:
    """The stand after an answer was judged. The author knows its own answers, and those alone."""
    stand = asked.stand
    match step.decision:
        case machine.Retry(problems=problems) | machine.GiveUp(problems=problems):
            messages = tuple(problem.message for problem in problems)
            return replace(stand, planning=step.planning, problems=messages)
        case _:
            heard = len(step.planning.reports) if asked.is_by_author else stand.heard
            return replace(stand, planning=step.planning, problems=(), answers=None, heard=heard)


def _news_of(before: Planning, step: Step) -> News:
    index = before.progress.index
    match step.decision:
        case machine.Retry(problems=problems) | machine.GiveUp(problems=problems):
            left = before.progress.attempts - before.progress.attempt
            return AnswerRefused(index, tuple(problem.message for problem in problems), left)
        case machine.Ask(questions=questions):
            return QuestionsOpen(index, len(questions))
        case _:
            return PhaseDone(index)
