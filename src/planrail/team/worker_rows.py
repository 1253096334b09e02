"""The workers that serve a queue, as they show themselves in its database."""

from planrail.base.records import replace
from planrail.store.tables import Tables
from planrail.team.queueing import WorkerRow

_DAY = 86_400.0  # seconds
_COLUMNS = tuple(WorkerRow.__slots__)  # type: ignore[attr-defined]
_SAVE = f"""
    INSERT INTO workers ({", ".join(_COLUMNS)}) VALUES ({", ".join("?" * len(_COLUMNS))})
    ON CONFLICT (id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])}
"""


def save_worker(tables: Tables, worker: WorkerRow) -> WorkerRow:
    """Show a worker; it is seen now, by the clock of the database."""
    seen = replace(worker, seen=tables.now())
    tables.nudge(_SAVE, *(getattr(seen, name) for name in _COLUMNS))  # one statement: it needs no lock
    return seen


def list_workers(tables: Tables) -> list[WorkerRow]:
    """All workers that did not say goodbye, also those that have fallen silent."""
    return [WorkerRow(*row) for row in tables.rows(f"SELECT {', '.join(_COLUMNS)} FROM workers ORDER BY host, id")]


def drop_silent(tables: Tables) -> None:
    """Forget the workers that have given no sign of life for a day."""
    tables.nudge("DELETE FROM workers WHERE seen < ?", tables.now() - _DAY)


def drop_worker(tables: Tables, id: str) -> None:
    """A worker has ended, or is known to be dead."""
    tables.change("DELETE FROM workers WHERE id = ?", id)
