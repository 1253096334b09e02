"""One question to an agent, until it is answered or cannot be: started once, adopted after a crash, asked once more."""

import contextlib
import math
import os
import threading
from collections.abc import Iterator

from planrail.agents.jobs.job_files import Job, load_job
from planrail.agents.jobs.runner import Held, ensure, look
from planrail.agents.model import Denied, Outcome, Spent
from planrail.base.crash_points import reach
from planrail.base.one_line import one_line
from planrail.base.records import record, replace
from planrail.tasks import stage_folders as folders
from planrail.tasks.questions.answers import Wrong, read_answer
from planrail.tasks.questions.assembling import count_planned
from planrail.tasks.questions.model import CRITIC, Question
from planrail.tasks.questions.prompts import GO_ON, again_prompt
from planrail.tasks.questions.steps import schema_of, tell_question
from planrail.tasks.stages.wishes import FAILED, INVALID, LIMIT, MISSING, STOPPED, TIMED_OUT, Tell

_TRIES = 2  # of a question, before a person is told
_MOST = 1000  # attempts at one question, over all calls
_AT_ONCE = {"timeout": TIMED_OUT, "stopped": STOPPED, "limit": LIMIT, "missing": MISSING}  # asking again is no help
_CUT_OFF = ("timeout", "stopped", "limit")  # the conversation is sound, and can go on


@record
class Halted:
    """The question is not answered: why, as one of the ends of a stage, and in words.

    `command` is what to type, where that is not the same again.
    """

    status: str
    text: str
    resets_at: int = 0
    command: str = ""


@record
class _Attempt:
    agent: str
    outcome: Outcome
    problems: tuple[str, ...] = ()


