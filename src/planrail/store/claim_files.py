"""Claims on the disk: one small file for each, which appears whole or not at all, in the folder of the ledger.

Whoever changes one holds the lock of the folder for that moment; nobody holds anything while it works. Whether an
owner lives is asked of the kernel each time, so that nothing has to be cleaned up after a crash. `store.claims` is the
door to them.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import replace
from planrail.store.claim_records import hash_name, record_takeover
from planrail.store.claim_rules import (
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
    from_json,
    has_earlier_name,
    is_fenced_out,
    to_json,
    want,
)
from planrail.store.owners import is_alive
from planrail.store.places import ledger_folder, make_private

Existing = Claim | Damaged | None
Won = Acquired | AlreadyYours | TakenOver


FOLDER = "claims"
_LOCK, _FENCE, _SUFFIX = ".lock", "fence", ".json"


def acquire(
    root: str | None, kind: str, name: str, owner: Owner, at: int, *, path: str = ""
) -> Acquired | AlreadyYours | HeldBy | TakenOver:
    """Take a claim, if nobody who lives has it. Of any number who try at once one gets it.

    `path` is where a plan with an id lies: a claim from before it had its id is the same claim.
    """
    with _changing(root) as folder:
        wanted = _want(folder, kind, name, owner, at, path)
        existing = _find(folder, wanted)
        decision = decide_acquire(existing, wanted, is_alive=_lives(existing))
        return decision if isinstance(decision, HeldBy) else _keep(root, folder, decision, wanted, existing)


def takeover(
    root: str | None, kind: str, name: str, owner: Owner, at: int, *, reason: str, path: str = ""
) -> Acquired | AlreadyYours | TakenOver | ReasonMissing:
    """Take a claim from whoever has it, alive or not, for a reason that is kept in the ledger."""
    with _changing(root) as folder:
        wanted = _want(folder, kind, name, owner, at, path)
        existing = _find(folder, wanted)
        decision = decide_takeover(existing, wanted, is_alive=_lives(existing), reason=reason)
        return decision if isinstance(decision, ReasonMissing) else _keep(root, folder, decision, wanted, existing)


def release(
    root: str | None, kind: str, name: str, owner_id: str, *, fence: int | None = None
) -> Released | NothingHeld | NotYours:
    """Let go of a claim; twice is as good as once, and what is somebody else's stays."""
    if not os.path.isdir(_folder(root)):
        return NothingHeld()
    with _changing(root) as folder:
        decision = decide_release(_read(folder, kind, name), owner_id, fence)
        if isinstance(decision, Released):
            _remove(folder, kind, name)
        return decision


def set_phase(root: str | None, kind: str, name: str, owner_id: str, phase: str) -> Claim | NothingHeld | NotYours:
    """Say what the owner is at, for those who look."""
    if not os.path.isdir(_folder(root)):
        return NothingHeld()
    with _changing(root) as folder:
        decision = decide_phase(_read(folder, kind, name), owner_id, phase)
        if isinstance(decision, Claim):
            _write(folder, decision)
        return decision


def holder(root: str | None, kind: str, name: str) -> Claim | None:
    """Who holds it, dead or alive; None where nobody does. It reads only."""
    found = _read(_folder(root), kind, name)
    return found if isinstance(found, Claim) else None


def check_fence(root: str | None, claim: Claim) -> bool:
    """Whether a claim still is what was acquired. To be asked before anything lands."""
    return not is_fenced_out(claim, _read(_folder(root), claim.kind, claim.name))


def list_claims(root: str | None) -> list[Claim]:
    """All claims, the oldest first. It reads only."""
    folder = _folder(root)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(_SUFFIX)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _failed(folder, error) from error
    found = [_load(os.path.join(folder, name)) for name in names]
    return sorted((claim for claim in found if isinstance(claim, Claim)), key=lambda claim: claim.fence)


def _want(folder: str, kind: str, name: str, owner: Owner, at: int, path: str) -> Claim:
    return want(kind, name, owner, _last_fence(folder) + 1, at, path)


