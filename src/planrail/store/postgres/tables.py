"""Rows of queue and tasks in a shared database: each statement borrows a connection, `exclusive` keeps one."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from planrail.store.addresses import hide_password
from planrail.store.failures import too_new
from planrail.store.postgres.connections import CHANNEL, PATIENCE, Link, attempt, borrow, translate
from planrail.store.postgres.migrations import VERSION, read_version
from planrail.store.postgres.names import QUEUE
from planrail.store.tables import Tables

T = TypeVar("T")


class PgTables(Tables):
    """Rows that several machines share, alone or as one. One thread at a time uses an instance."""

    is_shared = True

    def __init__(self, url: str, repository: str, patience: float = PATIENCE) -> None:
        self._url, self.repository, self._patience = url, repository, patience
        self.path = hide_password(url)
        self._held: Link | None = None

    def close(self) -> None:
        """Nothing is kept between two steps."""

    def now(self) -> float:
        return float(self.rows("SELECT extract(epoch FROM clock_timestamp())")[0][0])

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a question finds. A question may be asked twice, and is where the connection is lost.

        A statement that changes and returns rows belongs into `exclusive`."""
        return self._repeat(lambda link: link.execute(translate(sql), values).fetchall())

    def change(self, sql: str, *values: object) -> int:
        return self._once(lambda link: link.execute(translate(sql), values).rowcount)

    def refuse_newer(self) -> None:
        version = self._once(read_version)
        if version > VERSION:
            raise too_new(self.path, version, VERSION)

    def nudge(self, sql: str, *values: object) -> int:
        if self._held is not None:
            return self.change(sql, *values)
        with borrow(self._url, patience=self._patience) as connection, connection.transaction():
            connection.execute("SET LOCAL synchronous_commit TO off")
            return connection.execute(translate(sql), values).rowcount

    def exclusive(self) -> AbstractContextManager[None]:
        return self._holding(QUEUE)

    def notify(self, word: str = "queue") -> None:
        self.change("SELECT pg_notify(?, ?)", CHANNEL, word)

    @contextlib.contextmanager
    def _holding(self, lock: int) -> Iterator[None]:
        """A transaction with nobody else under this lock; one inside another is part of it."""
        if self._held is not None:
            yield
            return
        with borrow(self._url, patience=self._patience) as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
            self._held = connection
            try:
                yield
            finally:
                self._held = None

    def _repeat(self, work: Callable[[Link], T]) -> T:
        """Work that may be done twice: inside a transaction a part of it, else again where the connection is lost."""
        if self._held is not None:
            return work(self._held)
        return attempt(self._url, work, patience=self._patience)

    def _once(self, work: Callable[[Link], T]) -> T:
        if self._held is not None:
            return work(self._held)
        with borrow(self._url, patience=self._patience) as connection:
            return work(connection)
