"""How could a task be divided? An agent is asked, by schema; planrail makes the tasks."""

import os

from planrail.ask.asking import put_aside
from planrail.ask.interruptions import interruptible
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.planning.in_session.facts import load_committed_settings
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.questions.model import DIVIDE
from planrail.tasks.stage_folders import load_answers, open_stages
from planrail.tasks.stages.asking import open_asking
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.stages.conducting import Limits, conduct, progress_of
from planrail.tasks.stages.opening import check_wish, end_agents, open_stage
from planrail.tasks.stages.telling import end_of, find_missing, log_halt, teller
from planrail.tasks.stages.wishes import MISSING, StageWish


def divide(desk: Desk, number: int, *, agent: str = "", model: str = "", minutes: float | None = None) -> list[str]:
    """The smaller tasks that an agent proposes, 2 to 5. What was answered before a crash is not asked again."""
    wish = StageWish(DIVIDE, agent=agent, model=model, timeout=minutes or 0.0)
    check_wish(wish)
    tell = teller(desk)
    with claimed(desk, number), interruptible():
        with open_book(desk.root) as book:
            task = book.load(number)
        _leave_used(desk, task)
        settings = load_committed_settings(desk.root)
        missing = find_missing(desk, task, wish, settings, os.environ)
        if missing is not None:
            raise ToolFailed(missing.text, remedy=missing.command)
        folder = open_stage(desk, task, wish, settings, tell).note(parts=list(task.subtasks))
        asking = open_asking(folder, desk.root, tell)
        spare = wish.timeout or float(desk.settings.timeout)
        halted = conduct(folder, asking, Limits(spare * 60), tell)
        if halted is not None:
            end = end_of(folder, halted, spare, progress_of(folder))
            log_halt(desk, folder, halted, end)
            raise (ToolFailed if halted.status == MISSING else PlanrailError)(end.text, remedy=end.command)
        parts = load_answers(folder)["division"].answer["parts"]
    return [str(part) for part in parts] if isinstance(parts, list) else []


def _leave_used(desk: Desk, task: Task) -> None:
    """Put a division aside that the task has had since: whoever opened it again wants another one."""
    for folder in open_stages(desk.root, task.number):
        if folder.order.stage == DIVIDE and folder.about.get("parts") != list(task.subtasks):
            end_agents(folder)
            put_aside(folder.path, "done")
