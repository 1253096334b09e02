"""Claims: who holds a plan, an issue or a task. What files of one machine and rows of a team have in common.

Rows are leased, since a process of another machine cannot be asked whether it lives: the owner renews its claim while
it works (`keep_alive`). Files need nothing of that.
"""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from planrail.base.crash_points import reach
from planrail.base.records import record, replace
from planrail.store.claim_rules import (
    BEAT,
    PLAN,
    Acquired,
    AlreadyYours,
    Claim,
    Damaged,
    HeldBy,
    NothingHeld,
    NotYours,
    Owner,
    ReasonMissing,
    Released,
    TakenOver,
    decide_acquire,
    decide_phase,
    decide_release,
    decide_takeover,
    has_earlier_name,
    to_json,
    want,
)
from planrail.store.spool import append_spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    T = TypeVar("T")
    Decision = TypeVar(
        "Decision", Acquired | AlreadyYours | HeldBy | TakenOver, Acquired | AlreadyYours | TakenOver | ReasonMissing
    )
else:
    Protocol = object

FACT = "claim"


@record
class Found:
    """What is there under a name, and whether its owner counts as alive."""

    claim: Claim | Damaged | None
    lives: bool = False


class Place(Protocol):
    """Where claims are kept, while nobody else changes them."""

    fence: int  # for a new claim: greater than every one that was ever given

    def read(self, kind: str, name: str) -> Found: ...
    def reserve(self, fence: int) -> None:
        """Give this number to nobody again."""

    def write(self, claim: Claim) -> None: ...
    def rewrite(self, claim: Claim) -> None:
        """Change what is said in a claim, which is leased as it was."""

    def remove(self, kind: str, name: str) -> None: ...


