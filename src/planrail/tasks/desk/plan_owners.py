"""Whose plan is this? The task that a plan file belongs to."""

import os

from planrail.base.settings import load_tasks
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.model import PLAN, Task, number_in


def find_owner(root: str, place: str) -> Task | None:
    """The open task whose plan lies there; None where it is nobody's. Looked for by the number of its folder."""
    folder = load_tasks(root).folder
    path = os.path.relpath(os.path.realpath(place), os.path.realpath(root))
    if not path.startswith(f"{folder}/"):
        return None

    with read_book(root) as book:
        task = book.find(number_in(path.removeprefix(f"{folder}/").partition("/")[0]))
    is_its_own = task is not None and any(one.type == PLAN and one.path == path for one in task.artifacts)
    return task if is_its_own else None
