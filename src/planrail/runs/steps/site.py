"""The site of a run: its order, its folders, and what it is given from outside."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from typing import Protocol

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.identity import safe_name
from planrail.base.records import record
from planrail.base.run_model import Order, PhaseOrder
from planrail.base.settings import Settings
from planrail.runs.workshop import At
from planrail.store.ledger import Ledger, open_ledger
from planrail.store.places import ledger_folder

_OF = "@"  # between a run and a commit


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
        """The user's repository."""
        return self.order.root

    @property
    def lock(self) -> str:
        """The lock that guards the refs and the checkouts of the repository."""
        return repository_lock(self.root)

    def open_ledger(self) -> Ledger:
        """The ledger of the repository."""
        return open_ledger(self.root)

    def ref(self, at: At, name: str) -> str:
        """The ref that keeps a snapshot."""
        return f"refs/planrail/runs/{self.order.run}/{safe_name(at.phase)}/{at.attempt}/{safe_name(name)}"

    def job(self, at: At, name: str) -> str:
        """The folder of an agent's job."""
        return os.path.join(self.folder, "agents", f"{safe_name(at.phase)}-{at.attempt}-{name}")

    def outputs(self, at: At, name: str) -> str:
        """A folder for the outputs of checks."""
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
    """Whether the ledger has a word on a record of this name."""
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
    """The hash by which a record is known."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