class Asking:
    """Puts the questions of one stage. `stop` may be called from any thread; what is asked afterwards is not begun."""

    def __init__(self, folder: folders.StageFolder, root: str, tell: Tell) -> None:
        self._folder, self._root, self._tell = folder, root, tell
        self._agent = folder.text("agent")
        self._critic = folder.text("critic") or self._agent
        self._lock = threading.Lock()
        self._held: list[Held] = []
        self._is_stopping = False
        self._late: set[str] = set()  # the jobs that were ended because the time was over
        self.spent = Spent(0, 0, 0.0)

    def ask(self, question: Question, seconds: float) -> Halted | None:
        """Have a question answered, within so many seconds; the answer is kept when this returns None."""
        name = question.name
        before: _Attempt | None = None
        tried = 0
        for number in range(1, _MOST):
            place = folders.attempt_place(self._folder, name, number)
            if seconds <= 0 and look(place) == "absent":
                return Halted(TIMED_OUT, "the time is over")
            was_over = look(place) in ("ended", "lost")  # by a call that is gone
            attempt, kept = self._try(question, place, before, seconds)
            if kept:
                return None
            before = attempt
            if number <= folders.last_told(self._folder, name) or (was_over and not attempt.problems):
                continue
            tried += attempt.outcome.reason != "no_conversation"  # it was asked of nobody
            halted = None if was_over else _judge(attempt, tried)
            if halted is not None:
                folders.save_told(self._folder, name, number)
                return halted
            self._tell(f"{tell_question(question)}: {one_line(_describe(attempt))}; asked once more")
        return Halted(FAILED, f"{name} was asked {_MOST} times")

    def stop(self) -> None:
        with self._lock:
            self._is_stopping = True
            held = list(self._held)
        for one in held:
            one.stop()

    def _try(self, question: Question, place: str, before: _Attempt | None, seconds: float) -> tuple[_Attempt, bool]:
        """One attempt, begun now or earlier; whether its answer is kept now."""
        job = self._job(question, before, seconds)
        is_news = look(place) not in ("ended", "lost")
        held = ensure(place, job, os.environ)
        outcome = self._watch(held, question, seconds)
        if is_news:  # else an earlier call has counted it, or died of it
            self._count(outcome)
        agent = _agent_of(place) or job.driver
        if not outcome.ok:
            return _Attempt(agent, outcome), False
        answers = folders.load_answers(self._folder)
        phases = count_planned({name: kept.answer for name, kept in answers.items()})
        read = read_answer(outcome.structured, schema_of(question.name), phases=phases)
        if isinstance(read, Wrong):
            return _Attempt(agent, outcome, read.problems), False
        kept = folders.Kept(read, agent, outcome.conversation, question.thread, len(answers) + 1)
        folders.save_answer(self._folder, question.name, kept)
        reach("stage.answered")
        return _Attempt(agent, outcome), True

    def _watch(self, held: Held, question: Question, seconds: float) -> Outcome:
        """The outcome of a job. One that somebody else began has its own time; ours ends it all the same."""
        timer = threading.Timer(max(seconds, 0), self._end_late, [held])
        timer.daemon = True
        with self._at_work(held):
            if held.adopted:
                timer.start()
            try:
                for event in held.events():
                    if isinstance(event, Denied):
                        self._tell(f"{tell_question(question)}: refused {event.tool}: {one_line(event.reason)}")
                outcome = held.wait()
            except BaseException:
                held.stop()
                raise
            finally:
                timer.cancel()
        return _late(outcome) if held.place in self._late else outcome

    def _end_late(self, held: Held) -> None:
        self._late.add(held.place)
        held.stop()

    @contextlib.contextmanager
    def _at_work(self, held: Held) -> Iterator[None]:
        with self._lock:
            self._held.append(held)
            is_late = self._is_stopping
        if is_late:
            held.stop()
        try:
            yield
        finally:
            with self._lock:
                self._held.remove(held)

    def _count(self, outcome: Outcome) -> None:
        with self._lock:
            was = self.spent
            tokens = was.tokens_in + outcome.tokens_in, was.tokens_out + outcome.tokens_out
            self.spent = Spent(*tokens, was.cost + outcome.cost)

    def _job(self, question: Question, before: _Attempt | None, seconds: float) -> Job:
        agent = self._critic if question.role == CRITIC else self._agent
        prompt, conversation = self._address(question, before, agent)
        return Job(
            driver=agent,
            role=question.role,
            prompt=prompt,
            folder=self._root,
            permissions="read",
            timeout=max(1, math.ceil(seconds)),
            model=self._folder.text("model")
            if agent == self._agent
            else "",  # its name means something to one program only
            schema=question.schema,
            conversation=conversation,
            judge="read_only",
        )

    def _address(self, question: Question, before: _Attempt | None, agent: str) -> tuple[str, str]:
        """What is said, and in which conversation: the one of its thread, or of the attempt before, if it is sound."""
        conversation = self._conversation(question, agent)
        asked = question.following if conversation else question.prompt
        if before is None or before.agent != agent:
            return asked, conversation
        outcome = before.outcome
        if before.problems:
            if outcome.conversation:
                return again_prompt(before.problems), outcome.conversation
            return again_prompt(before.problems, question.prompt), ""
        if outcome.reason in _CUT_OFF and outcome.conversation:
            return GO_ON + (question.following or "the one that you were told at the beginning."), outcome.conversation
        return question.prompt, ""  # whoever failed or is gone: somebody new is told all of it

    def _conversation(self, question: Question, agent: str) -> str:
        """The conversation that this question belongs to, where the same program still has it."""
        if not question.thread or not question.following:
            return ""
        mine = [kept for kept in folders.load_answers(self._folder).values() if kept.thread == question.thread]
        return mine[-1].conversation if mine and mine[-1].agent == agent else ""


class Switch:
    """Ends the agents of several stages at once, also of those that are just beginning."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connected: list[Asking] = []
        self._is_off = False

    def connect(self, asking: Asking) -> Asking:
        with self._lock:
            self._connected.append(asking)
            is_off = self._is_off
        if is_off:
            asking.stop()
        return asking

    def turn_off(self) -> None:
        with self._lock:
            self._is_off = True
            connected = list(self._connected)
        for asking in connected:
            asking.stop()


def _judge(attempt: _Attempt, tried: int) -> Halted | None:
    """Whether a person is told now; None: it is asked once more."""
    outcome = attempt.outcome
    if outcome.reason in _AT_ONCE:
        return Halted(_AT_ONCE[outcome.reason], outcome.error, outcome.resets_at)
    if outcome.reason == "no_conversation" or tried < _TRIES:
        return None
    return Halted(INVALID if attempt.problems else FAILED, _describe(attempt))


def _describe(attempt: _Attempt) -> str:
    if attempt.problems:
        return f"the answer cannot be used: {'; '.join(attempt.problems[:3])}"
    return attempt.outcome.error or "the agent did not answer"


def _late(outcome: Outcome) -> Outcome:
    return outcome if outcome.ok else replace(outcome, reason="timeout", error="the time is over")


def _agent_of(place: str) -> str:
    """Who made an attempt, by the job itself: another call may have named another agent."""
    try:
        return load_job(place)[0].driver if os.path.exists(place) else ""
    except (OSError, ValueError, KeyError):
        return ""
