"""Errors between the log's rows and their meaning: kept when something fails, read with what became of their fixing."""

import os
import time
from collections.abc import Iterable

from planrail.base.records import replace
from planrail.tasks.book.task_looks import ErrorRow
from planrail.tasks.book.task_rows import TaskBook, open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.error_log import ErrorEntry, Where, error_id, from_entry, new_error, settle, to_entry


def log_error(
    desk: Desk, type_: str, message: str, where: Where, *, action: str = "", is_recoverable: bool = False
) -> str:
    """Keep that something went wrong; the id of the entry. `type_` is one of `error_log.TYPES`.

    `action` is what helps; without it, what helps with this type. The session is the desk's, unless one is said.
    """
    now = time.time()
    name = error_id(now, int.from_bytes(os.urandom(4)))
    place = where if where.session else replace(where, session=desk.session)
    entry = new_error(type_, message, place, id=name, at=desk.now(), action=action, is_recoverable=is_recoverable)
    with open_book(desk.root) as book:
        book.add_error(to_row(entry, now))
    return name


def to_row(entry: ErrorEntry, at: float) -> ErrorRow:
    return ErrorRow(entry.id, entry.task, at, entry.type, entry.severity, entry.state, to_entry(entry))


def from_row(row: ErrorRow) -> ErrorEntry:
    return replace(from_entry({**row.value, "id": row.id}), state=row.state)


def load_errors(book: TaskBook) -> list[ErrorEntry]:
    """All errors, newest first, each in the state that its fixing task has brought it to, which is kept."""
    errors = [from_row(row) for row in book.errors()]
    changed = {error.id: error for error in settle(errors, _statuses(book, {error.fix_task for error in errors} - {0}))}
    for error in changed.values():
        book.set_error_state(error.id, error.state)
    return [changed.get(error.id, error) for error in errors]


def _statuses(book: TaskBook, numbers: Iterable[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for number in numbers:
        tasks = [task for task in (book.find(number), *book.find_archived(number)) if task is not None]
        if tasks:
            found[number] = tasks[0].status
    return found
