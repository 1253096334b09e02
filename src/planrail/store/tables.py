"""The port between those who write SQL for queue and schedules, and the two databases that it runs on.

SQL is written once, in the dialect that both know, with `?` for values. Embedded it goes to the repository's own
ledger; with a team it goes to the shared database.
"""

import contextlib
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from sqlite3 import Connection
from types import TracebackType
from typing import Any, Protocol, Self

from planrail.store.places import ledger_folder
from planrail.store.sqlite_files import explained, open_database, transaction
from planrail.store.team import find_team

QUEUE, STOP = "queue", "stop"  # what has changed


class Tables(Protocol):
    """Rows of a queue; a context manager that closes them."""

    @property
    def repository(self) -> str:
        """The repository whose rows are meant; "" embedded, and for all of them."""

    @property
    def is_shared(self) -> bool:
        """Whether other machines have the same rows."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def now(self) -> float:
        """The time by the database's clock."""

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds."""

    def change(self, sql: str, *values: object) -> int:
        """Change rows, and say how many were."""

    def refuse_newer(self) -> None:
        """Raise `ToolFailed` where a newer planrail has changed the tables since they were opened."""

    def nudge(self, sql: str, *values: object) -> int:
        """The same for a sign of life, which may be lost in a crash: the next one makes it good."""

    def exclusive(self) -> AbstractContextManager[None]:
        """One writer at a time; one inside another is part of it, and an error undoes all of it."""

    def notify(self, word: str = QUEUE) -> None:
        """Wake the workers once this is committed: with `STOP` also those that have no room."""


def open_tables(root: str | None) -> Tables:
    """The rows of a repository: in its own ledger, or in the shared database under the repository's name."""
    team = find_team(root)
    if team is not None:
        return open_team_tables(team.url, team.repository)
    folder = ledger_folder(root)
    return SqliteTables(*open_database(folder))


def open_team_tables(url: str, repository: str = "", patience: float | None = None) -> Tables:
    """The rows of a shared database; without a repository all of them, as workers see it.

    `patience` says for how many seconds a database that is away is waited for.
    """
    from planrail.store.postgres.tables import PgTables

    return PgTables(url, repository) if patience is None else PgTables(url, repository, patience)


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
