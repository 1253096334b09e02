"""The ledger's database: facts are added in order and never changed; texts are kept under their hash.

Any number of processes may add at once. What `add` returned is on the disk; what `exclusive` encloses happens with
nobody between, so that of two who answer the same question one is the first.
"""

import contextlib
import fcntl
import hashlib
import json
import os

from planrail.errors import ToolFailed
from planrail.ledger.facts import Fact, new_id
from planrail.ledger.failures import not_written, too_new, unreadable
from planrail.ledger.places import ledger_folder, make_private
from planrail.ledger.spool import TEXT, count_waiting, take_spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from sqlite3 import Connection
    from types import TracebackType

NAME = "ledger.db"
_SECONDS = 60  # that a writer waits for the others
_FAILURES = ("disk", "full", "readonly", "locked", "unable to open", "I/O")  # of the place, not of what it holds


def open_ledger(root: str | None) -> "Ledger":
    """The ledger of a repository (None: of plans that lie in none), with what waited in the spool taken in."""
    return open_folder(ledger_folder(root))


def has_ledger(root: str | None) -> bool:
    """Whether anything was ever recorded there: who only looks makes no ledger."""
    folder = ledger_folder(root)
    return os.path.exists(os.path.join(folder, NAME)) or count_waiting(folder) > 0


def open_folder(folder: str) -> "Ledger":
    """The ledger in a folder, which is made where it is missing."""
    path = os.path.join(folder, NAME)
    try:
        make_private(folder)
        with _opening(folder):
            connection = _connect(path)
            try:
                _prepare(path, connection)
                ledger = Ledger(path, connection)
                take_spool(folder, ledger.take_in)
            except BaseException:
                connection.close()
                raise
    except OSError as error:
        raise not_written(path, error.strerror or str(error)) from error
    return ledger


class Ledger:
    """An open ledger; a context manager that closes it."""

    def __init__(self, path: str, connection: "Connection") -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        self._connection.close()

    def add(self, kind: str, plan: str, value: "Mapping[str, object]", *, id: str | None = None, at: int) -> Fact:
        """Add a fact. One whose id is there already is not added again: what is there is returned."""
        identity = id or new_id()
        with self._spoken_for():
            self._insert(Fact(0, identity, kind, plan, at, value))
            row = self._connection.execute("SELECT * FROM facts WHERE id = ?", (identity,)).fetchone()
        return _fact(row)

    def facts(self, kind: str | None = None, plan: str | None = None) -> list[Fact]:
        """The facts of a kind, of a plan, or all, in the order in which they were added."""
        query = "SELECT * FROM facts WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR plan = ?2) ORDER BY seq"
        with self._explained():
            return [_fact(row) for row in self._connection.execute(query, (kind, plan))]

    def keep_text(self, text: str) -> str:
        """Keep a text, and return the hash that it is found by."""
        name = _hash(text)
        with self._spoken_for():
            self._connection.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (name, text))
        return name

    def text(self, hash: str) -> str | None:
        """The text with a hash; None where it is not kept, or where what is kept is another text by now."""
        with self._explained():
            row = self._connection.execute("SELECT text FROM texts WHERE hash = ?", (hash,)).fetchone()
        return row[0] if row is not None and _hash(row[0]) == hash else None

    @contextlib.contextmanager
    def exclusive(self) -> "Iterator[None]":
        """Read and add as one step: nobody else adds anything meanwhile, and an error undoes all of it."""
        with self._spoken_for():
            yield

    def take_in(self, facts: list[Fact]) -> None:
        """Add facts that waited in the spool; those that were taken in before are known by their id."""
        with self._spoken_for():
            for fact in facts:
                if fact.kind == TEXT:
                    self.keep_text(str(fact.value.get("text")).encode("utf-8", "replace").decode())
                else:
                    self._insert(fact)

    def _insert(self, fact: Fact) -> None:
        value = json.dumps(fact.value, ensure_ascii=True)
        row = (fact.id, fact.kind, fact.plan, fact.at, value)
        self._connection.execute("INSERT OR IGNORE INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?)", row)

    @contextlib.contextmanager
    def _spoken_for(self) -> "Iterator[None]":
        """A transaction that writes; one inside another is part of it."""
        with self._explained():
            is_part = self._connection.in_transaction
            if is_part:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _explained(self) -> "contextlib.AbstractContextManager[None]":
        return _explained(self.path)


def _fact(row: tuple[int, str, str, str, int, str]) -> Fact:
    try:
        value = json.loads(row[5])
    except (ValueError, RecursionError):
        value = {}  # somebody else's hand: it says nothing
    return Fact(row[0], row[1], row[2], row[3], row[4], value if isinstance(value, dict) else {})


def _connect(path: str) -> "Connection":
    import sqlite3

    with _explained(path):
        connection = sqlite3.connect(path, timeout=_SECONDS, isolation_level=None)
    os.chmod(path, 0o600)
    return connection


def _prepare(path: str, connection: "Connection") -> None:
    from planrail.ledger.schema import VERSION, migrate, read_version

    with _explained(path):
        version = read_version(connection)
        if version > VERSION:
            raise too_new(path, version, VERSION)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if version < VERSION:
            migrate(connection)


@contextlib.contextmanager
def _opening(folder: str) -> "Iterator[None]":
    """One process at a time prepares a ledger: SQLite does not wait when several change to its log at once."""
    descriptor = os.open(os.path.join(folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _explained(path: str) -> "Iterator[None]":
    """SQLite's errors as errors that people can act on."""
    import sqlite3

    try:
        yield
    except sqlite3.Error as error:
        raise _failure(path, str(error)) from error


def _failure(path: str, said: str) -> ToolFailed:
    if any(word in said for word in _FAILURES):
        return not_written(path, said)
    return unreadable(path, said, count_waiting(os.path.dirname(path)))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
