"""Question after question, until a stage has all its answers, or something stands in the way."""

import threading
import time
from collections.abc import Callable, Sequence

from planrail.base.records import record
from planrail.tasks.questions.model import Question
from planrail.tasks.questions.steps import next_questions, tell_progress, tell_question
from planrail.tasks.stage_folders import StageFolder, load_answers
from planrail.tasks.stages.asking import Asking, Halted
from planrail.tasks.stages.wishes import FAILED, SPENT, Tell

_LONGEST_END = 30.0  # seconds that agents may take to end
# What is told where several agents ended at once, each in its own way: the first of these.
_WORST = ("missing", "limit", "timed_out", "invalid", "failed", "stopped")


@record
class Limits:
    """What a call may use: seconds of agents' time, money and tokens; 0 of the latter two is no ceiling."""

    seconds: float
    money: float = 0.0
    tokens: int = 0


def _on() -> None:
    """Nothing has happened meanwhile."""


def conduct(
    folder: StageFolder, asking: Asking, limits: Limits, tell: Tell, look: Callable[[], Halted | None] = _on
) -> Halted | None:
    """Have all questions of a stage answered; None when they are. Only the time of agents counts.

    `look` says before each question whether it is still wanted.
    """
    left = limits.seconds
    while questions := _next(folder):
        over = _over(asking, limits) or look()
        if over is not None:
            return over
        for question in questions:
            tell(f"{tell_question(question)} …")
        began = time.monotonic()
        halted = asking.ask(questions[0], left) if len(questions) == 1 else _ask_all(asking, questions, left)
        left -= time.monotonic() - began
        if halted is not None:
            return halted
    return None


def progress_of(folder: StageFolder) -> str:
    """How far a stage is, in words."""
    return tell_progress(folder.order, {name: kept.answer for name, kept in load_answers(folder).items()})


def _next(folder: StageFolder) -> Sequence[Question]:
    return next_questions(folder.order, {name: kept.answer for name, kept in load_answers(folder).items()})


def _over(asking: Asking, limits: Limits) -> Halted | None:
    """Past a ceiling nothing is begun."""
    spent = asking.spent
    if limits.money and spent.cost >= limits.money:
        return Halted(SPENT, f"the budget of this call is used up: {spent.cost:.2f} of {limits.money:.2f}")
    if limits.tokens and spent.tokens_in + spent.tokens_out >= limits.tokens:
        return Halted(SPENT, f"the budget of this call is used up: {limits.tokens} tokens")
    return None


def _ask_all(asking: Asking, questions: Sequence[Question], seconds: float) -> Halted | None:
    """Put several questions at once. Each that is answered is kept; an interruption ends all of them."""
    ended: dict[str, Halted | None] = {}

    def ask(question: Question) -> None:
        try:
            ended[question.name] = asking.ask(question, seconds)
        except Exception as error:  # it is told by the one who waits
            ended[question.name] = Halted(FAILED, f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=ask, args=(question,), daemon=True) for question in questions]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        asking.stop()
        for thread in threads:  # one that was just starting its agent ends it first
            if thread.ident is not None:
                thread.join(_LONGEST_END)
        raise
    halts = [halted for halted in ended.values() if halted is not None]
    order = {status: place for place, status in enumerate(_WORST)}
    return min(halts, key=lambda halted: order.get(halted.status, len(order))) if halts else None
