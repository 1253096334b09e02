"""Rows of queue and schedules in a shared database: each statement borrows a connection, `exclusive` keeps one."""

import contextlib
from collections.abc import Iterator
from types import TracebackType
from typing import Any

from planrail.store.failures import too_new
from planrail.store.postgres.connections import CHANNEL, PATIENCE, Link, attempt, borrow, translate
from planrail.store.postgres.locks import QUEUE
from planrail.store.postgres.migrations import VERSION, read_version
from planrail.store.team import hide_password


class PgTables:
    """Rows that several machines share. One thread at a time uses an instance."""

    is_shared = True

    def __init__(self, url: str, repository: str, patience: float = PATIENCE) -> None:
        self.repository = repository
        self._url, self._patience = url, patience
        self._held: Link | None = None

    def __enter__(self) -> "PgTables":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is kept between two steps."""

    def now(self) -> float:
        """The time by the server's clock."""
        return float(self.rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds. A question may be asked twice, and is where the connection is lost.

        A statement that changes and returns rows belongs into `exclusive`."""

        def ask(connection: Link) -> list[tuple[Any, ...]]:
            return connection.execute(translate(sql), values).fetchall()

        return ask(self._held) if self._held is not None else attempt(self._url, ask, patience=self._patience)

    def change(self, sql: str, *values: object) -> int:
        """Change rows, and say how many were."""
        with self._connection() as connection:
            return connection.execute(translate(sql), values).rowcount

    def refuse_newer(self) -> None:
        """Raise `ToolFailed` where a newer planrail has brought the database to a version that is not known here."""
        with self._connection() as connection:
            version = read_version(connection)
        if version > VERSION:
            raise too_new(hide_password(self._url), version, VERSION)

    def nudge(self, sql: str, *values: object) -> int:
        """The same for a sign of life, which may be lost in a crash: nobody waits for the disk."""
        if self._held is not None:
            return self.change(sql, *values)
        with borrow(self._url, patience=self._patience) as connection, connection.transaction():
            connection.execute("SET LOCAL synchronous_commit TO off")
            return connection.execute(translate(sql), values).rowcount

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """One writer at a time; one inside another is part of it, and an error undoes all of it."""
        if self._held is not None:
            yield
            return
        with borrow(self._url, patience=self._patience) as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (QUEUE,))
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    def notify(self, word: str = "queue") -> None:
        """Wake the workers once this is committed."""
        self.change("SELECT pg_notify(?, ?)", CHANNEL, word)

    @contextlib.contextmanager
    def _connection(self) -> Iterator[Link]:
        if self._held is not None:
            yield self._held
            return
        with borrow(self._url, patience=self._patience) as connection:
            yield connection
