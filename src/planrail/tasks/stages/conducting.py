"""Question after question, until a stage has all its answers, or something stands in the way."""

import contextlib
import threading
import time
from collections.abc import Callable, Sequence

from planrail.ask.asking import Asking, Switch, join_all
from planrail.base.records import record
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.questions.steps import next_questions, tell_progress, writes_plan
from planrail.tasks.stage_folders import StageFolder, load_answers, load_drafting
from planrail.tasks.stages.asking import Halted, ask_all
from planrail.tasks.stages.wishes import FAILED, REFUSED, SPENT, STOPPED, StageEnd, Tell
from planrail.tasks.statuses import BLOCKED, TERMINAL, marker


@record
class Limits:
    """What a call may use: seconds of agents' time, money and tokens; 0 of the latter two is no ceiling.

    `look` says before each question whether it is still wanted.
    """

    seconds: float
    money: float = 0.0
    tokens: int = 0
    look: Callable[[], Halted | None] = lambda: None


def conduct(folder: StageFolder, asking: Asking, limits: Limits, tell: Tell) -> Halted | None:
    """Have all questions of a stage answered; None when they are. Only the time of agents counts."""
    left = limits.seconds
    while questions := next_questions(folder.order, {name: kept.answer for name, kept in load_answers(folder).items()}):
        over = find_over(asking, limits) or limits.look()
        if over is not None:
            return over
        for question in questions:
            tell(f"{question.label} …")
        began = time.monotonic()
        halted = ask_all(folder, asking, questions, left)
        left -= time.monotonic() - began
        if halted is not None:
            return halted
    return None


def progress_of(folder: StageFolder) -> str:
    if writes_plan(folder.order):
        planning = load_drafting(folder)
        if planning is None or not planning.last_answer:
            return "no plan is drafted yet"
        rounds = len(planning.critiques)
        return f"a plan is drafted{f', and criticised {rounds} time' + 's' * (rounds != 1) if rounds else ''}"
    return tell_progress(folder.order, {name: kept.answer for name, kept in load_answers(folder).items()})


def find_over(asking: Asking, limits: Limits) -> Halted | None:
    """Past a ceiling nothing is begun."""
    spent = asking.spent
    if limits.money and spent.cost >= limits.money:
        return Halted(SPENT, f"the budget of this call is used up: {spent.cost:.2f} of {limits.money:.2f}")
    if limits.tokens and spent.tokens_in + spent.tokens_out >= limits.tokens:
        return Halted(SPENT, f"the budget of this call is used up: {limits.tokens} tokens")
    return None


def watch_task(desk: Desk, folder: StageFolder, status: str) -> Callable[[], Halted | None]:
    """Who asks this is told why nothing more is to be asked; None: go on. `status` is that of the task by now."""

    def look() -> Halted | None:
        with open_book(desk.root) as book:
            task = book.find(folder.order.number)
        return judge_task(task, folder.order.number, folder.text("task"), status)

    return look


def judge_task(task: Task | None, number: int, id_: str, status: str) -> Halted | None:
    """Why a task is not to be worked on any more. It had that id and that status when the work began."""
    if task is None or task.id != id_:
        return Halted(REFUSED, "was archived meanwhile", command=f"planrail task recover {number}")
    if task.status == status or task.status not in (*TERMINAL, BLOCKED):
        return None
    force = " --force" if task.status in TERMINAL else ""
    why = f" ({task.why})" if task.why else ""
    return Halted(REFUSED, f"is {marker(task.status)} by now{why}", command=f"planrail task reopen {number}{force}")


def run_all(numbers: Sequence[int], jobs: int, switch: Switch, work: Callable[[int], StageEnd]) -> list[StageEnd]:
    """How each task ended, in the order of the call. An interruption ends all agents, and what has not begun stays."""
    ends: dict[int, StageEnd] = {}
    waiting, lock = list(numbers), threading.Lock()

    def take_turns() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                number = waiting.pop(0)
            try:
                ends[number] = work(number)
            except Exception as error:  # one that fails in a way nobody thought of costs the others nothing
                ends[number] = StageEnd(False, FAILED, f"{type(error).__name__}: {error}", "", task=number)

    threads = [threading.Thread(target=take_turns, daemon=True) for _ in range(min(jobs, len(numbers)))]

    def stop() -> None:
        with lock:
            waiting.clear()
        switch.turn_off()

    with contextlib.suppress(KeyboardInterrupt):
        join_all(threads, stop)
    for number in (one for one in numbers if one not in ends):
        told = "stopped before it was begun"
        ends[number] = StageEnd(False, STOPPED, told, f"planrail task show {number}", task=number)
    return [ends[number] for number in numbers]
