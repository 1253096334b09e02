"""One question to an agent, until it is answered or cannot be: started once, adopted after a crash, asked once more.

FOLDER/NAME/1/     the job of the first attempt at a question
FOLDER/NAME/told   the last attempt that a person has been told of
"""

import contextlib
import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence

from planrail.agents.jobs.job_files import Job, load_job
from planrail.agents.jobs.runner import HeldJob, ensure, look
from planrail.agents.model import Ask, Asked, Event, Outcome, UsageEvent, failure
from planrail.base.records import record, replace
from planrail.base.whole_files import write_whole

INVALID = "invalid"  # the reason of an outcome that is an answer, and cannot be used
AGAIN = "asked once more"
FAILING = ("failed", "lost", INVALID)  # asked once more: that may pass
_TRIES = 2  # of a question, before a person is told
_MOST = 1000  # attempts at one question, over all calls
_CUT_OFF = ("timeout", "stopped", "limit")  # the conversation is sound, and can go on
_LONGEST_END = 60.0  # seconds that agents may take to end
_GO_ON = """[planrail] You were stopped before you had answered. Go on where you were; everything that you were told \
still holds. The question was:

"""


@record
class AgentQuestion:
    """One question to an agent. `prompt` stands for itself; `following` is enough inside `conversation`.

    `label` is what people call it or the agent asked; `schema` the JSON schema of the answer. `again` says what is
    wrong with an answer, with the question where the conversation is gone. `can_ask`: the agent may put questions.
    """

    name: str
    role: str
    prompt: str
    label: str = ""
    agent: str = ""
    model: str = ""
    schema: str = ""
    conversation: str = ""
    following: str = ""
    again: Callable[[Sequence[str], str], str] = lambda problems, question: question
    can_ask: bool = False


@record
class _Attempt:
    agent: str
    outcome: Outcome
    problems: tuple[str, ...] = ()


@record
class AgentWatcher:
    """Watches agents: `see` is told what they do, `fail` that one did not answer, and what follows.

    `take` keeps an answer, or says what is wrong with it. `person` answers the agents' own questions.
    """

    see: Callable[[AgentQuestion, Event], None]
    fail: Callable[[AgentQuestion, str, str], None]
    take: Callable[[AgentQuestion, Outcome], tuple[str, ...]] = lambda question, outcome: ()
    person: Ask | None = None


