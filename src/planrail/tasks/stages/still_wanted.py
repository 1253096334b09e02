"""Between two questions: is the task still to be worked on, or has somebody closed, blocked or archived it?"""

from collections.abc import Callable

from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.stages.asking import Halted
from planrail.tasks.stages.wishes import REFUSED
from planrail.tasks.statuses import BLOCKED, TERMINAL, marker


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
