"""The book: the tasks of a repository in its ledger. Every change is one transaction, with its event; nobody's is lost.

Views are not written here: see `tasks.book.task_views`, which every command calls after it has changed something.
"""

import os
from collections.abc import Callable, Iterable, Mapping

from planrail.base.decoding import encode
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.settings import load_tasks
from planrail.store.ledger import open_store, open_tables
from planrail.store.tables import Tables, open_empty
from planrail.tasks.book.task_looks import NO_NUMBER, STAND, TaskLooks, moved, renewed, spell_needs
from planrail.tasks.book.task_looks import Happened as Happened
from planrail.tasks.book.task_looks import Note as Note
from planrail.tasks.book.task_looks import Stand as Stand
from planrail.tasks.model import Task
from planrail.tasks.views.entries import render_entry
from planrail.tasks.views.todo import flat, gist_of, plain_line, render_section, title_of


class TaskBook(TaskLooks):
    """The tasks of one repository. `decide` and `make` of its methods are called inside the transaction."""

    def __init__(self, tables: Tables, folder: str = "specs") -> None:
        super().__init__(tables)
        self._folder = folder

    def __enter__(self) -> "TaskBook":
        return self

    def __exit__(self, *error: object) -> None:
        self.tables.__exit__(*error)

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


def open_book(root: str) -> "TaskBook":
    folder = load_tasks(root).folder  # first: settings that are wrong leave nothing open
    return TaskBook(open_tables(root), folder)


def read_book(root: str) -> "TaskBook":
    """The same for who only looks: where there is no ledger none is made, and the book is empty."""
    if open_store(root).has_rows():
        return open_book(root)
    return TaskBook(open_empty())


def _new_id() -> str:
    return os.urandom(8).hex()
