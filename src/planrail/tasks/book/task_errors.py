"""The log of what went wrong with tasks, as rows: added once, and marked when somebody works on it."""

from collections.abc import Mapping

from planrail.base.records import record
from planrail.store.tables import Tables
from planrail.tasks.views.json_text import decode, encode
from planrail.tasks.views.plain import flat

_COLUMNS = "id, number, at, type, severity, state, value"


@record
class ErrorRow:
    """An error. `number` is its task, 0 for none; `value` is the whole entry."""

    id: str
    number: int
    at: float
    type: str
    severity: str
    state: str
    value: Mapping[str, object]


class TaskErrors:
    """The errors of one repository."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.repository = tables.repository

    def add_error(self, error: ErrorRow) -> bool:
        """Keep an error; False where one with its id is there already."""
        texts = (flat(error.type), flat(error.severity), flat(error.state), encode(dict(error.value)))
        row = (self.repository, error.id, error.number, error.at, *texts)
        sql = f"INSERT INTO task_errors (repository, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        with self.tables.exclusive():
            return self.tables.change(sql, *row) > 0

    def errors(self, *, state: str | None = None, number: int | None = None) -> list[ErrorRow]:
        """The errors, the newest first; of a state, of a task, or all."""
        sql = f"SELECT {_COLUMNS} FROM task_errors WHERE repository = ? ORDER BY at DESC, id DESC"
        found = [_read(row) for row in self.tables.rows(sql, self.repository)]
        return [
            error
            for error in found
            if (state is None or error.state == state) and (number is None or error.number == number)
        ]

    def set_error_state(self, id_: str, state: str, **fields: object) -> bool:
        """Mark an error, with further fields of its entry; False where there is none with this id."""
        question = f"SELECT {_COLUMNS} FROM task_errors WHERE repository = ? AND id = ?"
        with self.tables.exclusive():
            found = self.tables.rows(question, self.repository, id_)
            if not found:
                return False
            value = encode({**_read(found[0]).value, **fields})
            sql = "UPDATE task_errors SET state = ?, value = ? WHERE repository = ? AND id = ?"
            return self.tables.change(sql, flat(state), value, self.repository, id_) > 0


def _read(row: tuple[str, int, float, str, str, str, str]) -> ErrorRow:
    value = decode(row[-1])
    return ErrorRow(*row[:-1], value if isinstance(value, dict) else {})
