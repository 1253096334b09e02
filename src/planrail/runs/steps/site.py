"""What the steps of a run share: its order and folders, what it is given from outside, and what they put on record.

Every fact is added under the key of its step, so that a step that is done twice says it once.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from planrail.agents.model import Event
from planrail.ask.interruptions import Interruptions
from planrail.base.errors import Fenced
from planrail.base.identity import safe_name
from planrail.base.records import record
from planrail.base.run_model import Ending, Evidence, Order, PhaseOrder, Refusal
from planrail.base.settings import Settings
from planrail.base.values import value
from planrail.git.trailers import find_landed
from planrail.runs.evidence.judging import hash_evidence
from planrail.store.claim_rules import PLAN, Claim
from planrail.store.fact_rows import Ledger
from planrail.store.facts import Fact
from planrail.store.ledger import open_store
from planrail.store.runs.run_facts import PHASE, SPENT, AnyFact, add_fact, phase_states, read_history
from planrail.store.runs.run_history import VERIFIED, PhaseFact, RunFact

T = TypeVar("T")
Facts = Sequence[Fact]
ROOM = "room"
SIDE = ".planrail"  # the folder in a working tree that has what an agent is given; never a part of the work
PHASE_FILE = f"{SIDE}/phase.md"  # the text of a long phase
CONTRACT_FILE = f"{SIDE}/contract.md"  # what the plan says beside its phases, where that is long


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
    def note(self, text: str, topic: str = "") -> None: ...
    def ask(self, question: str) -> bool | None: ...


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
    def fence(self) -> int:
        """The number of the plan's claim, which a remote is told; 0 where the work lands in place."""
        return self.claim.fence if self.order.remote else 0

    @property
    def check_folder(self) -> str:
        """The folder of the trees in which checks are run; that of the workspaces in a run of an earlier version."""
        return self.order.check_folder or self.order.workspaces

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
        return os.path.join(self.check_folder if kind == ROOM else self.order.workspaces, name)

    # ---- on record ----

    def open_ledger(self) -> Ledger:
        return open_store(self.root).open_ledger()

    def read(self, kind: str) -> Facts:
        with self.open_ledger() as ledger:
            return ledger.facts(kind, self.order.plan)

    def note(self, at: At, name: str, fact: AnyFact) -> None:
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

    def describe(
        self, at: At, state: str, commit: str = "", evidence: Evidence | None = None, /, **more: str
    ) -> PhaseFact:
        if evidence is not None:
            more |= {"tree": evidence.tree, "evidence": hash_evidence(evidence.runs)}
        known = (self.order.run, at.phase.id, at.attempt, state, at.phase.title)
        return PhaseFact(*known, commit=commit, canonical=at.phase.canonical, **more)  # type: ignore[arg-type]

    def begin(self, at: At, base: str, refuse_budget: Callable[[At, Facts, Facts], Refusal | None]) -> Start | Refusal:
        """Begin an attempt: budget and status are one transaction."""
        order, phase = self.order, at.phase
        with self.open_ledger() as ledger:
            landed = self._find_landed(ledger, phase, base)
            if landed:
                return Start(base, landed)
            is_ours = self.holds_claim()  # before: one connection to a team's database at a time
            with ledger.exclusive():
                over = refuse_budget(at, ledger.facts(SPENT, order.plan), ledger.facts(PHASE, order.plan))
                known = phase_states(ledger, order.plan).get(phase.id)
                # the last word may be a person's, with evidence, about the text that it has now
                is_persons = known is not None and (known.by, known.text) == ("session", phase.canonical)
                in_session = is_persons and known is not None and known.is_done
                if over is None and is_ours and not in_session:
                    fact = PhaseFact(order.run, phase.id, at.attempt, "in_progress", phase.title, base)
                    self.add(ledger, at, "start", fact)
        if over is not None:
            raise Paused("paused", over.text, over.command)  # a person who raises the ceiling goes on from here
        if not is_ours:
            text = "another run has taken over this plan; this one does nothing more"
            return Refusal("stopped", text, f"planrail status {order.path}")
        open_store(self.root).claims.set_phase(PLAN, order.plan, order.run, f"Phase {phase.id} — {phase.title}")
        return Start(base, in_session=in_session)

    def _find_landed(self, ledger: Ledger, phase: PhaseOrder, base: str) -> str:
        """The commit of a phase that landed and whose run was cut off before it could say so; "" where there is none.

        The ledger said before the landing that this commit is verified, its evidence is there and speaks for it, and
        the line, which is at `base`, has it with the trailers of this phase. git is asked only where there is such a
        word. After a database was put back from an older copy, a commit on the remote since the run began says it,
        though the ledger does not. The checks are run there first, whatever is said.
        """
        order = self.order
        line = base if order.remote else order.line
        for evidence, commit in self.read_verified(ledger, phase).items():
            proven = {fact.hash for fact in read_history(ledger, order.plan).evidence if fact.proves}
            if evidence in proven and commit == find_landed(order.root, line, order.plan, phase.id, evidence):
                return commit
        if not order.remote or order.options.again or not order.base:
            return ""
        return find_landed(order.root, base, order.plan, phase.id, since=order.base) or ""

    def read_verified(self, ledger: Ledger, phase: PhaseOrder) -> dict[str, str]:
        """The commits of a phase, as its text is now, that were proven and about to land, by their evidence."""
        told = (fact.value for fact in ledger.facts(PHASE, self.order.plan))
        wanted = (phase.id, VERIFIED, phase.canonical)
        ours = [value for value in told if tuple(map(value.get, ("phase", "state", "canonical"))) == wanted]
        if self.order.options.again:  # only what this very run has landed counts
            ours = [value for value in ours if value.get("run") == self.order.run]
        return {str(value.get("evidence")): str(value.get("commit")) for value in ours}

    def confirm_record(self, name: str, record: object) -> bool:
        """Whether this is what the ledger has of a record of the run; the first word is the one that it keeps."""
        run, told = self.order.run, hash_record(record)
        with self.open_ledger() as ledger:
            value = {"run": run, "hash": told}
            kept = ledger.add("surroundings", self.order.plan, value, id=f"{name}:{run}", at=int(self.now()))
        return kept.value.get("hash") == told

    def has_record(self, name: str) -> bool:
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
    options, now = order.options, time.time()
    told = {name: getattr(ending, name) for name in ("phase", "text", "command", "until")} if ending else {"text": text}
    told |= {name: getattr(order, name) for name in ("slug", "path", "title")}
    told |= {name: getattr(options, name) for name in ("agent", "verifier", "landing")}
    fact = RunFact(order.run, event, **told, pid=pid)
    with open_store(order.root).open_ledger() as ledger:
        add_fact(ledger, order.plan, fact, key=f"{order.run}/{event}/{now}", at=int(now))


def hash_record(record: object) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()
