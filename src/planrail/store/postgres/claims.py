"""Claims as rows that a team shares: each is leased until a time of the database's clock, and renewed by its owner.

A process that changes one locks it for that transaction. A lease that has lapsed frees nothing by itself: the claim
stays its owner's until another one takes it, and then the fence tells them apart.
"""

import contextlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from planrail.base.errors import PlanrailError
from planrail.store import claim_rules as rules
from planrail.store.claims import ClaimPlace, Claims, Found
from planrail.store.owners import is_alive, is_alive_leased
from planrail.store.postgres.connections import PATIENCE, Link, ask, attempt, close_idle
from planrail.store.postgres.contact import LAPSED, NOW, SILENT, UNBROKEN
from planrail.store.postgres.names import lock_number, to_column
from planrail.store.postgres.tables import PgTables, open_team_ledger
from planrail.store.signs import give_sign, giving_signs, name_signer
from planrail.store.team import Team

T = TypeVar("T")

_WHERE = "WHERE repository = %s AND kind = %s AND name = %s"
_FENCES = lock_number("fences")

_READ = f"SELECT value, {LAPSED}, {SILENT} FROM claims c {_WHERE}"
_WRITE = f"""INSERT INTO claims (repository, kind, name, fence, value, signer, until)
    VALUES (%s, %s, %s, %s, %s, %s, {NOW} + %s) ON CONFLICT (repository, kind, name)
    DO UPDATE SET fence = excluded.fence, value = excluded.value, signer = excluded.signer, until = excluded.until"""
# A renewal that a crash of the server loses is made good by the next one: nobody waits for its disk.
_RENEW = f"""SET LOCAL synchronous_commit TO off;
    UPDATE claims SET until = greatest(until, {NOW} + %s) {_WHERE} AND fence = %s"""
# Above the time in milliseconds: also a database that was restored from an old copy gives no number twice.
_FENCE = f"""SELECT pg_advisory_xact_lock(%s);
    SELECT setval('fences', greatest(last_value + 1, ({NOW} * 1000)::bigint)) FROM fences"""
_LOG = logging.getLogger(__name__)  # a warning reaches standard error, unless the program does otherwise


