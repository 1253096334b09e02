"""The links of a task to its documents."""

from planrail.base.records import replace
from planrail.tasks.model import PLAN, Artifact, Task


def link(task: Task, artifact: Artifact) -> Task:
    """The task with a document linked, as its last. It takes the place of one at its path, or of that round's plan."""
    kept = tuple(known for known in task.artifacts if not _gives_way(known, artifact))
    return replace(task, artifacts=(*kept, artifact))


def _gives_way(known: Artifact, new: Artifact) -> bool:
    is_plan_of_round = known.type == new.type == PLAN and known.round == new.round
    return known.path == new.path or is_plan_of_round