class Claims(ABC):
    """The claims of a repository (None: of plans that lie in none)."""

    def __init__(self, root: str | None) -> None:
        self._root = root

    def acquire(
        self, kind: str, name: str, owner: Owner, at: int, *, path: str = ""
    ) -> Acquired | AlreadyYours | HeldBy | TakenOver:
        """Take a claim, if nobody who lives has it. Of any number who try at once one gets it.

        `path` is where a plan with an id lies: a claim from before it had its id is the same claim.
        """
        return self._take(want(kind, name, owner, 0, at, path), decide_acquire)

    def takeover(
        self, kind: str, name: str, owner: Owner, at: int, *, reason: str, path: str = ""
    ) -> Acquired | AlreadyYours | TakenOver | ReasonMissing:
        """Take a claim from its owner, alive or not, for a reason that is kept in the ledger."""
        return self._take(want(kind, name, owner, 0, at, path), partial(decide_takeover, reason=reason))

    def release(
        self, kind: str, name: str, owner_id: str, *, fence: int | None = None
    ) -> Released | NothingHeld | NotYours:
        """Let go of a claim; twice is as good as once, and what is another owner's stays."""

        def work(place: Place) -> Released | NothingHeld | NotYours:
            decision = decide_release(place.read(kind, name).claim, owner_id, fence)
            if isinstance(decision, Released):
                place.remove(kind, name)
            return decision

        return self._change(kind, (name,), work)

    def set_phase(self, kind: str, name: str, owner_id: str, phase: str) -> Claim | NothingHeld | NotYours:
        """Say what the owner is at, for those who look."""

        def work(place: Place) -> Claim | NothingHeld | NotYours:
            decision = decide_phase(place.read(kind, name).claim, owner_id, phase)
            if isinstance(decision, Claim):
                place.rewrite(decision)
            return decision

        return self._change(kind, (name,), work)

    def list_claims(self) -> list[Claim]:
        """All claims, the oldest first. It reads only."""
        return [claim for claim, _ in self.list_leases()]

    @contextlib.contextmanager
    def keep_alive(self, claim: Claim, *, others: Sequence[Claim] = (), beat: float = BEAT) -> Iterator[None]:
        """Renew a claim, and others with it, as long as this is open, where claims are leased."""
        yield

    def holder(self, kind: str, name: str) -> Claim | None:
        """Who holds it, dead or alive; None where nobody does. It reads only."""
        found = self._look(kind, name).claim
        return found if isinstance(found, Claim) else None

    def live_holder(self, kind: str, name: str) -> Claim | None:
        """Who holds it and counts as alive; None where nobody does."""
        found = self._look(kind, name)
        return found.claim if isinstance(found.claim, Claim) and found.lives else None

    @abstractmethod
    def lives(self, claim: Claim) -> bool:
        """Whether the owner of a claim counts as alive: by its process on this machine, by its lease on another one."""

    @abstractmethod
    def renew(self, claim: Claim) -> bool:
        """Lease a claim anew, also one whose lease had lapsed, unless another owner took it. False: it was."""

    @abstractmethod
    def hold_for_good(self, claim: Claim) -> bool:
        """Hold a claim that nobody will renew, such as a person's: until it is released, or taken over for a reason.

        On its own machine it is free all the same when its process has ended. False: it is taken over.
        """

    @abstractmethod
    def list_leases(self, kind: str | None = None, name: str | None = None) -> list[tuple[Claim, bool]]:
        """The claims of a kind, of a name, the oldest first; each with whether its owner counts as alive."""

    @abstractmethod
    def _look(self, kind: str, name: str) -> Found: ...

    @abstractmethod
    def _change(self, kind: str, names: Sequence[str], work: "Callable[[Place], T]", *, is_new: bool = False) -> "T":
        """Do some work with nobody else at these claims; it may be done twice. `is_new`: it wants a fence."""

    def _take(self, asked: Claim, decide: "Callable[..., Decision]") -> "Decision":
        names = (asked.name, asked.path) if has_earlier_name(asked) else (asked.name,)

        def work(place: Place) -> "Decision":
            wanted = replace(asked, fence=place.fence)
            found = place.read(wanted.kind, wanted.name)
            if found.claim is None and has_earlier_name(wanted):  # from before the plan had an id
                earlier = place.read(wanted.kind, wanted.path)
                found = earlier if isinstance(earlier.claim, Claim) else found
            decision = decide(found.claim, wanted, is_alive=found.lives)
            if isinstance(decision, HeldBy | ReasonMissing):
                return decision
            decision = replace(decision, claim=replace(decision.claim, name=wanted.name, path=wanted.path))
            self._keep(place, decision, wanted, found.claim)
            return decision

        return self._change(asked.kind, names, work, is_new=True)

    def _keep(
        self,
        place: Place,
        decision: Acquired | AlreadyYours | TakenOver,
        wanted: Claim,
        existing: Claim | Damaged | None,
    ) -> None:
        """Write down what was decided: first the number, then the record, then the claim itself, which makes it so."""
        place.reserve(decision.claim.fence)
        if isinstance(decision, TakenOver):
            self._record_takeover(decision, wanted.started_at)
            reach("claim.takeover_recorded")
        place.write(decision.claim)
        if isinstance(existing, Claim) and existing.name != wanted.name:
            place.remove(existing.kind, existing.name)

    def _record_takeover(self, decision: TakenOver, at: int) -> None:
        """Put a takeover on record. It waits in the spool: who holds a claim's lock waits for no ledger."""
        claim = decision.claim
        former = to_json(decision.former) if decision.former is not None else None
        value = {"event": "takeover", "reason": decision.reason, "former": former, **to_json(claim)}
        plan = claim.name.encode("utf-8", "backslashreplace").decode() if claim.kind == PLAN else ""  # any file name
        identity = f"claim/{hash_name(claim.kind, claim.name)}/{claim.fence}"
        append_spool(self._root, FACT, plan, value, id=identity, at=at)


def hash_name(kind: str, name: str) -> str:
    """A short name for a thing of any name."""
    import hashlib

    return hashlib.sha256(f"{kind}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
