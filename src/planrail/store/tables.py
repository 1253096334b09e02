"""The embedded ledger: one SQLite file with facts (`fact_rows`), and the rows of queue, schedules and tasks.

A team's PostgreSQL has the same classes, with another connection below them (`postgres.tables`): SQL is written once,
in the dialect that both know, with `?` for values.
"""

import contextlib
import os
import time
from collections.abc import Collection, Iterator

from planrail.store.failures import not_written, too_new, unreadable
from planrail.store.places import LEDGER, count_waiting, locked, make_private
from planrail.store.row_schema import QUEUE_TABLES, TASK_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from typing import Any, Self

_AT_ONCE = 500  # values of a statement
_SECONDS = 60  # that a writer waits for the others
_FAILURES = ("disk", "full", "readonly", "locked", "unable to open", "I/O")  # of the place, not of what it holds

# Nothing is ever changed here: a mistake in an approval is answered by a further fact. What goes, goes by `pruning`.
_FIRST = """
CREATE TABLE facts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    plan TEXT NOT NULL,
    at INTEGER NOT NULL,
    value TEXT NOT NULL
);
CREATE INDEX facts_by_plan ON facts (plan, kind);
CREATE TABLE texts (hash TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER facts_stay BEFORE UPDATE ON facts BEGIN SELECT RAISE(ABORT, 'facts are never changed'); END;
CREATE TRIGGER facts_remain BEFORE DELETE ON facts BEGIN SELECT RAISE(ABORT, 'facts are never removed'); END;
CREATE TRIGGER texts_stay BEFORE UPDATE ON texts BEGIN SELECT RAISE(ABORT, 'texts are never changed'); END;
"""
# The row of `pruning` is there inside of the transaction that prunes, and nobody else ever sees it.
_PRUNING = """
CREATE TABLE pruning (one INTEGER PRIMARY KEY CHECK (one = 1));
DROP TRIGGER facts_remain;
CREATE TRIGGER facts_remain BEFORE DELETE ON facts WHEN NOT EXISTS (SELECT 1 FROM pruning)
    BEGIN SELECT RAISE(ABORT, 'facts are never removed'); END;
CREATE TRIGGER texts_remain BEFORE DELETE ON texts WHEN NOT EXISTS (SELECT 1 FROM pruning)
    BEGIN SELECT RAISE(ABORT, 'texts are never removed'); END;
"""
MIGRATIONS = (_FIRST, QUEUE_TABLES, TASK_TABLES, _PRUNING)
VERSION = len(MIGRATIONS)


class Tables:
    """Rows of a repository; a context manager that closes them."""

    is_shared = False  # whether other machines have the same rows
    repository = ""  # whose rows are meant; "" embedded, and for all of them

    def __init__(self, path: str, connection: "Connection") -> None:
        self.path = path
        self._connection = connection
        self._has_news = False
        self.knock: Callable[[], object] | None = None  # wakes the workers of this machine

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; what was written is there."""
        self._connection.close()

    def now(self) -> float:
        """The time by the database's clock."""
        return time.time()

    def rows(self, sql: str, *values: object) -> "list[tuple[Any, ...]]":
        with _explained(self.path):
            return self._connection.execute(sql, values).fetchall()

    def change(self, sql: str, *values: object) -> int:
        with _explained(self.path):
            return self._connection.execute(sql, values).rowcount

    def change_listed(self, sql: str, listed: Collection[str], *values: object) -> int:
        """The same for a list of any length, whose place in the statement is `{}`; `values` come after it."""
        every = list(listed)
        parts = [every[at : at + _AT_ONCE] for at in range(0, len(every), _AT_ONCE)]
        return sum(self.change(sql.format(", ".join("?" * len(part))), *part, *values) for part in parts)

    def nudge(self, sql: str, *values: object) -> int:
        """The same for a sign of life, which may be lost in a crash: the next one makes it good."""
        return self.change(sql, *values)

    def refuse_newer(self) -> None:
        """Raise `ToolFailed` where a newer planrail has changed the tables since they were opened.

        These are opened for each step, and looked at then.
        """

    @contextlib.contextmanager
    def exclusive(self) -> Iterator[None]:
        """One writer at a time; one inside another is part of it, and an error undoes all of it."""
        with _explained(self.path):
            is_part = self._connection.in_transaction
            if is_part:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            self._has_news = False
            try:
                yield
                self._connection.execute("COMMIT")
                if self._has_news and self.knock is not None:
                    self.knock()
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def judge_at(self) -> float:
        """The time by which leases are judged, by the same clock; 0, before all leases, while none may be judged."""
        return self.now()

    def note_contact(self) -> None:
        """Say that this process reaches the database: see `judge_at`. A file is always reached."""

    def wake(self, worker: str) -> None:
        """Wake a worker once this is committed; here all of this machine."""
        self._has_news = True


def open_file(folder: str) -> Tables:
    """The rows of the ledger in a folder, which is made where it is missing."""
    path = os.path.join(folder, LEDGER)
    with writing(path), opening(folder):
        return Tables(path, connect(path))


def open_empty() -> Tables:
    """The rows of a ledger that is not there: none is found, and none can be added."""
    import sqlite3

    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    connection.execute("PRAGMA query_only = ON")
    return Tables(":memory:", connection)


def migrate(connection: "Connection") -> None:
    """Bring a database to this version; each step whole or not at all."""
    for number in range(_read_version(connection), VERSION):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{MIGRATIONS[number]}\nPRAGMA user_version = {number + 1};\nCOMMIT;"
        )


@contextlib.contextmanager
def opening(folder: str) -> "Iterator[None]":
    """One process at a time prepares a ledger: SQLite does not wait when several change to its log at once."""
    make_private(folder)
    with locked(os.path.join(folder, ".lock")):
        yield


@contextlib.contextmanager
def writing(path: str) -> "Iterator[None]":
    """The disk's errors as errors that people can act on."""
    try:
        yield
    except OSError as error:
        raise not_written(path, error.strerror or str(error)) from error


def connect(path: str) -> "Connection":
    """An open connection with the tables of this version. The caller has the folder's lock: `opening`."""
    import sqlite3

    with _explained(path):
        connection = sqlite3.connect(path, timeout=_SECONDS, isolation_level=None)
        try:
            os.chmod(path, 0o600)
            version = _read_version(connection)
            if version > VERSION:
                raise too_new(path, version, VERSION)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if version < VERSION:
                migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def _explained(path: str) -> "Iterator[None]":
    """SQLite's errors as errors that people can act on."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        if any(word in str(error) for word in _FAILURES):
            raise not_written(path, str(error)) from error
        raise unreadable(path, str(error), count_waiting(os.path.dirname(path))) from error


def _read_version(connection: "Connection") -> int:
    """The version that a database has; 0 for a new one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version