class RowClaims(Claims):
    """The claims that a team has of a repository."""

    def __init__(self, team: Team, root: str | None) -> None:
        super().__init__(root)
        self._team = team

    def acquire(
        self, kind: str, name: str, owner: rules.Owner, at: int, *, path: str = ""
    ) -> rules.Acquired | rules.AlreadyYours | rules.HeldBy | rules.TakenOver:
        earlier = Claims(self._root).holder(kind, name)
        if earlier is not None and is_alive(earlier.owner) and not rules.is_same_owner(earlier.owner, owner):
            return rules.HeldBy(earlier)  # from before there was a team: it keeps to the files until it has ended
        taken = super().acquire(kind, name, owner, at, path=path)
        end = time.monotonic() + UNBROKEN + rules.BEAT
        if isinstance(taken, rules.HeldBy) and self._is_in_doubt(taken.claim):
            text = "planrail: the process that has %s gives no sign of life; waiting %.0f s for one"
            _LOG.warning(text, path or name, UNBROKEN)
        while isinstance(taken, rules.HeldBy) and self._is_in_doubt(taken.claim) and time.monotonic() < end:
            self._tables().note_contact()
            time.sleep(rules.BEAT)
            taken = super().acquire(kind, name, owner, at, path=path)
        return taken

    def lives(self, claim: rules.Claim) -> bool:
        found = self._look(claim.kind, claim.name)
        return found.lives and not rules.is_fenced_out(claim, found.claim)

    def renew(self, claim: rules.Claim, *, patience: float = PATIENCE) -> bool:
        def once(link: Link) -> bool:
            cursor = link.execute(_RENEW, (rules.LEASE, *_key(self._team, claim.kind, claim.name), claim.fence))
            cursor.nextset()
            return cursor.rowcount == 1

        return attempt(self._team.url, once, patience=patience)

    def hold_for_good(self, claim: rules.Claim) -> bool:
        query = f"UPDATE claims SET until = 'Infinity' {_WHERE} AND fence = %s RETURNING 1"
        return bool(ask(self._team.url, query, *_key(self._team, claim.kind, claim.name), claim.fence))

    def list_leases(self, kind: str | None = None, name: str | None = None) -> list[tuple[rules.Claim, bool]]:
        query, values = f"SELECT value, {SILENT} FROM claims c WHERE repository = %s", [self._team.repository]
        for column, wanted in (("kind", kind), ("name", name)):
            if wanted is not None:
                query, values = f"{query} AND {column} = %s", [*values, to_column(wanted)]
        rows = ask(self._team.url, f"{query} ORDER BY fence", *values)
        return [(found.claim, found.lives) for found in map(_restore, rows) if isinstance(found.claim, rules.Claim)]

    def keep_alive(self, beat: float = rules.BEAT) -> contextlib.AbstractContextManager[None]:
        return giving_signs(lambda: give_sign(self._tables(beat)), beat, close_idle)

    def _is_in_doubt(self, claim: rules.Claim) -> bool:
        """Whether it gives no signs, and may not be taken over for that yet: perhaps nobody could give any."""
        rows = ask(self._team.url, _READ, *_key(self._team, claim.kind, claim.name))
        return any(is_silent and not is_lapsed for _, is_lapsed, is_silent in rows)

    def _tables(self, patience: float | None = None) -> PgTables:
        return PgTables(self._team.url, self._team.repository, patience)

    def _look(self, kind: str, name: str) -> Found:
        rows = ask(self._team.url, _READ, *_key(self._team, kind, name))
        return _restore((rows[0][0], rows[0][2])) if rows else Found(None)

    def _change(self, kind: str, names: Sequence[str], work: Callable[[ClaimPlace], T], *, is_new: bool = False) -> T:
        def once(link: Link) -> T:
            fence = 0
            if is_new:  # a number that is greater than every one that was ever given
                cursor = link.execute(_FENCE, (_FENCES,))
                cursor.nextset()
                fence = int(cursor.fetchall()[0][0])
            with link.transaction():  # nobody else acquires or releases these, nor renews the one that is there
                for number in sorted(lock_number("claim", self._team.repository, kind, name) for name in names):
                    link.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
                for name in names:
                    link.execute(f"SELECT 1 FROM claims {_WHERE} FOR UPDATE", _key(self._team, kind, name))
                return work(_Rows(link, self._team, fence))

        decision = attempt(self._team.url, once)
        if isinstance(decision, rules.TakenOver):  # the team sees it now, else when the ledger is opened next
            with contextlib.suppress(PlanrailError), open_team_ledger(self._team, self._root):
                pass
        return decision


class _Rows(ClaimPlace):
    """The rows, by a connection that is in a transaction where they are changed."""

    def __init__(self, link: Link, team: Team, fence: int = 0) -> None:
        self._link, self._team, self.fence = link, team, fence

    def read(self, kind: str, name: str) -> Found:
        row = self._link.execute(_READ, _key(self._team, kind, name)).fetchone()
        return _restore(row[:2]) if row is not None else Found(None)

    def reserve(self, fence: int) -> None:
        """The sequence has seen to it."""

    def write(self, claim: rules.Claim) -> None:
        key, text = _key(self._team, claim.kind, claim.name), json.dumps(rules.to_json(claim))
        self._link.execute(_WRITE, (*key, claim.fence, text, name_signer(), rules.LEASE))

    def rewrite(self, claim: rules.Claim) -> None:
        key = _key(self._team, claim.kind, claim.name)
        self._link.execute(f"UPDATE claims SET value = %s {_WHERE}", (json.dumps(rules.to_json(claim)), *key))

    def remove(self, kind: str, name: str) -> None:
        self._link.execute(f"DELETE FROM claims {_WHERE}", _key(self._team, kind, name))


def _restore(row: Sequence[object]) -> Found:
    """The claim of a row: its value, and whether its lease has lapsed."""
    claim: rules.Claim | rules.Damaged
    try:
        claim = rules.from_json(json.loads(str(row[0])))
    except (ValueError, RecursionError) as error:
        claim = rules.Damaged(str(error))
    return Found(claim, isinstance(claim, rules.Claim) and is_alive_leased(claim.owner, is_lapsed=bool(row[1])))


def _key(team: Team, kind: str, name: str) -> tuple[str, str, str]:
    return team.repository, to_column(kind), to_column(name)
