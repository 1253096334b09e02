"""Which owner holds a plan, an issue or a task? Claims and the rules by which they change hands. Pure.

An owner is a process: its number, when it was started, and the boot of the machine that it runs on. A dead owner is
followed by the next one, on record; a live one keeps its claim until it lets go, or a person says why it shall not.
The fence of a claim is a number that only grows: an owner that finds another than its own was taken over. Where many
machines share their claims, a claim is leased: the owner renews it while it lives, and the fence decides all the same.
"""

from planrail.base.records import record, replace

PLAN, ISSUE, TASK = "plan", "issue", "task"
FIRST_PHASE = "Phase 0 — acquired"
LEASE, BEAT = 20.0, 5.0  # seconds that a shared claim counts without being renewed; between two renewals
_VERSION = 1
_TEXTS = ("kind", "name", "owner", "process_start", "boot", "host")


@record
class Owner:
    """A process that owns, and by which name. `space` is the space of process numbers (a container has its own)."""

    id: str
    pid: int
    process_start: str
    boot: str
    host: str
    space: str = ""
    run: str = ""


@record
class Claim:
    """What an owner holds. `name` is the identity (a plan's id or path); `path` is where a plan lies, for people."""

    kind: str
    name: str
    owner: Owner
    fence: int
    started_at: int
    current_phase: str = FIRST_PHASE
    path: str = ""


@record
class Damaged:
    """A file that is no claim. planrail leaves none behind; found all the same, it holds nothing."""

    why: str


@record
class Acquired:
    """The claim was free."""

    claim: Claim


@record
class AlreadyYours:
    """The same process of the same owner holds it."""

    claim: Claim


@record
class HeldBy:
    """Another owner holds it, which lives, or of which nobody here can say whether it does."""

    claim: Claim


@record
class TakenOver:
    """The owner before is dead, or a person said why: this is on record. `former` is None for a damaged file."""

    claim: Claim
    former: Claim | None
    reason: str


@record
class ReasonMissing:
    """Nobody is taken over without a reason."""


@record
class Released:
    """The claim is free now."""

    claim: Claim | None


@record
class NothingHeld:
    """There was no claim: nothing to do."""


@record
class NotYours:
    """The claim is another owner's."""

    claim: Claim


def want(kind: str, name: str, owner: Owner, fence: int, at: int, path: str) -> Claim:
    """The claim that the owner asks for. A plan without an id lies where its name says."""
    return Claim(kind, name, owner, fence, at, FIRST_PHASE, path or (name if kind == PLAN else ""))


def has_earlier_name(claim: Claim) -> bool:
    """Whether a claim of the same thing may be there under its path: from before the plan had an id."""
    return claim.path not in ("", claim.name)


def decide_acquire(
    existing: Claim | Damaged | None, wanted: Claim, *, is_alive: bool
) -> Acquired | AlreadyYours | HeldBy | TakenOver:
    """Which owner holds it from now on. `is_alive` speaks of the existing owner, and is true where nobody can tell."""
    if existing is None:
        return Acquired(wanted)
    if isinstance(existing, Damaged):
        return TakenOver(_after(0, wanted), None, f"the claim could not be read: {existing.why}")
    if is_same_owner(existing.owner, wanted.owner):
        return AlreadyYours(existing)
    if is_alive:
        return HeldBy(existing)
    gone = f"{existing.owner.id} (process {existing.owner.pid} on {name_host(existing.owner.host)}) is dead"
    return TakenOver(_after(existing.fence, wanted), existing, gone)


def decide_takeover(
    existing: Claim | Damaged | None, wanted: Claim, *, is_alive: bool, reason: str
) -> Acquired | AlreadyYours | TakenOver | ReasonMissing:
    """The same where a person has a reason to end even a live owner's claim."""
    if not reason.strip():
        return ReasonMissing()
    decision = decide_acquire(existing, wanted, is_alive=is_alive)
    if isinstance(decision, HeldBy):
        return TakenOver(_after(decision.claim.fence, wanted), decision.claim, reason.strip())
    if isinstance(decision, TakenOver):
        return replace(decision, reason=f"{reason.strip()} ({decision.reason})")
    return decision


