"""Claims: the owners of plans, issues and tasks. Here as files of one machine; a team's are rows (`postgres.claims`).

One small file for each, which appears whole or not at all, in the folder of the ledger. A process that changes one
locks the folder for that moment, and nothing while it works. Whether an owner lives is asked of the kernel each time,
so that nothing has to be cleaned up after a crash. Rows are leased, since a process of another machine cannot be asked:
the owner gives signs of life while it works (`keep_alive`). Files need nothing of that.
"""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from functools import partial

from planrail.base.crash_points import reach
from planrail.base.records import record, replace
from planrail.base.whole_files import read_whole
from planrail.store import claim_rules as rules
from planrail.store.failures import not_done
from planrail.store.owners import is_alive
from planrail.store.places import ledger_folder, locked, make_private, replace_file, sync_folder
from planrail.store.spool import append_spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")
    Decision = TypeVar(
        "Decision",
        rules.Acquired | rules.AlreadyYours | rules.HeldBy | rules.TakenOver,
        rules.Acquired | rules.AlreadyYours | rules.TakenOver | rules.ReasonMissing,
    )

FACT, FOLDER = "claim", "claims"
_AS_BEFORE = "nothing was claimed or released"
_LOCK, _FENCE, _SUFFIX = ".lock", "fence", ".json"


@record
class Found:
    """What is there under a name, and whether its owner counts as alive."""

    claim: rules.Claim | rules.Damaged | None
    lives: bool = False


class ClaimPlace:
    """Where claims are kept, while nobody else changes them. `fence` is for a new one, greater than all before."""

    def __init__(self, folder: str, fence: int = 0) -> None:
        self._folder, self.fence = folder, fence

    def read(self, kind: str, name: str) -> Found:
        found = _load(self._path(kind, name))
        if isinstance(found, rules.Claim) and (found.kind, found.name) != (kind, name):
            return Found(rules.Damaged(f"it is that of {found.kind} {found.name}"))
        return Found(found, isinstance(found, rules.Claim) and is_alive(found.owner))

    def reserve(self, fence: int) -> None:
        """Give this number to nobody again."""
        _replace(os.path.join(self._folder, _FENCE), str(max(fence, self.fence - 1)))
        reach("claim.fence_written")

    def write(self, claim: rules.Claim) -> None:
        _replace(self._path(claim.kind, claim.name), json.dumps(rules.to_json(claim), indent=1, sort_keys=True))

    def rewrite(self, claim: rules.Claim) -> None:
        """Change what is said in a claim, which is leased as it was."""
        self.write(claim)

    def remove(self, kind: str, name: str) -> None:
        path = self._path(kind, name)
        if os.path.isdir(path):
            os.rename(path, f"{path}.damaged.{os.getpid()}")
            return
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        sync_folder(self._folder)

    def _path(self, kind: str, name: str) -> str:
        return os.path.join(self._folder, hash_name(kind, name) + _SUFFIX)


