"""The rows of the log of errors: kept when something fails, read with what became of their fixing."""

import os
import time

from planrail.base.decoding import decode, encode
from planrail.base.records import replace
from planrail.tasks.book.task_rows import TaskBook, open_book
from planrail.tasks.context.context import Context
from planrail.tasks.error_log import ErrorEntry, error_id, from_entry, new_error, settle, to_entry
from planrail.tasks.views.todo import flat


def log_error(context: Context, type_: str, message: str, **fields: object) -> str:
    """Keep that something went wrong; the id of the entry. `type_` is one of `error_log`.

    `fields` are those of an `ErrorEntry`; `action` is what helps: without it, what helps with this type.
    """
    now = time.time()
    name = error_id(now, int.from_bytes(os.urandom(4)))
    entry = new_error(type_, message, id=name, at=context.now(), session=context.session, **fields)
    with open_book(context.root) as book:
        keep_error(book, entry, now)
    return name


def keep_error(book: TaskBook, error: ErrorEntry, at: float) -> bool:
    """Keep an error; False where one with its id is there already."""
    sql = "INSERT INTO task_errors (repository, id, number, at, type, severity, state, value)"
    values = (book.repository, error.id, error.task, at, error.type, error.severity, error.state)
    with book.tables.exclusive():
        sql = f"{sql} VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        return book.tables.change(sql, *values, encode(to_entry(error))) > 0


def mark_error(book: TaskBook, error: ErrorEntry, state: str, fix_task: int = 0) -> ErrorEntry:
    marked = replace(error, state=state, fix_task=fix_task or error.fix_task)
    sql = "UPDATE task_errors SET state = ?, value = ? WHERE repository = ? AND id = ?"
    with book.tables.exclusive():
        book.tables.change(sql, flat(state), encode(to_entry(marked)), book.repository, error.id)
    return marked


def load_errors(book: TaskBook) -> list[ErrorEntry]:
    """All errors, newest first, each in the state that its fixing task has brought it to, which is kept."""
    sql = "SELECT id, state, value FROM task_errors WHERE repository = ? ORDER BY at DESC, id DESC"
    errors = []
    for id_, state, text in book.tables.rows(sql, book.repository):
        value = decode(text)
        entry = from_entry({**(value if isinstance(value, dict) else {}), "id": id_})
        errors.append(replace(entry, state=state))
    statuses: dict[int, str] = {}
    for number in {error.fix_task for error in errors} - {0}:
        tasks = [task for task in (book.find(number), *book.find_archived(number)) if task is not None]
        statuses |= {number: tasks[0].status} if tasks else {}
    changed = {error.id: mark_error(book, error, error.state) for error in settle(errors, statuses)}
    return [changed.get(error.id, error) for error in errors]
