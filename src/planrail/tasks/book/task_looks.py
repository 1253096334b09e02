"""Looking into the book of tasks: one, all, the first few of each kind, and what happened to them."""

from collections.abc import Iterable, Mapping

from planrail.base.decoding import decode
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.store.tables import Tables
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.views.entries import read_entry
from planrail.tasks.views.todo import gist_of

NO_NUMBER = -1
BRIEF = "number, title, status, topic, dependencies FROM tasks"
STAND = ("revision", "placed", "ordered", "next_number", "updated", "head", "id")
_FULL = "t.id, t.is_archived, x.entry FROM tasks t JOIN task_texts x ON x.repository = t.repository AND x.id = t.id"


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


class TaskLooks:
    """What is in the book."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.repository = tables.repository

    def find(self, number: int) -> Task | None:
        """The task with a number that is not archived; None where there is none."""
        found = self._select("t.number = ? AND t.is_archived = 0", number)
        return found[0] if found else None

    def load(self, number: int) -> Task:
        task = self.find(number)
        if task is not None:
            return task
        if self.find_archived(number):
            raise PlanrailError(f"task {number} is archived", remedy=f"planrail task recover {number}")
        raise PlanrailError(f"there is no task {number}", remedy="planrail task list")

    def find_archived(self, number: int) -> list[Task]:
        """The archived tasks with a number, the last one to change at the end."""
        return self._select("t.number = ? AND t.is_archived = 1 ORDER BY t.revision, t.id", number)

    def tasks(self, *, archived: bool = False) -> list[Task]:
        return self._select("t.is_archived = ? ORDER BY t.number, t.revision, t.id", int(archived))

    def briefs(self) -> list[Brief]:
        """All tasks that are not archived, by number, in the few fields that lists need."""
        sql = f"SELECT {BRIEF} WHERE repository = ? AND is_archived = 0"
        return list(map(read_brief, sorted(self.tables.rows(sql, self.repository))))

    def dependents(self, number: int) -> list[int]:
        closed = ", ".join(f"'{status}'" for status in TERMINAL)
        sql = (
            "SELECT number FROM tasks WHERE repository = ? AND is_archived = 0"
            f" AND ' ' || dependencies || ' ' LIKE ? AND status NOT IN ({closed}) ORDER BY number"
        )
        return [row[0] for row in self.tables.rows(sql, self.repository, f"% {number} %")]

    def history(self, number: int) -> list[Happened]:
        sql = (
            "SELECT at, session, what, value FROM task_events WHERE repository = ? AND number = ? ORDER BY revision, id"
        )
        rows = self.tables.rows(sql, self.repository, number)
        return [Happened(at, session, what, _object(value)) for at, session, what, value in rows]

    def stand(self) -> Stand:
        sql = f"SELECT {', '.join(STAND)} FROM task_books WHERE repository = ?"
        rows = self.tables.rows(sql, self.repository)
        return Stand(*rows[0]) if rows else EMPTY

    def revision(self) -> int:
        return self.stand().revision

    def next_number(self) -> int:
        return self.stand().next_number

    def head(self) -> dict[str, object]:
        return dict(_object(self.stand().head))

    def _select(self, where: str, *values: object) -> list[Task]:
        rows = self.tables.rows(f"SELECT {_FULL} WHERE t.repository = ? AND {where}", self.repository, *values)
        return [replace(read_entry(entry), id=id_, is_archived=bool(archived)) for id_, archived, entry in rows]

    def _find_id(self, id_: str) -> Task | None:
        found = self._select("t.id = ?", id_)
        return found[0] if found else None


EMPTY = Stand(0, 0, 0, 1, 0.0, "{}")


def read_brief(row: tuple[int, str, str, str, str]) -> Brief:
    number, title, status, topic, needs = row
    return Brief(number, title, status, topic, read_needs(needs) if needs else ())


def _object(text: str) -> Mapping[str, object]:
    value = decode(text)
    return value if isinstance(value, dict) else {}


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
    revision = stand.revision + 1
    return replace(stand, revision=revision, placed=revision, ordered=revision)


def _rank(task: Task) -> tuple[object, ...]:
    is_open = not task.is_archived and task.status not in TERMINAL
    return (task.topic, task.dependencies, gist_of(task)) if is_open else ()


def read_needs(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def spell_needs(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers))
