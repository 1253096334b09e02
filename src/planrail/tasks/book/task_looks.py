"""Looking into the book of tasks: one, all, the first few of each kind, and what happened to them."""

from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.tasks.book.task_errors import TaskErrors
from planrail.tasks.book.task_stands import EMPTY, Happened, Stand, read_needs
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.views.entries import read_entry
from planrail.tasks.views.json_text import decode

_BRIEF = "number, title, status, topic, dependencies FROM tasks"
_FULL = "t.id, t.is_archived, x.entry FROM tasks t JOIN task_texts x ON x.repository = t.repository AND x.id = t.id"


class TaskLooks(TaskErrors):
    """The tasks of one repository, for who looks at them."""

    def find(self, number: int) -> Task | None:
        """The task with a number that is not archived; None where there is none."""
        found = self._select("t.number = ? AND t.is_archived = 0", number)
        return found[0] if found else None

    def load(self, number: int) -> Task:
        """The same, or a `PlanrailError`."""
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
        """All tasks, or all that are archived, by number."""
        return self._select("t.is_archived = ? ORDER BY t.number, t.revision, t.id", int(archived))

    def briefs(self) -> list[Brief]:
        """All tasks that are not archived, by number, in the few fields that lists need."""
        sql = f"SELECT {_BRIEF} WHERE repository = ? AND is_archived = 0"
        return list(map(_brief, sorted(self.tables.rows(sql, self.repository))))

    def dependents(self, number: int) -> list[int]:
        """The open tasks that wait for a task, by number."""
        closed = ", ".join(f"'{status}'" for status in TERMINAL)
        sql = (
            "SELECT number FROM tasks WHERE repository = ? AND is_archived = 0"
            f" AND ' ' || dependencies || ' ' LIKE ? AND status NOT IN ({closed}) ORDER BY number"
        )
        return [row[0] for row in self.tables.rows(sql, self.repository, f"% {number} %")]

    def history(self, number: int) -> list[Happened]:
        """What happened to the tasks with a number, in order."""
        sql = (
            "SELECT at, session, what, value FROM task_events WHERE repository = ? AND number = ? ORDER BY revision, id"
        )
        rows = self.tables.rows(sql, self.repository, number)
        return [Happened(at, session, what, _object(value)) for at, session, what, value in rows]

    def stand(self) -> Stand:
        """How far the book is."""
        sql = "SELECT revision, placed, ordered, next_number, updated, head, id FROM task_books WHERE repository = ?"
        rows = self.tables.rows(sql, self.repository)
        return Stand(*rows[0]) if rows else EMPTY

    def revision(self) -> int:
        """The number of changes so far."""
        return self.stand().revision

    def next_number(self) -> int:
        """The number that the next task gets."""
        return self.stand().next_number

    def head(self) -> dict[str, object]:
        """The fields of state.json beside the tasks."""
        return dict(_object(self.stand().head))

    def _select(self, where: str, *values: object) -> list[Task]:
        rows = self.tables.rows(f"SELECT {_FULL} WHERE t.repository = ? AND {where}", self.repository, *values)
        return [replace(read_entry(entry), id=id_, is_archived=bool(archived)) for id_, archived, entry in rows]

    def _find_id(self, id_: str) -> Task | None:
        found = self._select("t.id = ?", id_)
        return found[0] if found else None


def _brief(row: tuple[int, str, str, str, str]) -> Brief:
    number, title, status, topic, needs = row
    return Brief(number, title, status, topic, read_needs(needs) if needs else ())


def _object(text: str) -> Mapping[str, object]:
    value = decode(text)
    return value if isinstance(value, dict) else {}
