"""What the steps of a run share: its order and folders, what it is given from outside, and what they put on record.

Every fact is added under the key of its step, so that a step that is done twice says it once.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.errors import Fenced
from planrail.base.identity import safe_name
from planrail.base.records import record, replace
from planrail.base.run_model import Ending, Evidence, Order, PhaseOrder
from planrail.base.settings import Settings
from planrail.base.values import value
from planrail.runs.evidence.judging import hash_evidence
from planrail.store.claim_rules import Claim
from planrail.store.fact_rows import Ledger
from planrail.store.ledger import open_store
from planrail.store.places import ledger_folder
from planrail.store.runs.run_facts import AnyFact, add_fact
from planrail.store.runs.run_history import PhaseFact, RunFact

T = TypeVar("T")
ROOM = "room"
SIDE = ".planrail"  # the folder in a working tree that has what an agent is given; never a part of the work
PHASE_FILE = f"{SIDE}/phase.md"  # the text of a long phase
WHOLE = "whole plan"  # what stands for a phase where all of them are meant


class Do(Protocol):
    """A step that is done once: its result is kept under its key."""

    def __call__(self, key: str, step: Callable[..., T], *arguments: object) -> T: ...


class Paused(Exception):
    """The run waits for a person or for a time. The step that raised this is not done; a resumed run asks again."""

    def __init__(self, state: str, text: str, command: str, until: int = 0, phase: str = "") -> None:
        super().__init__(text)
        self.state, self.text, self.command, self.until, self.phase = state, text, command, until, phase


@value
class Start:
    """A phase has begun: the claim is ours, the status is on record, the work is based on this commit."""

    base: str
    landed: str = ""  # the commit, where the target has this phase already
    in_session: bool = False  # it was proven in a session: if its checks hold on the target, it is done


@record
class At:
    """One attempt of a phase: what names everything that belongs to it."""

    phase: PhaseOrder
    attempt: int

    def key(self, step: str) -> str:
        return f"phase/{self.phase.id}/{self.attempt}/{step}"

    @property
    def name(self) -> str:
        """The attempt as a part of the names of files."""
        return f"{safe_name(self.phase.id)}-{self.attempt}"


class Watcher(Protocol):
    """The display of a run, as far as steps need it."""

    def event(self, phase: str, event: Event) -> None: ...
    def note(self, text: str) -> None: ...
    def ask(self, question: str) -> bool | None: ...


def repository_lock(root: str) -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(root), "repository.lock")


@record
class Site:
    """A run that is carried out in this process."""

    order: Order
    folder: str  # of the run
    settings: Settings
    environment: Mapping[str, str]
    watcher: Watcher
    approve: Callable[[PhaseOrder], str]  # why a phase may not run by now; "" where it may
    claim: Claim
    interruptions: Interruptions
    is_lost: Callable[[], bool] = lambda: False  # it was stopped or taken over, and nobody may have told it yet
    is_resumed: bool = False
    is_answered: bool = False  # it rested at a question, and a person has just said that it goes on
    now: Callable[[], float] = time.time

    @property
    def root(self) -> str:
        return self.order.root

    @property
    def lock(self) -> str:
        return repository_lock(self.root)

    @property
    def fence(self) -> int:
        """The number of the plan's claim, which a remote is told; 0 where the work lands in place."""
        return self.claim.fence if self.order.remote else 0

    @property
    def rooms(self) -> str:
        """The folder of the trees in which checks are run; that of the workspaces in a run of an earlier version."""
        return self.order.rooms or self.order.workspaces

    @property
    def resume(self) -> str:
        return f"planrail resume {self.order.path}"

    def holds_claim(self) -> bool:
        return not self.is_lost() and open_store(self.root).claims.renew(self.claim)

    def ref(self, at: At, name: str) -> str:
        return f"refs/planrail/runs/{self.order.run}/{safe_name(at.phase.id)}/{at.attempt}/{safe_name(name)}"

    def job(self, at: At, name: str) -> str:
        return os.path.join(self.folder, "agents", f"{at.name}-{name}")

    def outputs(self, at: At, name: str) -> str:
        folder = os.path.join(self.folder, "output", at.name, safe_name(name))
        os.makedirs(folder, exist_ok=True)
        return folder

    def place(self, kind: str, phase: str) -> str:
        """Where a private working tree lies: one for the whole run, or for each phase where they run side by side."""
        name = kind if self.order.options.parallel == 1 else f"{kind}-{safe_name(phase)}"
        return os.path.join(self.rooms if kind == ROOM else self.order.workspaces, name)

    # ---- on record ----

    def open_ledger(self) -> Ledger:
        return open_store(self.root).open_ledger()

    def note(self, at: At, name: str, fact: AnyFact) -> None:
        """Put on record what a step found."""
        with self.open_ledger() as ledger:
            self.add(ledger, at, name, fact)

    def add(self, ledger: Ledger, at: At, name: str, fact: AnyFact) -> None:
        key = f"{self.order.run}/{at.key(name)}"
        add_fact(ledger, self.order.plan, fact, key=key, at=int(self.now()))

    def say(self, at: At, name: str, fact: PhaseFact) -> None:
        """Say something about a phase that, in a team, only the owner of the plan may say.

        Another machine that took the run over says it under the same keys. On one machine a plan that was taken over
        is another run's, and this one may say how it failed.
        """
        if open_store(self.root).is_shared and not self.holds_claim():
            raise Fenced("another run has taken over this plan", remedy=f"planrail status {self.order.path}")
        self.note(at, name, fact)

    def describe(self, at: At, state: str, commit: str = "", evidence: Evidence | None = None) -> PhaseFact:
        """How a phase stands, as a fact."""
        phase = at.phase
        known = PhaseFact(self.order.run, phase.id, at.attempt, state, phase.title, commit=commit)
        known = replace(known, canonical=phase.canonical)
        return known if evidence is None else replace(known, tree=evidence.tree, evidence=hash_evidence(evidence.runs))

    def confirm_record(self, name: str, record: object) -> bool:
        """Whether this is what the ledger has of a record of the run; the first word is the one that it keeps."""
        run, told = self.order.run, hash_record(record)
        with self.open_ledger() as ledger:
            value = {"run": run, "hash": told}
            kept = ledger.add("surroundings", self.order.plan, value, id=f"{name}:{run}", at=int(self.now()))
        return kept.value.get("hash") == told

    def is_recorded(self, name: str) -> bool:
        with self.open_ledger() as ledger:
            return any(fact.id == f"{name}:{self.order.run}" for fact in ledger.facts("surroundings", self.order.plan))

    def was_told(self, kind: str, at: At, value: str) -> bool:
        """Whether a person was told of exactly this before, and has resumed the run since."""
        order, name = self.order, f"{kind}:{self.order.run}/{at.phase.id}/{at.attempt}/{value}"
        with self.open_ledger() as ledger:
            is_known = any(fact.id == name for fact in ledger.facts(kind, order.plan))
            ledger.add(kind, order.plan, {"run": order.run, "hash": value}, id=name, at=int(self.now()))
        return is_known and self.is_answered


def note_run(order: Order, event: str, ending: Ending | None = None, *, text: str = "", pid: int = 0) -> None:
    """Put on record what happened to a run as a whole."""
    options, now = order.options, time.time()
    fact = RunFact(
        order.run,
        event,
        text=text,
        slug=order.slug,
        path=order.path,
        title=order.title,
        agent=options.agent,
        verifier=options.verifier,
        landing=options.landing,
        pid=pid,
    )
    if ending is not None:
        told = {"phase": ending.phase, "text": ending.text, "command": ending.command, "until": ending.until}
        fact = replace(fact, **told)
    with open_store(order.root).open_ledger() as ledger:
        add_fact(ledger, order.plan, fact, key=f"{order.run}/{event}/{now}", at=int(now))


def hash_record(record: object) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