class Asking:
    """Puts questions by jobs in a folder. `stop` may be called from any thread; what is asked afterwards is not begun.

    A question that failed for one of the reasons in `again` is asked once more. `allowed` are further tools.
    """

    def __init__(
        self,
        folder: str,
        root: str,
        watcher: AgentWatcher,
        *,
        again: Sequence[str] = FAILING,
        allowed: Sequence[str] = (),
    ) -> None:
        self._folder, self._root, self._watcher = folder, root, watcher
        self._again, self._allowed = again, tuple(allowed)
        self._lock = threading.Lock()
        self._held: list[HeldJob] = []
        self._is_stopping = False
        self.spent = UsageEvent(0, 0, 0.0)

    def ask(self, question: AgentQuestion, seconds: float) -> Outcome:
        """The answer to a question, taken, within so many seconds; else why there is none."""
        try:
            return self._ask(question, seconds)
        except OSError as error:
            return failure("disk", f"what it said could not be kept: {error.strerror}")

    def ask_all(self, questions: Sequence[AgentQuestion], seconds: float) -> list[Outcome]:
        """The same for several questions at once. An interruption ends all of them."""
        if len(questions) == 1:
            return [self.ask(questions[0], seconds)]
        ended: dict[str, Outcome] = {}

        def ask(question: AgentQuestion) -> None:
            try:
                ended[question.name] = self.ask(question, seconds)
            except Exception as error:  # it is told by the thread that waits
                ended[question.name] = failure("failed", f"{type(error).__name__}: {error}")

        join_all([threading.Thread(target=ask, args=(question,), daemon=True) for question in questions], self.stop)
        return [ended[question.name] for question in questions]

    def stop(self) -> None:
        with self._lock:
            self._is_stopping = True
            held = list(self._held)
        for one in held:
            one.stop()

    def _ask(self, question: AgentQuestion, seconds: float) -> Outcome:
        before: _Attempt | None = None
        tried, is_forgotten = 0, False
        told = os.path.join(self._folder, question.name, "told")
        for number in range(1, _MOST):
            place = os.path.join(self._folder, question.name, str(number))
            if seconds <= 0 and look(place) == "absent":
                return failure("timeout", "the time is over")
            was_over = look(place) in ("ended", "lost")  # by a call that is gone
            attempt = self._try(question, place, before, seconds, is_news=not was_over)
            outcome = _settled(attempt)
            if outcome.ok:
                return outcome if attempt.agent == question.agent else replace(outcome, conversation="")
            before = attempt
            if number <= _last_told(told) or (was_over and not attempt.problems):
                continue
            if outcome.reason == "no_conversation" and not is_forgotten:  # it was asked of nobody
                is_forgotten = True
                continue
            tried += 1
            is_over = not was_over and (tried >= _TRIES or outcome.reason not in self._again)
            self._watcher.fail(question, outcome.error, "" if is_over else AGAIN)
            if is_over:
                write_whole(told, json.dumps({"attempt": number}))
                return outcome
        return failure("failed", f"{question.name} was asked {_MOST} times")

    def _try(
        self, question: AgentQuestion, place: str, before: _Attempt | None, seconds: float, *, is_news: bool
    ) -> _Attempt:
        """One attempt, begun now or earlier; its answer is taken, or has problems."""
        prompt, conversation = _address(question, before)
        job = Job(
            driver=question.agent,
            role=question.role,
            prompt=prompt,
            folder=self._root,
            timeout=max(1, math.ceil(seconds)),
            model=question.model,
            schema=question.schema,
            conversation=conversation,
            allowed=self._allowed,
            can_ask=question.can_ask and self._watcher.person is not None,
        )
        outcome = self._watch(ensure(place, job, os.environ), question, seconds)
        if is_news:  # else an earlier call has counted it, or died of it
            with self._lock:
                was = self.spent
                tokens = was.tokens_in + outcome.tokens_in, was.tokens_out + outcome.tokens_out
                self.spent = UsageEvent(*tokens, was.cost + outcome.cost)
        try:
            agent = load_job(place)[0].driver  # by the job itself: another call may have named another agent
        except (OSError, ValueError, KeyError):
            agent = question.agent
        return _Attempt(agent or question.agent, outcome, self._watcher.take(question, outcome) if outcome.ok else ())

    def _watch(self, held: HeldJob, question: AgentQuestion, seconds: float) -> Outcome:
        """The outcome of a job. One that another process began has its own time; ours ends it all the same."""
        late, asked = threading.Event(), 0

        def end() -> None:
            late.set()
            held.stop()

        timer = threading.Timer(max(seconds, 0), end)
        timer.daemon = True
        with self._at_work(held):
            if held.adopted:
                timer.start()
            try:
                for event in held.events():
                    self._watcher.see(question, event)
                    if isinstance(event, Asked) and self._watcher.person is not None:
                        asked += 1
                        held.answer(asked, event, self._watcher.person)
                outcome = held.wait()
            except BaseException:
                held.stop()
                raise
            finally:
                timer.cancel()
        is_late = late.is_set() and not outcome.ok
        return replace(outcome, reason="timeout", error="the time is over") if is_late else outcome

    @contextlib.contextmanager
    def _at_work(self, held: HeldJob) -> Iterator[None]:
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


def _last_told(path: str) -> int:
    try:
        with open(path, encoding="utf-8") as file:
            return int(json.load(file)["attempt"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0


class Switch:
    """Ends the agents of several askings at once, also of those that are just beginning."""

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


def join_all(threads: Sequence[threading.Thread], stop: Callable[[], None]) -> None:
    """Let all of them come to their end; an interruption ends their agents first."""
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        stop()
        for thread in threads:  # one that was just starting its agent ends it first
            if thread.ident is not None:
                thread.join(_LONGEST_END)
        raise


def list_attempts(folder: str) -> list[str]:
    found = []
    for question in os.listdir(folder) if os.path.isdir(folder) else ():
        place = os.path.join(folder, question)
        found += [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.isdecimal()]
    return found


def put_aside(path: str, word: str) -> str:
    """Give a folder the name of one that is over, such as done, left or aside. Its new path."""
    number = 1
    while os.path.lexists(f"{path}-{word}-{number}"):
        number += 1
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, f"{path}-{word}-{number}")
    return f"{path}-{word}-{number}"


def _address(question: AgentQuestion, before: _Attempt | None) -> tuple[str, str]:
    """What is said, and in which conversation: the question's, or that of the attempt before, if it is sound."""
    if before is None or before.agent != question.agent:
        return (question.following, question.conversation) if question.conversation else (question.prompt, "")
    outcome = before.outcome
    if before.problems:
        return question.again(before.problems, "" if outcome.conversation else question.prompt), outcome.conversation
    if outcome.reason in _CUT_OFF and outcome.conversation:
        return _GO_ON + (question.following or question.prompt), outcome.conversation
    return question.prompt, ""  # the one that failed or is gone: another one is told all of it


def _settled(attempt: _Attempt) -> Outcome:
    outcome = attempt.outcome
    if attempt.problems:
        error = f"the answer cannot be used: {'; '.join(attempt.problems[:3])}"
        return replace(outcome, ok=False, reason=INVALID, error=error)
    return outcome if outcome.ok or outcome.error else replace(outcome, error="the agent did not answer")
