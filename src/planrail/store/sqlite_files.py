"""Opening the embedded ledger's file, with its tables brought to this version, and its transactions and errors."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from sqlite3 import Connection

from planrail.base.errors import ToolFailed
from planrail.store.failures import not_written, too_new, unreadable
from planrail.store.places import make_private
from planrail.store.schema import VERSION, migrate, read_version
from planrail.store.spool import count_waiting

NAME = "ledger.db"
_SECONDS = 60  # that a writer waits for the others
_FAILURES = ("disk", "full", "readonly", "locked", "unable to open", "I/O")  # of the place, not of what it holds


def open_database(folder: str) -> tuple[str, Connection]:
    """The path and an open connection of the ledger in a folder, which is made where it is missing."""
    path = os.path.join(folder, NAME)
    with writing(path), opening(folder):
        return path, connect(path)


def connect(path: str) -> Connection:
    """An open connection with the tables of this version. Who calls it has the folder's lock: `opening`."""
    connection = _connect(path)
    try:
        _prepare(path, connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def opening(folder: str) -> Iterator[None]:
    """One process at a time prepares a ledger: SQLite does not wait when several change to its log at once."""
    make_private(folder)
    descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """The disk's errors as errors that people can act on."""
    try:
        yield
    except OSError as error:
        raise not_written(path, error.strerror or str(error)) from error


@contextlib.contextmanager
def transaction(path: str, connection: Connection) -> Iterator[None]:
    """A transaction that writes; one inside another is part of it."""
    with explained(path):
        is_part = connection.in_transaction
        if is_part:
            yield
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """SQLite's errors as errors that people can act on."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise _failure(path, str(error)) from error


def _connect(path: str) -> Connection:
    import sqlite3

    with explained(path):
        connection = sqlite3.connect(path, timeout=_SECONDS, isolation_level=None)
    os.chmod(path, 0o600)
    return connection


def _prepare(path: str, connection: Connection) -> None:
    with explained(path):
        version = read_version(connection)
        if version > VERSION:
            raise too_new(path, version, VERSION)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if version < VERSION:
            migrate(connection)


def _failure(path: str, said: str) -> ToolFailed:
    if any(word in said for word in _FAILURES):
        return not_written(path, said)

    return unreadable(path, said, count_waiting(os.path.dirname(path)))
