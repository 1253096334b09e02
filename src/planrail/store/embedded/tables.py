"""Rows of queue, schedules and tasks in the embedded ledger."""

import contextlib
import time
from collections.abc import Iterator
from sqlite3 import Connection
from types import TracebackType
from typing import Any

from planrail.store.embedded.database import explained, transaction
from planrail.store.tables import QUEUE


class SqliteTables:
    """Rows in the embedded ledger."""

    is_shared = False
    repository = ""

    def __init__(self, path: str, connection: Connection) -> None:
        self._path = path
        self._connection = connection

    def __enter__(self) -> "SqliteTables":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def now(self) -> float:
        """The time of this machine."""
        return time.time()

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds."""
        with explained(self._path):
            return self._connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        """Change rows, and say how many were."""
        with explained(self._path):
            return self._connection.execute(sql, values).rowcount

    nudge = change

    def refuse_newer(self) -> None:
        """They are opened for each step, and looked at then."""

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """One writer at a time; one inside another is part of it, and an error undoes all of it."""
        with transaction(self._path, self._connection):
            yield

    def notify(self, word: str = QUEUE) -> None:
        """Nothing: on one machine the caller wakes the worker by its socket."""
