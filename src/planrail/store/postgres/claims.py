"""Claims as rows that a team shares: each is leased until a time of the database's clock, and renewed by its owner.

Whoever changes one holds its lock for that transaction. A lease that has lapsed frees nothing by itself: the claim
stays its owner's until another one takes it, and then the fence tells them apart.
"""

import contextlib
import json
from collections.abc import Iterator
from functools import partial
from typing import TypeVar

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.store.claim_records import record_takeover
from planrail.store.claim_rules import (
    LEASE,
    Acquired,
    AlreadyYours,
    Claim,
    Damaged,
    HeldBy,
    NothingHeld,
    NotYours,
    ReasonMissing,
    Released,
    TakenOver,
    decide_acquire,
    decide_phase,
    decide_release,
    decide_takeover,
    from_json,
    has_earlier_name,
    is_fenced_out,
    to_json,
)
from planrail.store.ledger import open_ledger
from planrail.store.owners import is_alive_leased
from planrail.store.postgres.connections import PATIENCE, Link, attempt
from planrail.store.postgres.locks import lock_number
from planrail.store.postgres.names import to_column
from planrail.store.team import Team

Existing = Claim | Damaged | None
Won = Acquired | AlreadyYours | TakenOver
Decision = TypeVar("Decision")


_NOW = "extract(epoch FROM clock_timestamp())"
_WHERE = "WHERE repository = %s AND kind = %s AND name = %s"
_FENCES = lock_number("fences")

_READ = f"SELECT value, until <= {_NOW} FROM claims {_WHERE}"
_WRITE = f"""INSERT INTO claims (repository, kind, name, fence, value, until)
    VALUES (%s, %s, %s, %s, %s, {_NOW} + %s) ON CONFLICT (repository, kind, name)
    DO UPDATE SET fence = excluded.fence, value = excluded.value, until = excluded.until"""
# A renewal that a crash of the server loses is made good by the next one: nobody waits for its disk.
_RENEW = f"""SET LOCAL synchronous_commit TO off;
    UPDATE claims SET until = greatest(until, {_NOW} + %s) {_WHERE} AND fence = %s"""
# Above the time in milliseconds: also a database that was restored from an old copy gives no number twice.
_FENCE = f"""SELECT pg_advisory_xact_lock(%s);
    SELECT setval('fences', greatest(last_value + 1, ({_NOW} * 1000)::bigint)) FROM fences"""


@record
class _Found:
    """A claim that is there, and whether its owner counts as alive."""

    claim: Existing
    lives: bool


def acquire(team: Team, root: str | None, asked: Claim) -> Acquired | AlreadyYours | HeldBy | TakenOver:
    """See `store.claims.acquire`. The claim that is asked for gets its fence here."""

    def once(link: Link) -> Won | HeldBy:
        wanted = replace(asked, fence=_next_fence(link))
        with _changing(link, team, wanted):
            found = _find(link, team, wanted)
            decision = decide_acquire(found.claim, wanted, is_alive=found.lives)
            if isinstance(decision, HeldBy):
                return decision
            return _keep(link, team, root, decision, wanted, found.claim)

    return _made_known(root, attempt(team.url, once))


def takeover(
    team: Team, root: str | None, asked: Claim, reason: str
) -> Acquired | AlreadyYours | TakenOver | ReasonMissing:
    """See `store.claims.takeover`."""

    def once(link: Link) -> Won | ReasonMissing:
        wanted = replace(asked, fence=_next_fence(link))
        with _changing(link, team, wanted):
            found = _find(link, team, wanted)
            decision = decide_takeover(found.claim, wanted, is_alive=found.lives, reason=reason)
            if isinstance(decision, ReasonMissing):
                return decision
            return _keep(link, team, root, decision, wanted, found.claim)

    return _made_known(root, attempt(team.url, once))


def release(
    team: Team, kind: str, name: str, owner_id: str, *, fence: int | None = None
) -> Released | NothingHeld | NotYours:
    """See `store.claims.release`."""

    def once(link: Link) -> Released | NothingHeld | NotYours:
        with _locked(link, team, kind, name):
            decision = decide_release(_read(link, team, kind, name).claim, owner_id, fence)
            if isinstance(decision, Released):
                _remove(link, team, kind, name)
            return decision

    return attempt(team.url, once)


def set_phase(team: Team, kind: str, name: str, owner_id: str, phase: str) -> Claim | NothingHeld | NotYours:
    """See `store.claims.set_phase`."""

    def once(link: Link) -> Claim | NothingHeld | NotYours:
        with _locked(link, team, kind, name):
            decision = decide_phase(_read(link, team, kind, name).claim, owner_id, phase)
            if isinstance(decision, Claim):
                link.execute(f"UPDATE claims SET value = %s {_WHERE}", (_text(decision), *_key(team, kind, name)))
            return decision

    return attempt(team.url, once)


def holder(team: Team, kind: str, name: str) -> Claim | None:
    """Who holds it, dead or alive; None where nobody does."""
    found = attempt(team.url, partial(_read, team=team, kind=kind, name=name)).claim
    return found if isinstance(found, Claim) else None


def lives(team: Team, claim: Claim) -> bool:
    """Whether the owner of a claim counts as alive; one who has lost it does not."""
    found = attempt(team.url, partial(_read, team=team, kind=claim.kind, name=claim.name))
    return found.lives and not is_fenced_out(claim, found.claim)