def decide_release(
    existing: Claim | Damaged | None, owner_id: str, fence: int | None = None
) -> Released | NothingHeld | NotYours:
    """Whether an owner may let go. With a fence, only of that very claim: a later one is not the same."""
    if existing is None:
        return NothingHeld()
    if isinstance(existing, Damaged):
        return Released(None)
    if existing.owner.id != owner_id or fence not in (None, existing.fence):
        return NotYours(existing)
    return Released(existing)


def decide_phase(existing: Claim | Damaged | None, owner_id: str, phase: str) -> Claim | NothingHeld | NotYours:
    """The claim with the phase that its owner is at, for people who look."""
    if existing is None or isinstance(existing, Damaged):
        return NothingHeld()
    return replace(existing, current_phase=phase) if existing.owner.id == owner_id else NotYours(existing)


def is_same_owner(one: Owner, other: Owner) -> bool:
    """Whether two are one: the name alone is not enough, a second process of the same name is a second owner."""
    return (one.id, *_process(one)) == (other.id, *_process(other))


def is_fenced_out(mine: Claim, now: Claim | Damaged | None) -> bool:
    return not isinstance(now, Claim) or now.fence != mine.fence or not is_same_owner(now.owner, mine.owner)


def judge_life(owner: Owner, here: Owner, seen: str | None) -> bool:
    """Whether an owner may still live. `here` is any process of this machine; `seen` when its number was started now.

    `seen` is None where no process has that number, "" where there is one that tells nothing about itself.
    """
    if owner.boot == here.boot:
        return owner.space != here.space or seen in ("", owner.process_start)
    return owner.host != here.host  # the machine was started anew since; of another machine nobody here can tell


def judge_lease(owner: Owner, here: Owner, seen: str | None, *, is_lapsed: bool) -> bool:
    """Whether an owner counts as alive where claims are leased: on this machine by its process, elsewhere by its lease.

    A machine is this one by its name, its boot and its space of process numbers; a process that sleeps here lives,
    however long. Of all others nobody here can tell more than whether they renewed in time.
    """
    is_near = (owner.host, owner.boot, owner.space) == (here.host, here.boot, here.space)
    if is_near and seen != "":
        return seen == owner.process_start
    return not is_lapsed


def name_host(host: str) -> str:
    """A machine as people call it."""
    return host.partition("#")[0]


def to_json(claim: Claim) -> dict[str, object]:
    """A claim as it is written down, its owner's fields among its own."""
    owner = {name: getattr(claim.owner, name) for name in Owner.__slots__ if name != "id"}  # type: ignore[attr-defined]
    own = {name: getattr(claim, name) for name in Claim.__slots__}  # type: ignore[attr-defined]
    return {"schema_version": _VERSION, **own, **owner, "owner": claim.owner.id}


def from_json(found: object) -> Claim | Damaged:
    """What was written down; what is not understood is damaged. Fields that are not known here are ignored."""
    if not isinstance(found, dict):
        return Damaged("it holds no claim")
    missing = [name for name in _TEXTS if not isinstance(found.get(name), str)]
    missing += [name for name in ("pid", "fence", "started_at") if type(found.get(name)) is not int]
    if missing:
        return Damaged(f"it has no {', '.join(missing)}")
    kind, name, owner, start, boot, host = (found[field] for field in _TEXTS)
    space, run, phase, path = (str(found.get(field) or "") for field in ("space", "run", "current_phase", "path"))
    holder = Owner(owner, found["pid"], start, boot, host, space, run)
    return Claim(kind, name, holder, found["fence"], found["started_at"], phase, path)


def _process(owner: Owner) -> tuple[object, ...]:
    return (owner.pid, owner.process_start, owner.boot, owner.space)


def _after(fence: int, wanted: Claim) -> Claim:
    """The claim of an owner that follows another: its fence is the greater one, whatever it was given."""
    return replace(wanted, fence=max(wanted.fence, fence + 1))
