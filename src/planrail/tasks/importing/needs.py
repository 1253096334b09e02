"""Do the dependencies of tasks lead anywhere, and never in a circle?"""

from collections.abc import Collection, Mapping

from planrail.tasks.importing.divergences import Remarks
from planrail.tasks.model import Task
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.waves import Circle, group_waves

_MOST_CIRCLES = 100  # that are told; each is looked for among all tasks


def compare_needs(tasks: Mapping[int, Task], archived: Collection[int], remarks: Remarks) -> None:
    """Tell of dependencies on tasks that nobody has, and of tasks that wait for each other."""
    for task in tasks.values():
        for number in task.dependencies:
            if number not in tasks and number not in archived:
                told = f"task {task.number} depends on task {number}, which is not there"
                remarks.add("dependency_unknown", task.number, told, f"planrail task edit {task.number} --depends none")
    open_ones = {number: task.dependencies for number, task in tasks.items() if task.status not in TERMINAL}
    for _ in range(_MOST_CIRCLES):
        found = group_waves(open_ones)
        if not isinstance(found, Circle) or not found.ring:
            return
        first = min(found.ring)
        told = f"tasks wait for each other: {' → '.join(map(str, [*found.ring, found.ring[0]]))}"
        remarks.add("dependency_circle", first, told, f"planrail task edit {first} --depends none")
        open_ones = {number: needs for number, needs in open_ones.items() if number not in found.ring}