def renew(team: Team, claim: Claim, *, patience: float = PATIENCE) -> bool:
    """Lease a claim anew, unless it was taken over. False: it was."""

    def once(link: Link) -> bool:
        cursor = link.execute(_RENEW, (LEASE, *_key(team, claim.kind, claim.name), claim.fence))
        cursor.nextset()
        return cursor.rowcount == 1

    return attempt(team.url, once, patience=patience)


def hold_for_good(team: Team, claim: Claim) -> bool:
    """Let a claim never lapse. False: it was taken over."""
    query = f"UPDATE claims SET until = 'Infinity' {_WHERE} AND fence = %s"
    values = (*_key(team, claim.kind, claim.name), claim.fence)
    return attempt(team.url, lambda link: link.execute(query, values).rowcount) == 1


def list_claims(team: Team) -> list[Claim]:
    """All claims of the repository, the oldest first."""
    return [claim for claim, _ in list_leases(team)]


def list_leases(team: Team, kind: str | None = None, name: str | None = None) -> list[tuple[Claim, bool]]:
    """The claims of the repository, of a kind, of a name, the oldest first; each with whether its lease has lapsed."""
    query, values = f"SELECT value, until <= {_NOW} FROM claims WHERE repository = %s", [team.repository]
    for column, wanted in (("kind", kind), ("name", name)):
        if wanted is not None:
            query, values = f"{query} AND {column} = %s", [*values, to_column(wanted)]
    rows = attempt(team.url, lambda link: link.execute(f"{query} ORDER BY fence", values).fetchall())
    found = [(_parse(value), is_lapsed) for value, is_lapsed in rows]
    return [(claim, is_lapsed) for claim, is_lapsed in found if isinstance(claim, Claim)]


def _find(link: Link, team: Team, wanted: Claim) -> _Found:
    """The claim that is there, if need be the one that was taken under a plan's path before the plan had an id."""
    found = _read(link, team, wanted.kind, wanted.name)
    if found.claim is None and has_earlier_name(wanted):
        earlier = _read(link, team, wanted.kind, wanted.path)
        return earlier if isinstance(earlier.claim, Claim) else _Found(None, False)
    return found


def _keep(link: Link, team: Team, root: str | None, decision: Won, wanted: Claim, existing: Existing) -> Won:
    """Write down what was decided: first the record, then the claim itself, which makes it so."""
    decision = replace(decision, claim=replace(decision.claim, name=wanted.name, path=wanted.path))
    if isinstance(decision, TakenOver):
        record_takeover(root, decision, wanted.started_at)
        reach("claim.takeover_recorded")
    if isinstance(existing, Claim) and existing.name != wanted.name:
        _remove(link, team, existing.kind, existing.name)
    claim = decision.claim
    link.execute(_WRITE, (*_key(team, claim.kind, claim.name), claim.fence, _text(claim), LEASE))
    return decision


def _made_known(root: str | None, decision: Decision) -> Decision:
    """Have a takeover taken in from the spool, so that the whole team sees it; else with whoever opens it next."""
    if isinstance(decision, TakenOver):
        with contextlib.suppress(PlanrailError), open_ledger(root):
            pass
    return decision


def _next_fence(link: Link) -> int:
    """A number that is greater than every one that was ever given."""
    cursor = link.execute(_FENCE, (_FENCES,))
    cursor.nextset()
    row = cursor.fetchone()
    assert row is not None
    return int(row[0])


def _read(link: Link, team: Team, kind: str, name: str) -> _Found:
    row = link.execute(_READ, _key(team, kind, name)).fetchone()
    claim = _parse(row[0]) if row is not None else None
    if row is None or not isinstance(claim, Claim):
        return _Found(claim, False)
    return _Found(claim, is_alive_leased(claim.owner, is_lapsed=bool(row[1])))


def _parse(value: str) -> Claim | Damaged:
    try:
        return from_json(json.loads(value))
    except (ValueError, RecursionError) as error:
        return Damaged(str(error))


def _remove(link: Link, team: Team, kind: str, name: str) -> None:
    link.execute(f"DELETE FROM claims {_WHERE}", _key(team, kind, name))


def _changing(link: Link, team: Team, wanted: Claim) -> contextlib.AbstractContextManager[None]:
    names = (wanted.name, wanted.path) if has_earlier_name(wanted) else (wanted.name,)
    return _locked(link, team, wanted.kind, *names)


@contextlib.contextmanager
def _locked(link: Link, team: Team, kind: str, *names: str) -> Iterator[None]:
    """A transaction in which nobody else acquires or releases these, nor renews the one that is there."""
    with link.transaction():
        for number in sorted(lock_number("claim", team.repository, kind, name) for name in names):
            link.execute("SELECT pg_advisory_xact_lock(%s)", (number,))
        for name in names:
            link.execute(f"SELECT 1 FROM claims {_WHERE} FOR UPDATE", _key(team, kind, name))
        yield


def _key(team: Team, kind: str, name: str) -> tuple[str, str, str]:
    return team.repository, to_column(kind), to_column(name)


def _text(claim: Claim) -> str:
    return json.dumps(to_json(claim))
