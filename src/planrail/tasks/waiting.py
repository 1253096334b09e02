"""May the plan of a task be carried out, while tasks that it depends on are not completed? Pure."""

from collections.abc import Iterable, Mapping, Sequence

from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import COMPLETED, TERMINAL, Refuse, marker
from planrail.tasks.waves import unmet

Dependencies = Mapping[int, Iterable[int]]


def decide_waiting(task: Task, states: Mapping[int, str], dependencies: Dependencies | None = None) -> Refuse | None:
    """Why a task has to wait, and what to type instead: all that is open before it; None where it does not.

    `states` and `dependencies` are those of all tasks. A dependency that is closed without being completed never will
    be by itself: then the task is to be edited.
    """
    waits = unmet(Brief(task.number, task.title, task.status, "", task.dependencies), states)
    if not waits:
        return None
    text = f"task {task.number} waits for {_describe(waits, states)}"
    closed = [number for number in waits if states[number] in TERMINAL]
    if closed:
        left = ",".join(str(number) for number in task.dependencies if number not in closed) or "none"
        return Refuse(text, f"planrail task edit {task.number} --depends {left}")
    before = {**(dependencies or {}), task.number: task.dependencies}
    return Refuse(text, f"planrail task orchestrate {join_numbers(gather_open([task.number], before, states))}")


def gather_open(numbers: Iterable[int], dependencies: Dependencies, states: Mapping[int, str]) -> tuple[int, ...]:
    """These tasks and every open one that has to be completed before them, ascending."""
    found, left = set[int](), list(numbers)
    while left:
        number = left.pop()
        if number not in found:
            found.add(number)
            left += [other for other in dependencies.get(number, ()) if states.get(other, COMPLETED) not in TERMINAL]
    return tuple(sorted(found))


def join_numbers(numbers: Iterable[int]) -> str:
    """Tasks as they are typed: `2,3`."""
    return ",".join(str(number) for number in numbers)


def name_tasks(numbers: Sequence[int]) -> str:
    """Tasks as they are told: `task 2`, `tasks 2, 3`."""
    return f"task{'s' if len(numbers) > 1 else ''} {', '.join(str(number) for number in numbers)}"


def _describe(waits: Sequence[int], states: Mapping[int, str]) -> str:
    if len(waits) == 1:
        return f"task {waits[0]}, which is {marker(states[waits[0]])}"
    closed = [f"task {number} is {marker(states[number])}" for number in waits if states[number] in TERMINAL]
    return name_tasks(waits) + (f" ({', '.join(closed)})" if closed else "")
