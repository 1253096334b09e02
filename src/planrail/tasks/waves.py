"""Which tasks can be worked at once, and which wait for which? Linear in tasks and dependencies.

A dependency on a task that is not among those given is met: it was archived, or belongs to another batch.
"""

from collections.abc import Iterable, Mapping, Sequence

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
    before = {task: {other for other in wanted if other in dependencies} for task, wanted in dependencies.items()}
    waves = _peel(before)
    placed = {task for wave in waves for task in wave}
    left = {task: wanted - placed for task, wanted in before.items() if task not in placed}
    if not left:
        return waves
    return Circle(tuple(sorted(left)), _find_ring(left), tuple(tuple(wave) for wave in waves))


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


def _peel(before: Mapping[int, set[int]]) -> list[list[int]]:
    """Kahn's algorithm, a wave at a time."""
    missing = {task: len(wanted) for task, wanted in before.items()}
    after: dict[int, list[int]] = {}
    for task, wanted in before.items():
        for other in wanted:
            after.setdefault(other, []).append(task)
    waves = []
    wave = sorted(task for task, count in missing.items() if not count)
    while wave:
        waves.append(wave)
        freed = []
        for task in wave:
            for follower in after.get(task, ()):
                missing[follower] -= 1
                if not missing[follower]:
                    freed.append(follower)
        wave = sorted(freed)
    return waves


def _find_ring(left: Mapping[int, set[int]]) -> tuple[int, ...]:
    """One circle among tasks that all wait for another of them: a walk along the dependencies must come back."""
    place: dict[int, int] = {}
    task = min(left)
    while task not in place:
        place[task] = len(place)
        task = min(left[task])
    ring = list(place)[place[task] :]
    start = ring.index(min(ring))
    return (*ring[start:], *ring[:start])


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