class Claims:
    """The claims of a repository (None: of plans that lie in none)."""

    def __init__(self, root: str | None) -> None:
        self._root = root

    def acquire(
        self, kind: str, name: str, owner: rules.Owner, at: int, *, path: str = ""
    ) -> rules.Acquired | rules.AlreadyYours | rules.HeldBy | rules.TakenOver:
        """Take a claim, if no live owner has it. Of any number of owners that try at once one gets it.

        `path` is where a plan with an id lies: a claim from before it had its id is the same claim.
        """
        return self._take(rules.want(kind, name, owner, 0, at, path), rules.decide_acquire)

    def takeover(
        self, kind: str, name: str, owner: rules.Owner, at: int, *, reason: str, path: str = ""
    ) -> rules.Acquired | rules.AlreadyYours | rules.TakenOver | rules.ReasonMissing:
        """Take a claim from its owner, alive or not, for a reason that is kept in the ledger."""
        return self._take(rules.want(kind, name, owner, 0, at, path), partial(rules.decide_takeover, reason=reason))

    def release(
        self, kind: str, name: str, owner_id: str, *, fence: int | None = None
    ) -> rules.Released | rules.NothingHeld | rules.NotYours:
        """Let go of a claim; twice is as good as once, and what is another owner's stays."""

        def work(place: ClaimPlace) -> rules.Released | rules.NothingHeld | rules.NotYours:
            decision = rules.decide_release(place.read(kind, name).claim, owner_id, fence)
            if isinstance(decision, rules.Released):
                place.remove(kind, name)
            return decision

        return self._change(kind, (name,), work)

    def set_phase(
        self, kind: str, name: str, owner_id: str, phase: str
    ) -> rules.Claim | rules.NothingHeld | rules.NotYours:
        """Say what the owner is at, for people who look."""

        def work(place: ClaimPlace) -> rules.Claim | rules.NothingHeld | rules.NotYours:
            decision = rules.decide_phase(place.read(kind, name).claim, owner_id, phase)
            if isinstance(decision, rules.Claim):
                place.rewrite(decision)
            return decision

        return self._change(kind, (name,), work)

    def list_claims(self) -> list[rules.Claim]:
        """All claims, the oldest first. It reads only."""
        return [claim for claim, _ in self.list_leases()]

    def keep_alive(self, beat: float = rules.BEAT) -> contextlib.AbstractContextManager[None]:
        """Give signs of life as long as this is open, where claims are leased: for all that this process holds."""
        return contextlib.nullcontext()

    def holder(self, kind: str, name: str) -> rules.Claim | None:
        """The claim of its owner, dead or alive; None where it has none. It reads only."""
        found = self._look(kind, name).claim
        return found if isinstance(found, rules.Claim) else None

    def live_holder(self, kind: str, name: str) -> rules.Claim | None:
        """The claim of its owner, if that counts as alive; else None."""
        found = self._look(kind, name)
        return found.claim if isinstance(found.claim, rules.Claim) and found.lives else None

    def lives(self, claim: rules.Claim) -> bool:
        """Whether the owner of a claim counts as alive: by its process on this machine, by its lease on another one."""
        return is_alive(claim.owner)

    def renew(self, claim: rules.Claim) -> bool:
        """Lease a claim anew, also one whose lease had lapsed, unless another owner took it. False: it was."""
        return not rules.is_fenced_out(claim, self._look(claim.kind, claim.name).claim)

    def hold_for_good(self, claim: rules.Claim) -> bool:
        """Hold a claim that nobody will renew, such as a person's: until it is released, or taken over for a reason.

        On its own machine it is free all the same when its process has ended. False: it is taken over.
        """
        return self.renew(claim)

    def list_leases(self, kind: str | None = None, name: str | None = None) -> list[tuple[rules.Claim, bool]]:
        """The claims of a kind, of a name, the oldest first; each with whether its owner counts as alive."""
        try:
            found = [claim for claim in _load_all(self._folder) if kind in (None, claim.kind)]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise not_done(f"the claims in {self._folder} cannot be read or written", error, _AS_BEFORE) from error
        claims = sorted((claim for claim in found if name in (None, claim.name)), key=lambda claim: claim.fence)
        return [(claim, is_alive(claim.owner)) for claim in claims]

    @property
    def _folder(self) -> str:
        return os.path.join(ledger_folder(self._root), FOLDER)

    def _look(self, kind: str, name: str) -> Found:
        return ClaimPlace(self._folder).read(kind, name)

    def _change(
        self, kind: str, names: Sequence[str], work: "Callable[[ClaimPlace], T]", *, is_new: bool = False
    ) -> "T":
        """Do some work with nobody else at these claims; it may be done twice. `is_new`: it wants a fence."""
        folder = self._folder
        if not is_new and not os.path.isdir(folder):
            return work(ClaimPlace(folder))  # there is nothing to change, and nothing is made for that
        try:
            make_private(folder)
            with locked(os.path.join(folder, _LOCK)):
                return work(ClaimPlace(folder, _last_fence(folder) + 1))
        except OSError as error:
            raise not_done(f"the claims in {folder} cannot be read or written", error, _AS_BEFORE) from error

    def _take(self, asked: rules.Claim, decide: "Callable[..., Decision]") -> "Decision":
        names = (asked.name, asked.path) if rules.has_earlier_name(asked) else (asked.name,)

        def work(place: ClaimPlace) -> "Decision":
            wanted = replace(asked, fence=place.fence)
            found = place.read(wanted.kind, wanted.name)
            if found.claim is None and rules.has_earlier_name(wanted):  # from before the plan had an id
                earlier = place.read(wanted.kind, wanted.path)
                found = earlier if isinstance(earlier.claim, rules.Claim) else found
            decision = decide(found.claim, wanted, is_alive=found.lives)
            if isinstance(decision, rules.HeldBy | rules.ReasonMissing):
                return decision
            decision = replace(decision, claim=replace(decision.claim, name=wanted.name, path=wanted.path))
            # First the number, then the record, then the claim itself, which makes it so.
            place.reserve(decision.claim.fence)
            if isinstance(decision, rules.TakenOver):
                self._record_takeover(decision, wanted.started_at)
                reach("claim.takeover_recorded")
            place.write(decision.claim)
            reach("claim.written")
            if isinstance(found.claim, rules.Claim) and found.claim.name != wanted.name:
                place.remove(found.claim.kind, found.claim.name)
            return decision

        return self._change(asked.kind, names, work, is_new=True)

    def _record_takeover(self, decision: rules.TakenOver, at: int) -> None:
        """Put a takeover on record. It waits in the spool: the holder of a claim's lock waits for no ledger."""
        claim = decision.claim
        former = rules.to_json(decision.former) if decision.former is not None else None
        value = {"event": "takeover", "reason": decision.reason, "former": former, **rules.to_json(claim)}
        name = claim.name.encode("utf-8", "backslashreplace").decode()  # any file name
        identity = f"claim/{hash_name(claim.kind, claim.name)}/{claim.fence}"
        append_spool(self._root, FACT, name if claim.kind == rules.PLAN else "", value, id=identity, at=at)


def _last_fence(folder: str) -> int:
    """The greatest number that was ever given; where its file is damaged, the greatest that is in use."""
    try:
        return int(read_whole(os.path.join(folder, _FENCE), 64) or b"")
    except ValueError:
        return max((claim.fence for claim in _load_all(folder)), default=0)


def _load_all(folder: str) -> list[rules.Claim]:
    found = [_load(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(_SUFFIX)]
    return [claim for claim in found if isinstance(claim, rules.Claim)]


def _load(path: str) -> rules.Claim | rules.Damaged | None:
    try:
        with open(path, encoding="utf-8") as file:
            return rules.from_json(json.loads(file.read()))
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        return rules.Damaged("it is a folder")
    except (ValueError, RecursionError) as error:
        return rules.Damaged(str(error))
    except OSError as error:
        raise not_done(f"the claims in {path} cannot be read or written", error, _AS_BEFORE) from error


def _replace(path: str, text: str) -> None:
    if os.path.isdir(path):
        os.rename(path, f"{path}.damaged.{os.getpid()}")
    replace_file(path, text, "claim.temporary_written")


def hash_name(kind: str, name: str) -> str:
    import hashlib

    return hashlib.sha256(f"{kind}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
