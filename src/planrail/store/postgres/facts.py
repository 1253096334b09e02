"""The ledger of a team: the same facts and texts as the embedded one, in the shared database.

Who adds a fact takes the lock of the repository first, so that the order of their numbers is the order in which they
were added, on whichever machine.
"""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from planrail.store.addresses import hide_password
from planrail.store.embedded.database import opening, writing
from planrail.store.embedded.facts import Ledger
from planrail.store.facts import Fact, hash_text, new_id, restore_fact
from planrail.store.places import count_waiting, ledger_folder
from planrail.store.postgres.connections import PATIENCE, Link
from planrail.store.postgres.names import facts_lock
from planrail.store.postgres.tables import Session
from planrail.store.spool import take_spool
from planrail.store.team import Team, mark_team

_COLUMNS = "seq, id, kind, plan, at, value"
_ADD = f"SELECT {_COLUMNS} FROM add_fact(%s, %s, %s, %s, %s, %s, %s)".encode()


def open_team_ledger(team: Team, root: str | None) -> "PgLedger":
    """The ledger of a team, with what waited in the local spool of the repository taken in."""
    folder, ledger = ledger_folder(root), PgLedger(team)
    with writing(folder):
        mark_team(root)
        if count_waiting(folder):
            _take_spool(folder, ledger, PgLedger(team, patience=0.0))
    return ledger


def _take_spool(folder: str, patient: "PgLedger", hasty: "PgLedger") -> None:
    """Who adds to the spool waits for who takes it, and may be a hook: so the database is waited for before."""
    patient.has_facts()
    with opening(folder):
        take_spool(folder, hasty.take_in)


class PgLedger(Session, Ledger):
    """An open ledger in a shared database."""

    def __init__(self, team: Team, *, patience: float = PATIENCE) -> None:
        super().__init__(team.url, patience)
        self.path = hide_password(team.url)
        self._team = team

    def close(self) -> None:
        """Nothing is kept between two steps."""

    def add(self, kind: str, plan: str, value: Mapping[str, object], *, id: str | None = None, at: int) -> Fact:
        """It is asked again where the connection is lost: by its id it is added once."""
        fact = Fact(0, id or new_id(), kind, plan, at, value)
        return self._repeat(lambda connection: self._add(connection, fact))

    def facts(self, kind: str | None = None, plan: str | None = None) -> list[Fact]:
        wanted = {"repository": self._team.repository, "kind": kind, "plan": plan}
        named = {name: value for name, value in wanted.items() if value is not None}
        conditions = " AND ".join(f"{name} = %s" for name in named)
        query = f"SELECT {_COLUMNS} FROM facts WHERE {conditions} ORDER BY seq".encode()
        return [restore_fact(row) for row in self._rows(query, *named.values())]

    def keep_text(self, text: str) -> str:
        name, kept = hash_text(text), text.encode("utf-8", "surrogatepass")
        query = b"INSERT INTO texts VALUES (%s, %s) ON CONFLICT DO NOTHING"
        self._repeat(lambda connection: connection.execute(query, (name, kept)))
        return name

    def text(self, hash: str) -> str | None:
        rows = self._rows(b"SELECT text FROM texts WHERE hash = %s", hash)
        text = bytes(rows[0][0]).decode("utf-8", "surrogatepass") if rows else ""
        return text if rows and hash_text(text) == hash else None

    def has_facts(self) -> bool:
        """Whether anything was ever recorded for the repository."""
        return bool(self._rows(b"SELECT 1 FROM facts WHERE repository = %s LIMIT 1", self._team.repository))

    def exclusive(self) -> AbstractContextManager[None]:
        return self._holding(facts_lock(self._team.repository))

    def _insert(self, fact: Fact) -> None:
        self._repeat(lambda connection: self._add(connection, fact))

    def _add(self, connection: Link, fact: Fact) -> Fact:
        value = json.dumps(fact.value, ensure_ascii=True)
        door, name = facts_lock(self._team.repository), self._team.repository
        row = connection.execute(_ADD, (door, name, fact.id, fact.kind, fact.plan, fact.at, value)).fetchone()
        assert row is not None
        return restore_fact(row)

    def _rows(self, query: bytes, *values: object) -> list[tuple[Any, ...]]:
        return self._repeat(lambda connection: connection.execute(query, values).fetchall())
