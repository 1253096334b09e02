"""The site of a run: its order, its folders, and what it is given from outside."""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Protocol

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.identity import safe_name
from planrail.base.records import record
from planrail.base.run_model import Candidate, Landing, Order, PhaseOrder
from planrail.base.settings import Settings
from planrail.git.checkouts import find_checkouts, read_layout
from planrail.git.git_writing import ask_git, run_git
from planrail.git.remotes.mirrors import follow
from planrail.git.remotes.pushing import fetch_ref
from planrail.git.repository_lock import hold
from planrail.runs.forge.request_places import fetch_base, locate_request
from planrail.runs.landing.fences import Fencing, lower_fence
from planrail.runs.landing.remote_landings import Goal, land_on_remote
from planrail.runs.landing.targets import finish_landing
from planrail.runs.workshop import At
from planrail.store.fact_rows import Ledger
from planrail.store.ledger import open_ledger
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import load_order, run_folder

_OF = "@"  # between a run and a commit

_HEADS = "refs/heads/"
_NOTHING = "0" * 40


def repository_lock(root: str) -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(root), "repository.lock")


def waiting_branch(order: Order) -> str:
    """The branch on which work waits that cannot land now."""
    return f"refs/heads/planrail/{order.slug}"


def intent_of(order: Order, commit: str) -> str:
    """Where a landing writes down what it is about to do: one folder for all runs of a repository."""
    return os.path.join(_landings(order.root), f"{safe_name(order.run)}{_OF}{commit[:12]}")


def list_intents(root: str) -> list[tuple[str, str]]:
    """The landings of a repository that are under way, or were when their planrail died: each with its run."""
    place = _landings(root)
    try:
        names = sorted(os.listdir(place))
    except FileNotFoundError:
        return []
    return [(name.partition(_OF)[0], os.path.join(place, name)) for name in names]


def _landings(root: str) -> str:
    return os.path.join(ledger_folder(root), "landings")


class Watcher(Protocol):
    """Whoever looks on while a run works."""

    def step(self, key: str, state: str) -> None: ...
    def event(self, phase: str, event: Event) -> None: ...
    def note(self, text: str) -> None: ...


# A person's answer to a question; None where nobody can be asked.
Ask = Callable[[str], bool | None]
ROOM = "room"


@record
class Site:
    """Everything that the parts of a workshop share."""

    order: Order
    folder: str  # of the run
    settings: Settings
    environment: Mapping[str, str]
    watcher: Watcher
    ask: Ask
    approve: Callable[[PhaseOrder], str]  # why a phase may not run by now; "" where it may
    holds_claim: Callable[[], bool]
    now: Callable[[], float]
    interruptions: Interruptions
    is_resumed: bool = False
    is_answered: bool = False  # it rested at a question, and a person has just said that it goes on
    fence: int = 0  # the number of the plan's claim, which a remote is told; 0 where the work lands in place

    @property
    def root(self) -> str:
        return self.order.root

    @property
    def lock(self) -> str:
        return repository_lock(self.root)

    def open_ledger(self) -> Ledger:
        return open_ledger(self.root)

    def ref(self, at: At, name: str) -> str:
        return f"refs/planrail/runs/{self.order.run}/{safe_name(at.phase)}/{at.attempt}/{safe_name(name)}"

    def job(self, at: At, name: str) -> str:
        return os.path.join(self.folder, "agents", f"{safe_name(at.phase)}-{at.attempt}-{name}")

    def outputs(self, at: At, name: str) -> str:
        folder = os.path.join(self.folder, "output", f"{safe_name(at.phase)}-{at.attempt}", safe_name(name))
        os.makedirs(folder, exist_ok=True)
        return folder

    def place(self, kind: str, phase: str) -> str:
        """Where a private working tree lies: one for the whole run, or for each phase where they run side by side."""
        name = kind if self.order.options.parallel == 1 else f"{kind}-{safe_name(phase)}"
        return os.path.join(self.rooms if kind == ROOM else self.order.workspaces, name)

    @property
    def rooms(self) -> str:
        """The folder of the rooms in which checks are run; that of the workspaces in a run of an earlier version."""
        return self.order.rooms or self.order.workspaces


def confirm_record(site: Site, name: str, record: object) -> bool:
    """Whether this is what the ledger has of a record of the run; the first word is the one that it keeps."""
    run, told = site.order.run, hash_record(record)
    with site.open_ledger() as ledger:
        value = {"run": run, "hash": told}
        kept = ledger.add("surroundings", site.order.plan, value, id=f"{name}:{run}", at=int(site.now()))
    return kept.value.get("hash") == told


def is_recorded(site: Site, name: str) -> bool:
    with site.open_ledger() as ledger:
        return any(fact.id == f"{name}:{site.order.run}" for fact in ledger.facts("surroundings", site.order.plan))


def is_answered(site: Site, kind: str, at: At, value: str) -> bool:
    """Whether a person was told of exactly this before, and has resumed the run since."""
    order, name = site.order, f"{kind}:{site.order.run}/{at.phase}/{at.attempt}/{value}"
    with site.open_ledger() as ledger:
        is_known = any(fact.id == name for fact in ledger.facts(kind, order.plan))
        ledger.add(kind, order.plan, {"run": order.run, "hash": value}, id=name, at=int(site.now()))
    return is_known and site.is_answered


