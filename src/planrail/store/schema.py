"""The tables of the ledger, as numbered migrations: each takes the database from one version to the next."""

from sqlite3 import Connection

from planrail.store.queue_schema import QUEUE_TABLES
from planrail.store.task_schema import TASK_TABLES

# Nothing is ever changed or removed here: a mistake in an approval is answered by a further fact.
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
MIGRATIONS = (_FIRST, QUEUE_TABLES, TASK_TABLES)
VERSION = len(MIGRATIONS)


def read_version(connection: Connection) -> int:
    """The version that a database has; 0 for a new one."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def migrate(connection: Connection) -> None:
    """Bring a database to this version; each step whole or not at all."""
    for number in range(read_version(connection), VERSION):
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{MIGRATIONS[number]}\nPRAGMA user_version = {number + 1};\nCOMMIT;"
        )
