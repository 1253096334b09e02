"""Submissions, schedules and workers as rows: read into values, written back where they changed. No rule is here."""

import json
from typing import Self, TypeVar

from planrail.base.records import replace
from planrail.runs.request.requests import read_fields, read_spelled, write_fields
from planrail.store.tables import Tables
from planrail.team.queueing import ENDED, QUEUED, SILENCE, ScheduleRow, Submission, SubmissionRequest, WorkerRow

_VERSION = 2  # of a request as data; the first kept its words
Row = TypeVar("Row", Submission, ScheduleRow)
_NAMES: dict[type, str] = {Submission: "submissions", ScheduleRow: "schedules"}
_OPEN = f"WHERE repository = ? AND plan = ? AND state <> '{ENDED}'"
_DAY = 86_400.0  # seconds
_COLUMNS = tuple(WorkerRow.__slots__)  # type: ignore[attr-defined]
_SAVE = f"""
    INSERT INTO workers ({", ".join(_COLUMNS)}) VALUES ({", ".join("?" * len(_COLUMNS))})
    ON CONFLICT (id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])}
"""


def encode_request(wish: SubmissionRequest) -> str:
    """A request with its options as it is kept; the same one is the same text."""
    kept = {"version": _VERSION, "request": write_fields(wish.request), "options": wish.options}
    return json.dumps(kept, sort_keys=True)


def decode_request(text: str) -> SubmissionRequest:
    """What was kept; what nobody understands asks for nothing. A row without a version has the words of a call."""
    try:
        found = json.loads(text)
        if found.get("version", _VERSION) != _VERSION:
            return SubmissionRequest()  # a newer planrail has written it
        request = read_fields(found["request"]) if "version" in found else read_spelled(found["words"])
        return SubmissionRequest(request, {str(name): str(said) for name, said in found["options"].items()})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return SubmissionRequest()


def columns(kind: type) -> tuple[str, ...]:
    return tuple(kind.__slots__)  # type: ignore[attr-defined]


def read(tables: Tables, kind: type[Row], rest: str, *values: object) -> list[Row]:
    """Submissions or schedules by what follows the names of the columns: WHERE, ORDER BY, LIMIT."""
    names = columns(kind)
    rows = tables.rows(f"SELECT {', '.join(names)} FROM {_NAMES[kind]} {rest}", *values)
    known = [dict(zip(names, row, strict=True)) for row in rows]
    return [kind(**{**fields, "wish": decode_request(fields["wish"])}) for fields in known]


def find(tables: Tables, kind: type[Row], rest: str, *values: object) -> Row | None:
    return next(iter(read(tables, kind, rest, *values)), None)


def find_open(tables: Tables, kind: type[Row], repository: str, plan: str) -> Row | None:
    """The submission or the schedule of a plan that is not ended."""
    return find(tables, kind, _OPEN, repository, plan)


def find_last(tables: Tables, repository: str, plan: str) -> Submission | None:
    where = "WHERE repository = ? AND plan = ? ORDER BY submitted DESC, id DESC LIMIT 1"
    return find(tables, Submission, where, repository, plan)


def add_row(tables: Tables, row: Submission | ScheduleRow) -> bool:
    """Add a row; one whose id is there already is not added again."""
    names = columns(type(row))
    marks = ", ".join("?" * len(names))
    sql = f"INSERT INTO {_NAMES[type(row)]} ({', '.join(names)}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING"
    return tables.change(sql, *(_cell(row, name) for name in names)) > 0


def change_row(tables: Tables, old: Row, new: Row) -> Row:
    """Write what is different, inside an exclusive block in which `old` was read."""
    changed = [name for name in columns(type(old)) if getattr(old, name) != getattr(new, name)]
    if changed:
        sets = ", ".join(f"{name} = ?" for name in changed)
        values = [_cell(new, name) for name in changed]
        tables.change(f"UPDATE {_NAMES[type(old)]} SET {sets} WHERE id = ?", *values, old.id)
    return new


def scope(tables: Tables) -> tuple[str, tuple[object, ...]]:
    """A condition for the rows that are meant, and its values: of a team, those of the one repository, if one is."""
    return (" AND repository = ?", (tables.repository,)) if tables.is_shared and tables.repository else ("", ())


def open_rows(tables: Tables, plan: str | None) -> tuple[str, tuple[object, ...]]:
    """A WHERE for what is not ended, of a plan or of all, and its values."""
    where, values = scope(tables)
    named: tuple[object, ...] = (plan,) if plan is not None else ()
    return f"WHERE state <> '{ENDED}'{' AND plan = ?' if named else ''}{where}", (*named, *values)


def _cell(row: object, name: str) -> object:
    found = getattr(row, name)
    return encode_request(found) if isinstance(found, SubmissionRequest) else found


class Dispatching:
    """The rows by which it is decided who works when; a context manager that closes them."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.tables.close()

    def announce(self, row: Submission | None = None) -> None:
        """Wake one worker that has room, once this is committed; for a row, one that could serve it.

        If it dies before it has looked, another one looks at its next sign of life. On one machine all are woken.
        """
        if row is not None and row.state != QUEUED:
            return
        host = row.host if row is not None and not row.remote else ""
        idle = "SELECT id FROM workers WHERE busy < slots AND drains = 0 AND seen > ? AND (? = '' OR host = ?)"
        asked = (f"{idle} ORDER BY random() LIMIT 1", self.tables.now() - SILENCE, host, host)
        for (worker,) in self.tables.rows(*asked) if self.tables.is_shared else [("",)]:
            self.tables.wake(str(worker))

    def save_worker(self, worker: WorkerRow) -> WorkerRow:
        """Show a worker; it is seen now, by the clock of the database. What was silent for a day is forgotten."""
        self.tables.note_contact()
        seen = replace(worker, seen=self.tables.now())
        self.tables.nudge(_SAVE, *(getattr(seen, name) for name in _COLUMNS))  # one statement: it needs no lock
        self.tables.nudge("DELETE FROM workers WHERE seen < ?", seen.seen - _DAY)
        return seen

    def list_workers(self) -> list[WorkerRow]:
        """All workers that did not say goodbye, also those that have fallen silent."""
        asking = f"SELECT {', '.join(_COLUMNS)} FROM workers ORDER BY host, id"
        return [WorkerRow(*row) for row in self.tables.rows(asking)]

    def drop_worker(self, id: str) -> None:
        """A worker has ended, and has left nothing at work."""
        self.tables.change("DELETE FROM workers WHERE id = ?", id)
