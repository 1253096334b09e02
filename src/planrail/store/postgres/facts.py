"""The ledger of a team: the same facts and texts as the embedded one, in the shared database.

Who adds a fact takes the lock of the repository first, so that the order of their numbers is the order in which they
were added, on whichever machine.
"""

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager

from planrail.store.fact_rows import Ledger
from planrail.store.facts import Fact, new_id, restore_fact
from planrail.store.places import count_waiting, ledger_folder
from planrail.store.postgres.connections import PATIENCE, translate
from planrail.store.postgres.names import facts_lock
from planrail.store.postgres.tables import PgTables
from planrail.store.spool import take_spool
from planrail.store.tables import opening, writing
from planrail.store.team import Team, mark_team

_ADD = b"SELECT seq, id, kind, plan, at, value FROM add_fact(%s, %s, %s, %s, %s, %s, %s)"


def open_team_ledger(team: Team, root: str | None) -> "PgLedger":
    """The ledger of a team, with what waited in the local spool of the repository taken in."""
    folder, ledger = ledger_folder(root), PgLedger(team)
    with writing(folder):
        mark_team(root)
        if count_waiting(folder):
            ledger.has_facts()  # who adds to the spool waits for who takes it, and may be a hook: so it waits before
            with opening(folder):
                take_spool(folder, PgLedger(team, patience=0.0).take_in)
    return ledger


class PgLedger(PgTables, Ledger):
    """An open ledger in a shared database. What it writes may be written twice: by its id or hash it is there once."""

    def __init__(self, team: Team, *, patience: float = PATIENCE) -> None:
        super().__init__(team.url, team.repository, patience)

    def add(self, kind: str, plan: str, value: Mapping[str, object], *, id: str | None = None, at: int) -> Fact:
        return self._insert(Fact(0, id or new_id(), kind, plan, at, value))

    def change(self, sql: str, *values: object) -> int:
        return self._repeat(lambda link: link.execute(translate(sql), values).rowcount)

    def has_facts(self) -> bool:
        """Whether anything was ever recorded for the repository."""
        return bool(self.rows("SELECT 1 FROM facts WHERE repository = ? LIMIT 1", self.repository))

    def exclusive(self) -> AbstractContextManager[None]:
        return self._holding(facts_lock(self.repository))

    def _insert(self, fact: Fact) -> Fact:
        given = (fact.id, fact.kind, fact.plan, fact.at, json.dumps(fact.value, ensure_ascii=True))
        values = (facts_lock(self.repository), self.repository, *given)
        return restore_fact(self._repeat(lambda link: link.execute(_ADD, values).fetchall())[0])

    def _find(self, **wanted: str | None) -> list[Fact]:
        return super()._find(repository=self.repository, **wanted)

    def _spell(self, text: str) -> bytes:
        return text.encode("utf-8", "surrogatepass")
