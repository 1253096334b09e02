"""A task as programs see it: as in `specs/state.json`, with its folder and what is known of its documents."""

import os

from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Task, folder_of
from planrail.tasks.views.entries import to_entry


def describe_task(desk: Desk, task: Task) -> dict[str, object]:
    """All fields of a task; of each document whether it is there."""
    artifacts = [
        {
            "type": one.type,
            "path": one.path,
            "summary": one.summary,
            "round": one.round,
            "exists": os.path.exists(os.path.join(desk.root, one.path)),
        }
        for one in task.artifacts
    ]
    short = {"number": task.number, "folder": folder_of(task, desk.folder), "round": task.round}
    return {**short, **to_entry(task), "artifacts": artifacts, "archived": task.is_archived}