def hash_record(record: object) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def resolve_line(site: Site) -> str:
    """The commit that the next phase builds on. The branch of a request is made where there is none yet.

    Where the target is a remote's, that is asked each time, and the branches here follow it.
    """
    if site.order.remote:
        return _fetch_line(site) or _begin_line(site)
    found = _commit(site, site.order.line)
    if found:
        return found
    if site.order.line == site.order.target:
        name = site.order.target.removeprefix(_HEADS)
        raise PlanrailError(f"{name} was deleted meanwhile", remedy=f"git branch {name} {site.order.base}")
    base = _base(site)
    with hold(site.lock):
        run_git(site.root, "update-ref", "--create-reflog", "-m", "planrail: begin", site.order.line, base, _NOTHING)
    return base


def find_tip(site: Site) -> str:
    """The last commit of the line, also of one that its remote has taken away because it was merged."""
    found = (_fetch_line(site) if site.order.remote else "") or _commit(site, site.order.line)
    if not found:
        name = site.order.line.removeprefix(_HEADS)
        raise PlanrailError(f"the branch {name} is gone", remedy=f"planrail run {site.order.path}")
    return found


def land_remotely(site: Site, candidate: Candidate) -> Landing:
    """Move the line on its remote to a candidate; then the branch here follows. See `land_on_remote`."""
    order = site.order
    is_request = order.line != order.target
    goal = Goal(
        order.remote,
        order.line.removeprefix(_HEADS),
        candidate,
        Fencing(order.plan, site.fence, order.run),
        creates=is_request,
        otherwise="" if is_request else f"planrail run {order.path} pr",
    )
    landing = land_on_remote(order.root, goal, site.holds_claim)
    if landing.state == "landed":
        with hold(site.lock), contextlib.suppress(ToolFailed):  # the next look at the remote brings it as well
            if _commit(site, order.line) == candidate.onto:
                follow(order.root, {order.line: candidate.commit})
        reach("remote.followed")
    return landing


def lower_line_fence(site: Site) -> None:
    """The plan is complete: its fence is not needed any more. One that stays does no harm."""
    order = site.order
    if order.remote and site.fence:
        with contextlib.suppress(ToolFailed):
            lower_fence(order.root, order.remote, order.plan, site.fence, order.run)


def close_line(site: Site, commit: str) -> None:
    """Take away the branch of a request that was merged, if nobody has it checked out or has added to it."""
    with hold(site.lock):
        if _commit(site, site.order.line) == commit and not find_checkouts(read_layout(site.root), site.order.line):
            run_git(site.root, "update-ref", "-d", site.order.line, commit)


def _base(site: Site) -> str:
    """What a request is based on: the target as the forge has it, and what a person lets travel along."""
    order = site.order
    return order.base if order.unpushed else fetch_base(site.root, locate_request(site.root, order.target))


def _fetch_line(site: Site) -> str:
    """The line as its remote has it now; "" for a branch of a request that is not there."""
    order = site.order
    if order.line == order.target:
        return _fetch_target(site)
    return _fetch(site, order.line)


def _begin_line(site: Site) -> str:
    """A request begins at the target; its branch is on the remote when its first phase has landed there."""
    base = _fetch_target(site)
    with hold(site.lock):
        follow(site.root, {site.order.line: base})
    return base


def _fetch_target(site: Site) -> str:
    order = site.order
    found = _fetch(site, order.target)
    if not found:
        name = order.target.removeprefix(_HEADS)
        raise PlanrailError(f"{order.remote} has no branch {name} any more", remedy=f"git push {order.remote} {name}")
    return found


def _fetch(site: Site, ref: str) -> str:
    """Under the lock, so that what is fetched later is also set later. What counts is the answer, and not the ref."""
    with hold(site.lock):
        found = fetch_ref(site.root, site.order.remote, ref.removeprefix(_HEADS)) or ""
        if found:
            follow(site.root, {ref: found})
    return found


def _commit(site: Site, ref: str) -> str:
    return (ask_git(site.root, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}") or "").strip()


# Landings that were cut off between the target and its checkouts: whoever comes next brings them to their end.
#
# A landing holds the lock of the repository. Who has the lock and finds that one is under way has found one whose
# planrail is dead. Landing anything else first would leave that work staged as its own reverse in the checkout.


def finish_landings(root: str) -> None:
    """No landing is left half way: the target and its checkouts have it, or neither has."""
    if not list_intents(root):
        return
    with hold(repository_lock(root)):
        for run, intent in list_intents(root):
            finish_landing(root, repository_lock(root), _waiting_branch(root, run), intent)


def _waiting_branch(root: str, run: str) -> str:
    """Where the work of a run waits; also of one that cannot be read any more."""
    try:
        return waiting_branch(load_order(run_folder(root, run)))
    except PlanrailError:
        return f"refs/heads/planrail/{run}"
