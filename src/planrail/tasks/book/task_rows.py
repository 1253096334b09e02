"""The book: the tasks of a repository in its ledger. Every change is one transaction, with its event; nobody's is lost.

Views are not written here: see `tasks.book.task_views`, which every command calls after it has changed something.
"""

import os
from collections.abc import Callable, Iterable, Mapping

from planrail.base.decoding import decode, encode
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.settings import load_tasks
from planrail.store.ledger import open_store, open_tables
from planrail.store.tables import Tables, open_empty
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.views.entries import read_entry, render_entry
from planrail.tasks.views.todo import flat, gist_of, plain_line, render_section, title_of

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

    @property
    def fields(self) -> dict[str, object]:
        return _object(self.head)


class TaskBook:
    """The tasks of one repository. `decide` and `make` of its methods are called inside the transaction."""

    def __init__(self, tables: Tables, folder: str = "specs") -> None:
        self.tables, self.repository, self._folder = tables, tables.repository, folder

    def __enter__(self) -> "TaskBook":
        return self

    def __exit__(self, *error: object) -> None:
        self.tables.__exit__(*error)

    # ---- looking ----

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
        return self.stand().fields

    def _select(self, where: str, *values: object) -> list[Task]:
        rows = self.tables.rows(f"SELECT {_FULL} WHERE t.repository = ? AND {where}", self.repository, *values)
        return [replace(read_entry(entry), id=id_, is_archived=bool(archived)) for id_, archived, entry in rows]

    def _find_id(self, id_: str) -> Task | None:
        found = self._select("t.id = ?", id_)
        return found[0] if found else None

    # ---- changing ----

    def change(self, number: int, decide: Callable[[Task], Task], note: Note) -> Task:
        """Change a task: what `decide` makes of it is kept, with an event. The same task again changes nothing."""
        with self.tables.exclusive():
            task = self.load(number)
            changed = replace(decide(task), number=task.number, id=task.id)
            self._save([(task, changed)], note)
            return changed

    def change_many(
        self, numbers: Iterable[int], decide: Callable[[dict[int, Task]], Iterable[Task]], note: Note
    ) -> list[Task]:
        """The same for several at once, all or none. A task without an id is a new one, and gets its number here."""
        with self.tables.exclusive():
            before = {number: self.load(number) for number in numbers}
            after = list(decide(before))
            following = self.next_number()
            pairs = []
            for task in after:
                numbered = task if task.number else replace(task, number=following)
                following = max(following, numbered.number + 1)
                pairs.append((before.get(task.number) if task.id else None, numbered))
            return self._save(pairs, note, following)

    def create(self, make: Callable[[int], Task], note: Note) -> Task:
        with self.tables.exclusive():
            number = self.next_number()
            return self._save([(None, replace(make(number), number=number))], note, number + 1)[0]

    def put(self, tasks: Iterable[Task], note: Note) -> list[Task]:
        """Keep tasks as they are: new ones without an id, known ones by their id. For imports and the archive."""
        with self.tables.exclusive():
            pairs = [(self._find_id(task.id) if task.id else None, task) for task in tasks]
            for before, task in pairs:
                is_new = not task.is_archived and (before is None or before.is_archived)
                if is_new and self.find(task.number) is not None:
                    remedy = f"planrail task show {task.number}"
                    raise PlanrailError(f"there is a task {task.number} already", remedy=remedy)
            following = max([self.next_number(), *(task.number + 1 for _, task in pairs if not task.is_archived)])
            return self._save(pairs, note, following)

    def set_head(self, fields: Mapping[str, object], next_number: int | None = None) -> None:
        """Keep the fields of state.json beside the tasks, and where numbering goes on; it never goes back."""
        with self.tables.exclusive():
            stand = self.stand()
            following = max(stand.next_number, next_number or 0)
            head = encode(dict(fields))
            if (head, following) != (stand.head, stand.next_number):
                self._keep_stand(replace(renewed(stand), next_number=following, updated=self.tables.now(), head=head))

    # ---- rows ----

    def _save(self, pairs: Iterable[tuple[Task | None, Task]], note: Note, next_number: int = NO_NUMBER) -> list[Task]:
        stand = self.stand()
        revision, at = stand.revision + 1, note.at or self.tables.now()
        kept: list[Task] = []
        changes: list[tuple[Task | None, Task]] = []
        for before, after in pairs:
            task = after if after.id else replace(after, id=_new_id())
            kept.append(task)
            if task != before:
                changes.append((before, task))
                self._keep(task, revision)
                self._add_event(before, task, note, revision, at)
        if changes:
            self._keep_stand(moved(replace(stand, revision=revision, updated=at), changes, next_number))
        return kept

    def _keep(self, task: Task, revision: int) -> None:
        key = {"repository": self.repository, "id": task.id}
        row: dict[str, object] = {"number": task.number, "status": plain_line(task.status), "title": title_of(task)}
        row |= {"topic": plain_line(task.topic), "dependencies": spell_needs(task.dependencies), "gist": gist_of(task)}
        self._put_row("tasks", key, {**row, "is_archived": int(task.is_archived), "revision": revision})
        texts = {"entry": render_entry(task), "section": render_section(task, self._folder)}
        self._put_row("task_texts", key, texts)

    def _put_row(self, table: str, key: Mapping[str, object], values: Mapping[str, object]) -> None:
        """Write a row, whether there is one with this key or not."""
        names, marks = [*key, *values], ", ".join("?" * (len(key) + len(values)))
        sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}) ON CONFLICT ({', '.join(key)}) DO UPDATE SET "
        sets = ", ".join(f"{name} = excluded.{name}" for name in values)
        self.tables.change(sql + sets, *key.values(), *values.values())

    def _add_event(self, before: Task | None, task: Task, note: Note, revision: int, at: float) -> None:
        value = dict(note.value)
        if before is None or before.status != task.status:
            value = {**({"from": before.status} if before is not None else {}), "to": task.status, **value}
        row = (self.repository, revision, task.id, task.number, at, flat(note.session), flat(note.what), encode(value))
        self.tables.change("INSERT INTO task_events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", *row)

    def _keep_stand(self, stand: Stand) -> None:
        values = {name: getattr(stand, name) for name in STAND}
        self._put_row("task_books", {"repository": self.repository}, {**values, "id": stand.id or _new_id()})


EMPTY = Stand(0, 0, 0, 1, 0.0, "{}")


def read_brief(row: tuple[int, str, str, str, str]) -> Brief:
    number, title, status, topic, needs = row
    return Brief(number, title, status, topic, read_needs(needs) if needs else ())


def _object(text: str) -> dict[str, object]:
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


def open_book(root: str) -> "TaskBook":
    folder = load_tasks(root).folder  # first: settings that are wrong leave nothing open
    return TaskBook(open_tables(root), folder)


def read_book(root: str) -> "TaskBook":
    """The same for a caller that only looks: where there is no ledger none is made, and the book is empty."""
    if open_store(root).has_rows():
        return open_book(root)
    return TaskBook(open_empty())


def _new_id() -> str:
    return os.urandom(8).hex()
