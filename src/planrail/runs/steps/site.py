"""The site of a run: its order, its folders, and what it is given from outside."""

import os
from collections.abc import Callable, Mapping
from typing import Protocol

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.identity import safe_name
from planrail.base.records import record
from planrail.base.run_model import Order, PhaseOrder
from planrail.base.settings import Settings
from planrail.runs.steps.places import repository_lock
from planrail.runs.workshop import At
from planrail.store.ledger import Ledger, open_ledger


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
