"""Which tasks can be worked at once, and which wait for which? Linear in tasks and dependencies.

A dependency on a task that is not among those given is met: it was archived, or belongs to another batch.
"""

from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from planrail.base.records import record
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import BLOCKED, COMPLETED, IN_FLIGHT, TERMINAL, Refuse, marker

Dependencies = Mapping[int, Iterable[int]]


@record
class Circle:
    """Tasks that wait for each other, so that none of them can ever begin.

    `tasks` are all that cannot be ordered, those behind a circle included; `ring` is one circle, each task waiting for
    the next and the last for the first; `waves` are the tasks that could be ordered all the same.
    """

    tasks: tuple[int, ...]
    ring: tuple[int, ...] = ()
    waves: tuple[tuple[int, ...], ...] = ()


def group_waves(dependencies: Mapping[int, Iterable[int]]) -> list[list[int]] | Circle:
    """The tasks in waves: what is in one depends on earlier waves alone. Numbers ascend inside a wave."""
    sorter = TopologicalSorter({task: set(wanted) & dependencies.keys() for task, wanted in dependencies.items()})
    ring, waves = list[int](), list[list[int]]()
    try:
        sorter.prepare()
    except CycleError as error:
        ring = error.args[1][:0:-1]  # there each is needed by the one behind it
    while wave := sorted(sorter.get_ready()):
        waves.append(wave)
        sorter.done(*wave)
    if not ring:
        return waves
    left, first = {*dependencies}.difference(*waves), ring.index(min(ring))
    return Circle(tuple(sorted(left)), (*ring[first:], *ring[:first]), tuple(map(tuple, waves)))


def ready(briefs: Iterable[Brief]) -> list[Brief]:
    """The tasks that can be begun or gone on with now: open, at rest, and every dependency of theirs is met."""
    known = list(briefs)
    states = {brief.number: brief.status for brief in known}
    resting = (brief for brief in known if brief.status not in (*TERMINAL, *IN_FLIGHT, BLOCKED))
    return [brief for brief in resting if not unmet(brief, states)]


def blocked(briefs: Iterable[Brief]) -> list[tuple[Brief, tuple[int, ...]]]:
    """The open tasks that cannot go on, each with the tasks that it waits for: none where a person blocked it."""
    known = list(briefs)
    states = {brief.number: brief.status for brief in known}
    waiting = [(brief, unmet(brief, states)) for brief in known if brief.status not in TERMINAL]
    return [(brief, waits) for brief, waits in waiting if waits or brief.status == BLOCKED]


def unmet(brief: Brief, states: Mapping[int, str]) -> tuple[int, ...]:
    """The dependencies that are not completed. One that was abandoned or expanded never will be by itself."""
    return tuple(number for number in brief.dependencies if states.get(number, COMPLETED) != COMPLETED)


def describe_waits(waits: Iterable[int], states: Mapping[int, str]) -> str:
    """What a task waits for, in words: `3, 4 (abandoned)`. Those that will not come by themselves are said to be so."""
    return ", ".join(
        f"{number} ({states[number]})" if states.get(number) in TERMINAL else str(number) for number in waits
    )


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
    return ",".join(str(number) for number in numbers)


def name_tasks(numbers: Sequence[int]) -> str:
    return f"task{'s' if len(numbers) > 1 else ''} {', '.join(str(number) for number in numbers)}"


def _describe(waits: Sequence[int], states: Mapping[int, str]) -> str:
    if len(waits) == 1:
        return f"task {waits[0]}, which is {marker(states[waits[0]])}"
    closed = [f"task {number} is {marker(states[number])}" for number in waits if states[number] in TERMINAL]
    return name_tasks(waits) + (f" ({', '.join(closed)})" if closed else "")
