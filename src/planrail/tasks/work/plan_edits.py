"""Is a task done but for an edit of its plan that nobody has committed? Runs carry out what is committed."""

import os

from planrail.base.records import record
from planrail.base.wording import quote
from planrail.tasks.model import Task
from planrail.tasks.statuses import open_phases
from planrail.tasks.work.plan_phases import plan_path, read_committed_phases, read_phases


@record
class Edit:
    """What stands between the task and its completion, and what to type."""

    text: str
    remedy: str


def find_edit(root: str, task: Task) -> Edit | None:
    """The edit of a plan that is proven as it is committed; None where there is none, or more is open than that."""
    phases, committed = read_phases(root, task), read_committed_phases(root, task)
    if not phases or not open_phases(phases) or not committed or open_phases(committed):
        return None
    path = os.path.relpath(plan_path(root, task))
    text = f"task {task.number} is not completed: {path} was changed since it was run"
    keep, drop = f"git commit -m 'Edit the plan' -- {quote(path)}", f"git checkout HEAD -- {quote(path)}"
    again = f"planrail task implement {task.number}"
    return Edit(text, f"to have it done as it is now: {keep}; to drop the edit: {drop}; then: {again}")
