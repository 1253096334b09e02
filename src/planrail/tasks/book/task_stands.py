"""How far a book of tasks is, what its history tells, and what a change moves on. Values, and pure functions."""

from collections.abc import Iterable, Mapping

from planrail.base.records import record, replace
from planrail.tasks.model import Task
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.views.todo import gist_of

NO_NUMBER = -1


@record
class Note:
    """What the history says about a change: what happened, in which session, when (0: now), and more."""

    what: str
    session: str = ""
    at: float = 0
    value: Mapping[str, object] = {}


@record
class Happened:
    """An event in the history of a task. Where the state changed, `value` has it as "from" and "to"."""

    at: float
    session: str
    what: str
    value: Mapping[str, object]


@record
class Stand:
    """How far a book is; `id` tells it from one that lay here before.

    `placed` is the last revision at which a task went, or came between others, or the head changed; `ordered` the last
    one that changed what their order is made of. `updated` is the time of the last change; `head` are the fields of
    state.json beside the tasks.
    """

    revision: int
    placed: int
    ordered: int
    next_number: int
    updated: float
    head: str
    id: str = ""


EMPTY = Stand(0, 0, 0, 1, 0.0, "{}")


def moved(stand: Stand, changes: Iterable[tuple[Task | None, Task]], next_number: int) -> Stand:
    """The stand after changes: while only texts and markers change, the order of the tasks is the same."""
    placed, ordered, following = stand.placed, stand.ordered, max(next_number, stand.next_number)
    for before, after in changes:
        if before is None and not after.is_archived and after.number >= stand.next_number:
            ordered = stand.revision  # it comes after all others
        elif before is None or before.is_archived or after.is_archived or before.number != after.number:
            placed = ordered = stand.revision
        elif _rank(before) != _rank(after):
            ordered = stand.revision
    return replace(stand, placed=placed, ordered=ordered, next_number=following)


def renewed(stand: Stand) -> Stand:
    """The stand after a change of everything."""
    revision = stand.revision + 1
    return replace(stand, revision=revision, placed=revision, ordered=revision)


def _rank(task: Task) -> tuple[object, ...]:
    """What the order of tasks is made of."""
    is_open = not task.is_archived and task.status not in TERMINAL
    return (task.topic, task.dependencies, gist_of(task)) if is_open else ()


def read_needs(text: str) -> tuple[int, ...]:
    """The numbers of the column `dependencies`."""
    return tuple(map(int, text.split()))


def spell_needs(numbers: tuple[int, ...]) -> str:
    """The same, as the column has them."""
    return " ".join(map(str, numbers))
