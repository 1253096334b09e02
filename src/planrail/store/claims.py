"""Claims: who holds a plan, an issue or a task. One door to two stores: files on one machine, rows that a team shares.

Rows are leased, since nobody can ask a process of another machine whether it lives: the owner renews its claim while
it works (`keep_alive`). Files need nothing of that, and every function here does for them what it did without leases.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence

from planrail.base.errors import PlanrailError
from planrail.store import claim_files
from planrail.store.claim_rules import (
    BEAT,
    LEASE,
    Acquired,
    AlreadyYours,
    Claim,
    HeldBy,
    NothingHeld,
    NotYours,
    Owner,
    ReasonMissing,
    Released,
    TakenOver,
    is_same_owner,
    want,
)
from planrail.store.owners import is_alive
from planrail.store.team import Team, find_team

__all__ = [
    "BEAT",
    "LEASE",
    "acquire",
    "hold_for_good",
    "holder",
    "keep_alive",
    "list_claims",
    "lives",
    "release",
    "renew",
    "set_phase",
    "takeover",
]
_PATIENCE = 2.0  # seconds that a renewal in flight gets to end


def acquire(
    root: str | None, kind: str, name: str, owner: Owner, at: int, *, path: str = ""
) -> Acquired | AlreadyYours | HeldBy | TakenOver:
    """Take a claim, if nobody who lives has it. Of any number who try at once one gets it.

    `path` is where a plan with an id lies: a claim from before it had its id is the same claim.
    """
    team = find_team(root)
    if team is None:
        return claim_files.acquire(root, kind, name, owner, at, path=path)
    from planrail.store.postgres import claims as rows

    earlier = claim_files.holder(root, kind, name)
    if earlier is not None and is_alive(earlier.owner) and not is_same_owner(earlier.owner, owner):
        return HeldBy(earlier)  # from before there was a team: it keeps to the files until it has ended
    return rows.acquire(team, root, want(kind, name, owner, 0, at, path))


def takeover(
    root: str | None, kind: str, name: str, owner: Owner, at: int, *, reason: str, path: str = ""
) -> Acquired | AlreadyYours | TakenOver | ReasonMissing:
    """Take a claim from whoever has it, alive or not, for a reason that is kept in the ledger."""
    team = find_team(root)
    if team is None:
        return claim_files.takeover(root, kind, name, owner, at, reason=reason, path=path)
    from planrail.store.postgres import claims as rows

    return rows.takeover(team, root, want(kind, name, owner, 0, at, path), reason)


def release(
    root: str | None, kind: str, name: str, owner_id: str, *, fence: int | None = None
) -> Released | NothingHeld | NotYours:
    """Let go of a claim; twice is as good as once, and what is somebody else's stays."""
    team = find_team(root)
    if team is None:
        return claim_files.release(root, kind, name, owner_id, fence=fence)
    from planrail.store.postgres import claims as rows

    return rows.release(team, kind, name, owner_id, fence=fence)


def set_phase(root: str | None, kind: str, name: str, owner_id: str, phase: str) -> Claim | NothingHeld | NotYours:
    """Say what the owner is at, for those who look."""
    team = find_team(root)
    if team is None:
        return claim_files.set_phase(root, kind, name, owner_id, phase)
    from planrail.store.postgres import claims as rows

    return rows.set_phase(team, kind, name, owner_id, phase)


def holder(root: str | None, kind: str, name: str) -> Claim | None:
    """Who holds it, dead or alive; None where nobody does. It reads only."""
    team = find_team(root)
    if team is None:
        return claim_files.holder(root, kind, name)
    from planrail.store.postgres import claims as rows

    return rows.holder(team, kind, name)


def lives(root: str | None, claim: Claim) -> bool:
    """Whether whoever holds a claim counts as alive: by its process on this machine, by its lease on another one."""
    team = find_team(root)
    if team is None:
        return is_alive(claim.owner)
    from planrail.store.postgres import claims as rows

    return rows.lives(team, claim)


def renew(root: str | None, claim: Claim) -> bool:
    """Lease a claim anew, also one whose lease had lapsed, as long as nobody else took it. False: it is taken over."""
    team = find_team(root)
    if team is None:
        return claim_files.check_fence(root, claim)
    from planrail.store.postgres import claims as rows

    return rows.renew(team, claim)


def hold_for_good(root: str | None, claim: Claim) -> bool:
    """Hold a claim that nobody will renew, such as a person's: until it is released, or taken over for a reason.

    On its own machine it is free all the same when its process has ended. False: it is taken over.
    """
    team = find_team(root)
    if team is None:
        return claim_files.check_fence(root, claim)
    from planrail.store.postgres import claims as rows

    return rows.hold_for_good(team, claim)


def list_claims(root: str | None) -> list[Claim]:
    """All claims, the oldest first. It reads only."""
    team = find_team(root)
    if team is None:
        return claim_files.list_claims(root)
    from planrail.store.postgres import claims as rows

    return rows.list_claims(team)


@contextlib.contextmanager
def keep_alive(
    root: str | None,
    claim: Claim,
    also: Callable[[], None] | None = None,
    *,
    others: Sequence[Claim] = (),
    beat: float = BEAT,
) -> Iterator[None]:
    """Renew a claim, and others with it, as long as this is open. Files need none of it, and nothing is done for them.

    `also` is called at each beat. A database that is away, and an `also` that fails, are tried again at the next one.
    """
    team = find_team(root)
    if team is None:
        yield
        return
    over = threading.Event()
    given = (over, beat, team, (claim, *others), also)
    pulse = threading.Thread(target=_beat, args=given, name="planrail-claim", daemon=True)
    pulse.start()
    try:
        yield
    finally:
        over.set()
        pulse.join(_PATIENCE)  # one that waits for the database ends with that wait: nobody else waits for it


def _beat(
    over: threading.Event, beat: float, team: Team, claims: Sequence[Claim], also: Callable[[], None] | None
) -> None:
    from planrail.store.postgres.claims import renew as renew_row

    while not over.wait(beat):
        for claim in claims:
            with contextlib.suppress(PlanrailError, OSError):
                renew_row(team, claim, patience=beat)
        if also is not None and not over.is_set():
            with contextlib.suppress(Exception):  # whatever it is: the claim is renewed all the same
                also()
