"""Submissions and schedules as rows: read into values, written back where they changed. No rule is here."""

import json
from typing import Any

from planrail.runs.request.requests import RunRequest, read_fields, read_spelled, write_fields
from planrail.store.facts import new_id
from planrail.store.tables import Tables
from planrail.team.queueing import ENDED, ScheduleRow, Submission, Wish

_VERSION = 2  # of a request as data; the first kept its words
SUBMISSION = tuple(Submission.__slots__)  # type: ignore[attr-defined]  # the columns, in the order of the fields
SCHEDULE = tuple(ScheduleRow.__slots__)  # type: ignore[attr-defined]
SUBMISSIONS = f"SELECT {', '.join(SUBMISSION)} FROM submissions"
SCHEDULES = f"SELECT {', '.join(SCHEDULE)} FROM schedules"


def encode_wish(wish: Wish) -> str:
    """A wish as it is kept; the same wish is the same text."""
    kept = {"version": _VERSION, "request": write_fields(wish.request), "options": wish.options}
    return json.dumps(kept, sort_keys=True)


def decode_wish(text: str) -> Wish:
    """What was kept; what nobody understands asks for nothing. A row without a version has the words of a call."""
    try:
        found = json.loads(text)
        request = read_spelled(found["words"]) if "version" not in found else _read_request(found)
        return Wish(request, {str(name): str(said) for name, said in found["options"].items()})
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Wish()


def _read_request(found: dict[str, Any]) -> RunRequest:
    if found["version"] != _VERSION:
        raise ValueError(f"a newer planrail has written version {found['version']}")
    return read_fields(found["request"])


def read_submissions(tables: Tables, rest: str, *values: object) -> list[Submission]:
    """Submissions by what follows the names of the columns: WHERE, ORDER BY, LIMIT."""
    return [Submission(**_fields(SUBMISSION, row)) for row in tables.rows(f"{SUBMISSIONS} {rest}", *values)]


def read_schedules(tables: Tables, rest: str, *values: object) -> list[ScheduleRow]:
    """Schedules, the same way."""
    return [ScheduleRow(**_fields(SCHEDULE, row)) for row in tables.rows(f"{SCHEDULES} {rest}", *values)]


def find_open(tables: Tables, repository: str, plan: str) -> Submission | None:
    """The submission of a plan that is not ended."""
    where = "WHERE repository = ? AND plan = ? AND state <> 'ended'"
    return next(iter(read_submissions(tables, where, repository, plan)), None)


def find_last(tables: Tables, repository: str, plan: str) -> Submission | None:
    """The submission of a plan that came last, ended or not."""
    where = "WHERE repository = ? AND plan = ? ORDER BY submitted DESC, id DESC LIMIT 1"
    return next(iter(read_submissions(tables, where, repository, plan)), None)


def find_schedule(tables: Tables, repository: str, plan: str) -> ScheduleRow | None:
    """The schedule of a plan that is not ended."""
    where = "WHERE repository = ? AND plan = ? AND state <> 'ended'"
    return next(iter(read_schedules(tables, where, repository, plan)), None)


def add_submission(tables: Tables, row: Submission) -> bool:
    """Add a row; one whose id is there already is not added again."""
    return _add(tables, "submissions", SUBMISSION, row)


def add_schedule(tables: Tables, row: ScheduleRow) -> bool:
    """The same for a schedule."""
    return _add(tables, "schedules", SCHEDULE, row)


def change_submission(tables: Tables, old: Submission, new: Submission) -> Submission:
    """Write what is different, inside an exclusive block in which `old` was read."""
    _change(tables, "submissions", SUBMISSION, old, new)
    return new


def change_schedule(tables: Tables, old: ScheduleRow, new: ScheduleRow) -> ScheduleRow:
    """The same for a schedule."""
    _change(tables, "schedules", SCHEDULE, old, new)
    return new


def scope(tables: Tables) -> tuple[str, tuple[object, ...]]:
    """A condition for the rows that are meant, and its values: of a team, those of the one repository, if one is."""
    return (" AND repository = ?", (tables.repository,)) if tables.is_shared and tables.repository else ("", ())


def open_rows(tables: Tables, plan: str | None) -> tuple[str, tuple[object, ...]]:
    """A WHERE for what is not ended, of a plan or of all, and its values."""
    where, values = scope(tables)
    named: tuple[object, ...] = (plan,) if plan is not None else ()
    return f"WHERE state <> '{ENDED}'{' AND plan = ?' if named else ''}{where}", (*named, *values)


def name_new() -> str:
    """An id for a new row."""
    return new_id()


def _fields(names: tuple[str, ...], row: tuple[Any, ...]) -> dict[str, Any]:
    found = dict(zip(names, row, strict=True))
    return {**found, "wish": decode_wish(found["wish"])}


def _cell(row: object, name: str) -> object:
    found = getattr(row, name)
    return encode_wish(found) if isinstance(found, Wish) else found


def _add(tables: Tables, table: str, names: tuple[str, ...], row: object) -> bool:
    marks = ", ".join("?" * len(names))
    sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks}) ON CONFLICT (id) DO NOTHING"
    return tables.change(sql, *(_cell(row, name) for name in names)) > 0


def _change(tables: Tables, table: str, names: tuple[str, ...], old: object, new: object) -> None:
    changed = [name for name in names if getattr(old, name) != getattr(new, name)]
    if changed:
        sets = ", ".join(f"{name} = ?" for name in changed)
        values = [_cell(new, name) for name in changed]
        tables.change(f"UPDATE {table} SET {sets} WHERE id = ?", *values, _cell(old, "id"))
