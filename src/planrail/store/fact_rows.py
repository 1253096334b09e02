"""Facts and texts as rows: facts are added in order and never changed; texts are kept under their hash.

Any number of processes may add at once. What `add` returned is on the disk; what `exclusive` encloses happens with
nobody between, so that of two processes that answer the same question one is the first.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping

from planrail.base.errors import PlanrailError
from planrail.store.facts import Fact, hash_text, new_id, restore_fact
from planrail.store.places import LEDGER
from planrail.store.spool import TEXT, take_spool
from planrail.store.tables import Tables, connect, opening, writing


def open_folder(folder: str) -> "Ledger":
    """The ledger in a folder, which is made where it is missing; what waited in the spool is taken in."""
    path = os.path.join(folder, LEDGER)
    with writing(path), opening(folder):
        ledger = Ledger(path, connect(path))
        try:
            take_spool(folder, ledger.take_in)
        except BaseException:
            ledger.close()
            raise
    return ledger


class Ledger(Tables):
    """Facts and texts in the same file."""

    def add(self, kind: str, plan: str, value: Mapping[str, object], *, id: str | None = None, at: int) -> Fact:
        """Add a fact. One whose id is there already is not added again: what is there is returned."""
        fact = Fact(0, id or new_id(), kind, plan, at, value)
        with self.exclusive():
            return self._insert(fact)

    def facts(self, kind: str | None = None, plan: str | None = None) -> list[Fact]:
        """The facts of a kind, of a plan, or all, in the order in which they were added."""
        return self._find(kind=kind, plan=plan)

    def keep_text(self, text: str) -> str:
        """Keep a text, and return the hash that it is found by."""
        name = hash_text(text)
        self.change("INSERT INTO texts VALUES (?, ?) ON CONFLICT DO NOTHING", name, self._spell(text))
        return name

    def text(self, hash: str) -> str | None:
        """The text with a hash; None where it is not kept, or where what is kept is another text by now."""
        rows = self.rows("SELECT text FROM texts WHERE hash = ?", hash)
        kept = rows[0][0] if rows else ""
        text: str = kept if isinstance(kept, str) else bytes(kept).decode("utf-8", "surrogatepass")
        return text if rows and hash_text(text) == hash else None

    @contextlib.contextmanager
    def pruning(self) -> Iterator[None]:
        """`exclusive`, and facts and texts can be removed in it, which they can be nowhere else."""
        with self.exclusive():
            self.change("INSERT INTO pruning VALUES (1)")
            yield
            self.change("DELETE FROM pruning")

    def compact(self) -> None:
        """Give the disk back what removed rows had. It may be left out: what comes next takes that place."""
        with contextlib.suppress(PlanrailError):  # another process is at work in it
            self.change("VACUUM")

    def take_in(self, facts: list[Fact]) -> None:
        """Add facts that waited in the spool; those that were taken in before are known by their id."""
        with self.exclusive():
            for fact in facts:
                if fact.kind == TEXT:
                    self.keep_text(str(fact.value.get("text")).encode("utf-8", "replace").decode())
                else:
                    self._insert(fact)

    def _insert(self, fact: Fact) -> Fact:
        sql = "INSERT INTO facts (id, kind, plan, at, value) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        self.change(sql, fact.id, fact.kind, fact.plan, fact.at, json.dumps(fact.value, ensure_ascii=True))
        return self._find(id=fact.id)[0]

    def _find(self, **wanted: str | None) -> list[Fact]:
        named = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in named) or "1 = 1"
        sql = f"SELECT seq, id, kind, plan, at, value FROM facts WHERE {where} ORDER BY seq"
        return list(map(restore_fact, self.rows(sql, *named.values())))

    def _spell(self, text: str) -> str | bytes:
        """A text as SQLite can keep it: one with half a character in it, as its bytes."""
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-8", "surrogatepass")
        return text
