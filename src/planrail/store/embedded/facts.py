"""The ledger's database: facts are added in order and never changed; texts are kept under their hash.

Any number of processes may add at once. What `add` returned is on the disk; what `exclusive` encloses happens with
nobody between, so that of two who answer the same question one is the first.
"""

import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from sqlite3 import Connection
from typing import Self

from planrail.store.embedded.database import NAME, connect, explained, opening, transaction, writing
from planrail.store.facts import Fact, hash_text, new_id, restore_fact
from planrail.store.spool import TEXT, take_spool


def open_folder(folder: str) -> "Ledger":
    """The ledger in a folder, which is made where it is missing."""
    path = os.path.join(folder, NAME)
    with writing(path), opening(folder):
        ledger = Ledger(path, connect(path))
        try:
            take_spool(folder, ledger.take_in)
        except BaseException:
            ledger.close()
            raise
    return ledger


class Ledger:
    """An open ledger; a context manager that closes it."""

    def __init__(self, path: str, connection: Connection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; what was added is there."""
        self._connection.close()

    def add(self, kind: str, plan: str, value: Mapping[str, object], *, id: str | None = None, at: int) -> Fact:
        """Add a fact. One whose id is there already is not added again: what is there is returned."""
        identity = id or new_id()
        with self.exclusive():
            self._insert(Fact(0, identity, kind, plan, at, value))
            row = self._connection.execute("SELECT * FROM facts WHERE id = ?", (identity,)).fetchone()
        return restore_fact(row)

    def facts(self, kind: str | None = None, plan: str | None = None) -> list[Fact]:
        """The facts of a kind, of a plan, or all, in the order in which they were added."""
        query = "SELECT * FROM facts WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR plan = ?2) ORDER BY seq"
        with explained(self.path):
            return [restore_fact(row) for row in self._connection.execute(query, (kind, plan))]

    def keep_text(self, text: str) -> str:
        """Keep a text, and return the hash that it is found by."""
        name = hash_text(text)
        with self.exclusive():
            self._connection.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (name, _spelling(text)))
        return name

    def text(self, hash: str) -> str | None:
        """The text with a hash; None where it is not kept, or where what is kept is another text by now."""
        with explained(self.path):
            row = self._connection.execute("SELECT text FROM texts WHERE hash = ?", (hash,)).fetchone()
        kept = row[0] if row is not None else ""
        text = kept.decode("utf-8", "surrogatepass") if isinstance(kept, bytes) else kept
        return text if row is not None and hash_text(text) == hash else None

    def exclusive(self) -> AbstractContextManager[None]:
        """Read and add as one step: nobody else adds anything meanwhile, and an error undoes all of it."""
        return transaction(self.path, self._connection)

    def take_in(self, facts: list[Fact]) -> None:
        """Add facts that waited in the spool; those that were taken in before are known by their id."""
        with self.exclusive():
            for fact in facts:
                if fact.kind == TEXT:
                    self.keep_text(str(fact.value.get("text")).encode("utf-8", "replace").decode())
                else:
                    self._insert(fact)

    def _insert(self, fact: Fact) -> None:
        value = json.dumps(fact.value, ensure_ascii=True)
        row = (fact.id, fact.kind, fact.plan, fact.at, value)
        self._connection.execute("INSERT OR IGNORE INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?)", row)


def _spelling(text: str) -> str | bytes:
    """A text as SQLite can keep it: one with half a character in it, as its bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text
