"""A stage of a task, from wherever it stands to its end: `run_stage` is what commands and the orchestration call."""

import os
import time

from planrail.ask.asking import Switch
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.settings import Settings
from planrail.planning.in_session.facts import load_committed_settings
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply
from planrail.tasks.model import Task
from planrail.tasks.questions.model import RESEARCH
from planrail.tasks.questions.steps import is_about_description, writes_plan
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.stages.asking import open_asking
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.stages.conducting import Limits, conduct, progress_of, watch_task
from planrail.tasks.stages.drafting import Drafting
from planrail.tasks.stages.finishing import finish, is_complete
from planrail.tasks.stages.given import take_document
from planrail.tasks.stages.opening import check_wish, open_stage
from planrail.tasks.stages.telling import end_of, find_missing, log_halt
from planrail.tasks.stages.wishes import StageEnd, StageWish, Tell
from planrail.tasks.statuses import BLOCKED, TERMINAL, Refuse, decide_event
from planrail.tasks.watching.tree_watch import compare_tree, remember_tree
from planrail.tasks.waves import decide_waiting


def _quiet(text: str) -> None:
    """Nobody looks on."""


def run_stage(
    desk: Desk, number: int, wish: StageWish, *, tell: Tell = _quiet, switch: Switch | None = None
) -> StageEnd:
    """Carry out a stage, or go on with it. What stands in the way is an end that says how to go on.

    Raises `Held` where another process has the task, and `PlanrailError` where the stage is refused. An interruption
    ends the agents and is passed on; what was answered is kept. `switch` ends them from another thread.
    """
    check_wish(wish)
    with claimed(desk, number):
        with open_book(desk.root) as book:
            task = book.load(number)
            waiting = decide_waiting(task, {brief.number: brief.status for brief in book.briefs()})
        refuse(task, wish)
        if waiting is not None:
            tell(f"{waiting.text}; to {wish.stage} it is possible all the same")
        if wish.source:
            return take_document(desk, task, wish)
        return _work(desk, task, wish, tell, switch or Switch())


def refuse(task: Task, wish: StageWish) -> None:
    decision = decide_event(task, _event(wish.stage), force=wish.force)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)


def _work(desk: Desk, task: Task, wish: StageWish, tell: Tell, switch: Switch) -> StageEnd:
    settings = load_committed_settings(desk.root)
    missing = find_missing(desk, task, wish, settings, os.environ)
    if missing is not None:
        return missing
    folder = open_stage(desk, task, wish, settings, tell)
    if is_complete(folder):
        return finish(desk, folder, force=wish.force)
    task = _mark(desk, folder, task, wish)
    reach("stage.marked")
    return _ask(desk, folder, task, wish, settings, tell, switch)


def _ask(
    desk: Desk, folder: StageFolder, task: Task, wish: StageWish, settings: Settings, tell: Tell, switch: Switch
) -> StageEnd:
    """Put the questions that are left, with an eye on the tree; then the end, whichever it is."""
    minutes = wish.timeout or float(desk.settings.timeout)
    folder, unwatched = remember_tree(desk, folder, time.time())
    limits = Limits(minutes * 60, wish.money, wish.tokens, watch_task(desk, folder, task.status))
    drafting = Drafting(desk, folder, task, settings, limits, tell) if writes_plan(folder.order) else None
    asking = switch.connect(drafting.asking if drafting else open_asking(folder, desk.root, tell))
    try:
        halted = drafting.run() if drafting else conduct(folder, asking, limits, tell)
    finally:
        folder, changed = compare_tree(desk, folder)
        for note in changed:
            tell(note)
    if halted is None:
        end = finish(desk, folder, force=wish.force)
    else:
        end = end_of(folder, halted, minutes, progress_of(folder))
        log_halt(desk, folder, halted, end)
    return replace(end, spent=asking.spent, notes=(*end.notes, *((unwatched,) if unwatched else ()), *changed))


def _mark(desk: Desk, folder: StageFolder, task: Task, wish: StageWish) -> Task:
    """The task's state says what is going on. Whoever revises a description changes nothing about it."""
    if is_about_description(folder.order):
        return task
    return apply(desk, task.number, _event(wish.stage), force=wish.force and task.status in (*TERMINAL, BLOCKED))[0]


def _event(stage: str) -> str:
    return "begin_research" if stage == RESEARCH else "begin_plan"