def _find(folder: str, wanted: Claim) -> Existing:
    """The claim that is there, if need be the one that was taken under a plan's path before the plan had an id."""
    found = _read(folder, wanted.kind, wanted.name)
    if found is None and has_earlier_name(wanted):
        earlier = _read(folder, wanted.kind, wanted.path)
        return earlier if isinstance(earlier, Claim) else None
    return found


def _lives(existing: Existing) -> bool:
    return isinstance(existing, Claim) and is_alive(existing.owner)


def _keep(root: str | None, folder: str, decision: Won, wanted: Claim, existing: Existing) -> Won:
    """Write down what was decided: first the number, then the record, then the claim itself, which makes it so."""
    if isinstance(decision, AlreadyYours) and decision.claim.name == wanted.name:
        return decision
    decision = replace(decision, claim=replace(decision.claim, name=wanted.name, path=wanted.path))
    _replace(os.path.join(folder, _FENCE), str(max(decision.claim.fence, _last_fence(folder))))
    reach("claim.fence_written")
    if isinstance(decision, TakenOver):
        record_takeover(root, decision, wanted.started_at)
        reach("claim.takeover_recorded")
    _write(folder, decision.claim)
    reach("claim.written")
    if isinstance(existing, Claim) and existing.name != wanted.name:
        _remove(folder, existing.kind, existing.name)
    return decision


def _last_fence(folder: str) -> int:
    """The greatest number that was ever given; where its file is damaged, the greatest that is in use."""
    try:
        with open(os.path.join(folder, _FENCE), encoding="ascii") as file:
            return int(file.read(64))
    except (OSError, ValueError):
        used = [_load(os.path.join(folder, name)) for name in os.listdir(folder) if name.endswith(_SUFFIX)]
        return max((claim.fence for claim in used if isinstance(claim, Claim)), default=0)


def _read(folder: str, kind: str, name: str) -> Existing:
    found = _load(_place(folder, kind, name))
    if isinstance(found, Claim) and (found.kind, found.name) != (kind, name):
        return Damaged(f"it is that of {found.kind} {found.name}")
    return found


def _load(path: str) -> Existing:
    try:
        with open(path, encoding="utf-8") as file:
            return from_json(json.loads(file.read()))
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        return Damaged("it is a folder")
    except (ValueError, RecursionError) as error:
        return Damaged(str(error))
    except OSError as error:
        raise _failed(path, error) from error


def _write(folder: str, claim: Claim) -> None:
    _replace(_place(folder, claim.kind, claim.name), json.dumps(to_json(claim), indent=1, sort_keys=True))


def _replace(path: str, text: str) -> None:
    """Content and existence become visible together, and are on the disk when this returns."""
    if os.path.isdir(path):
        os.rename(path, f"{path}.damaged.{os.getpid()}")
    temporary = f"{path}.tmp"  # always the same name: what a crash left of it is overwritten, under the folder's lock
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        reach("claim.temporary_written")
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync(os.path.dirname(path))


def _remove(folder: str, kind: str, name: str) -> None:
    path = _place(folder, kind, name)
    if os.path.isdir(path):
        os.rename(path, f"{path}.damaged.{os.getpid()}")
        return
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    _sync(folder)


def _sync(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _changing(root: str | None) -> Iterator[str]:
    """The folder of the claims, for one process at a time."""
    folder = _folder(root)
    try:
        make_private(folder)
        descriptor = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield folder
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _failed(folder, error) from error


def _failed(path: str, error: OSError) -> ToolFailed:
    return ToolFailed(
        f"the claims in {path} cannot be read or written: {error.strerror or error}; nothing was claimed or released",
        remedy="make room on that disk or check the folder's permissions, then try again",
    )


def _folder(root: str | None) -> str:
    return os.path.join(ledger_folder(root), FOLDER)


def _place(folder: str, kind: str, name: str) -> str:
    return os.path.join(folder, hash_name(kind, name) + _SUFFIX)
