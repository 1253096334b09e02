"""A task after something happened to it: what a decision changes beside the state."""

from planrail.base.records import replace
from planrail.tasks.model import Task
from planrail.tasks.statuses import ABANDONED, BLOCKED, Move, Stay


def move(task: Task, decision: Move | Stay, *, at: str, session: str, why: str = "") -> Task:
    """The task in its new state. Why it is blocked or abandoned is remembered only as long as it is."""
    if not isinstance(decision, Move):
        return task
    return replace(
        task,
        status=decision.status,
        last_updated=at,
        session_id=session,
        before=task.status if decision.status == BLOCKED else "",
        why=why if decision.status in (BLOCKED, ABANDONED) else "",
    )
