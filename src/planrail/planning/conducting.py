"""Driving a planning without a session: agents are asked phase by phase, until the plan is written.

The author keeps one conversation from phase to phase; explorers and critics begin with a fresh one each time. Who is
asked and what is kept come in as ports, so this loop knows no process, no file and no clock. After every port call the
process may die: `Stand` is all that is needed to go on.
"""

from collections.abc import Callable

from planrail.base.records import record, replace
from planrail.planning import machine
from planrail.planning.answers.judging import Problem
from planrail.planning.answers.questions import open_questions
from planrail.planning.crew import (
    AgentFailed,
    AnswerRefused,
    Crew,
    Exploration,
    Keeper,
    News,
    PhaseBegan,
    PhaseDone,
    QuestionsOpen,
    Reply,
    ReportDropped,
    Stand,
    join_reports,
    judge_report,
    split_exploration,
)
from planrail.planning.machine import CRITIQUE, EXPLORE, INTERVIEW
from planrail.planning.planning import Answer, Planning, Step, take_answer
from planrail.planning.prompts import Place, findings_for, render_answers, render_phase, render_retry

AUTHOR, EXPLORER, CRITIC = "author", "explorer", "critic"
AGAIN = ("failed", "timeout")  # a failure that may pass; a missing program or a used-up limit does not by itself
NO_CONVERSATION = "no_conversation"


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


def conduct(stand: Stand, crew: Crew, keeper: Keeper, *, explorers: int = 1) -> Ended:
    """Ask for phase after phase until the planning ends, or an agent cannot be had."""
    conductor = _Conductor(crew, keeper, explorers)
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
    def __init__(self, crew: Crew, keeper: Keeper, explorers: int) -> None:
        self._crew, self._keeper, self._explorers = crew, keeper, explorers

    def advance(self, stand: Stand) -> Stand | Halted:
        if _waits_for_person(stand):
            return self._interview(stand)
        progress = stand.planning.progress
        self._keeper.show(PhaseBegan(progress.index, progress.attempt))
        asked = self._ask(stand)
        if isinstance(asked, Halted):
            return asked
        self._keeper.look_at_tree()
        return self._take(asked)

    def _interview(self, stand: Stand) -> Stand:
        questions = open_questions(stand.planning.plan)
        given = self._crew.ask_person(questions) if questions else {}
        answered = replace(stand, answers=tuple((question, given.get(question, "")) for question in questions))
        self._keeper.keep(answered)
        return answered

    # ---- asking ----

    def _ask(self, stand: Stand) -> _Answered | Halted:
        progress = stand.planning.progress
        if progress.phase == CRITIQUE:
            reply = self._try_twice(CRITIC, lambda: self._crew.ask_critic(self._prompt(stand, is_continued=False)))
        elif progress.phase == EXPLORE and self._explorers > 1 and progress.attempt == 1:
            reply = self._explore(stand)
        else:
            return self._ask_author(stand)
        if not reply.ok:
            return Halted(stand, CRITIC if progress.phase == CRITIQUE else EXPLORER, reply.reason, reply.error)
        return _Answered(stand, reply.text, is_by_author=False)

    def _ask_author(self, stand: Stand) -> _Answered | Halted:
        reply = self._try_twice(AUTHOR, lambda: self._say_to_author(stand))
        if reply.reason == NO_CONVERSATION and stand.conversation:
            stand = replace(stand, conversation="", heard=0)
            reply = self._try_twice(AUTHOR, lambda: self._say_to_author(stand))
        if not reply.ok:
            return Halted(stand, AUTHOR, reply.reason, reply.error)
        heard = replace(stand, conversation=reply.conversation, heard=len(stand.planning.reports))
        return _Answered(heard, reply.text, is_by_author=True)

    def _say_to_author(self, stand: Stand) -> Reply:
        prompt = self._prompt(stand, is_continued=bool(stand.conversation))
        return self._crew.ask_author(prompt, stand.conversation)

    def _try_twice(self, role: str, ask: Callable[[], Reply]) -> Reply:
        reply = ask()
        if reply.ok or reply.reason == NO_CONVERSATION:
            return reply
        self._keeper.show(AgentFailed(role, reply.error, is_asked_again=reply.reason in AGAIN))
        return ask() if reply.reason in AGAIN else reply

    def _prompt(self, stand: Stand, *, is_continued: bool) -> str:
        planning, place = stand.planning, Place(is_continued=is_continued)
        findings = findings_for(planning, self._keeper.ground(planning))
        if stand.problems:
            problems = [Problem("before", message) for message in stand.problems]
            asked = render_retry(planning, problems, place, findings=findings)
        else:
            asked = render_phase(planning, place, lessons=self._keeper.lessons(planning), findings=findings)
        return "\n\n".join([*_news_for_author(stand, is_continued=is_continued), asked])

    # ---- explorers ----

    def _explore(self, stand: Stand) -> Reply:
        """The reports of all explorers as one reply; it fails only where not one of them answered."""
        planning = stand.planning
        tasks = split_exploration(planning, self._explorers, lessons=self._keeper.lessons(planning))
        replies = self._send_out(tasks)
        ground = self._keeper.ground(planning)
        reports = [judge_report(planning, task, one.text, ground) for task, one in replies if one.ok]
        for task, reply in replies:
            if not reply.ok:
                self._keeper.show(ReportDropped(task.number, reply.error))
        if not reports:
            return replies[0][1]
        for report in reports:
            if report.problem:
                self._keeper.show(ReportDropped(report.exploration.number, report.problem))
        return Reply(join_reports(reports))

    def _send_out(self, tasks: list[Exploration]) -> list[tuple[Exploration, Reply]]:
        replies = dict(zip([task.number for task in tasks], self._crew.ask_explorers(tasks), strict=True))
        failed = [task for task in tasks if not replies[task.number].ok and replies[task.number].reason in AGAIN]
        for task in failed:
            self._keeper.show(AgentFailed(f"{EXPLORER} {task.number}", replies[task.number].error, is_asked_again=True))
        if failed:
            again = self._crew.ask_explorers(failed)
            replies |= dict(zip([task.number for task in failed], again, strict=True))
        return [(task, replies[task.number]) for task in tasks]

    # ---- taking the answer ----

    def _take(self, asked: _Answered) -> Stand:
        planning, answer = asked.stand.planning, Answer(asked.text)
        self._keeper.keep_answer(planning, answer)
        step = take_answer(planning, answer, self._keeper.ground(planning))
        after = _stand_after(asked, step)
        self._keeper.keep(after)
        self._keeper.show(_news_of(planning, step))
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
