"""What a run puts on record: that a phase began, what was found, what was spent, how it ended.

Every fact is added under the key of its step, so that a step that is done twice says it once.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import TypedDict

from planrail.base.budgets import OverBudget, decide_budget, spent
from planrail.base.errors import Fenced
from planrail.base.records import replace
from planrail.base.run_model import (
    Candidate,
    Ending,
    Evidence,
    Landing,
    PhaseEnd,
    PhaseOrder,
    Refusal,
    Snapshot,
    Verdict,
    Work,
)
from planrail.git.trailers import find_landed
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.phase_line import IN_SESSION
from planrail.runs.phases.choosing import refuse_phase
from planrail.runs.steps.site import Site, resolve_line
from planrail.runs.workshop import At, Paused, Start
from planrail.store.claim_rules import PLAN
from planrail.store.fact_rows import Ledger
from planrail.store.ledger import open_store
from planrail.store.runs import run_facts
from planrail.store.runs.run_history import VERIFIED, PhaseFact, RunFact, VerdictFact

_ON_THE_LINE = ("landed", "done", "merged", "pr-ready")


class Key(TypedDict):
    """What a fact is added under, and when."""

    key: str
    at: int


class Book:
    """The facts of one run."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._run, self._plan = site.order.run, site.order.plan
        self._spent: dict[str, Mapping[str, object]] = {}  # what this process has put on record

    # ---- phases ----

    def start(self, phase: PhaseOrder, at: At) -> Start | Refusal:
        """See `Workshop.start`. The claim is looked at, then budget and status are one transaction."""
        refusal = self._refuse(phase)
        if refusal is not None:
            return refusal
        base = resolve_line(self._site)
        fact = PhaseFact(self._run, phase.id, at.attempt, "in_progress", phase.title, base)
        with self._site.open_ledger() as ledger:
            landed = self._find_landed(ledger, phase, base)
            if landed:
                return Start(base, landed)
            taken = self._look_at_claim()  # before: one connection to a team's database at a time
            with ledger.exclusive():
                refusal = self._look_at_budget(ledger, at, begins=True) or taken
                in_session = self._was_proven_in_session(ledger, phase)
                if refusal is None and not in_session:
                    run_facts.add_fact(ledger, self._plan, fact, **self._key(at, "start"))
        if refusal is not None and refusal.reason == "budget":
            raise Paused("paused", refusal.text, refusal.command)  # whoever raises the ceiling goes on from here
        if refusal is None:
            claims = open_store(self._site.root).claims
            claims.set_phase(PLAN, self._plan, self._run, f"Phase {phase.id} — {phase.title}")
        return refusal or Start(base, in_session=in_session)

    def _was_proven_in_session(self, ledger: Ledger, phase: PhaseOrder) -> bool:
        """Whether the last word on a phase is a person's, with evidence, about the text that it has now."""
        fact = run_facts.phase_states(ledger, self._plan).get(phase.id)
        return fact is not None and fact.by == "session" and fact.is_done and fact.text == phase.canonical

    def _find_landed(self, ledger: Ledger, phase: PhaseOrder, base: str) -> str:
        """The commit of a phase that landed and whose run was cut off before it could say so; "" where there is none.

        The ledger said before the landing that this commit is verified, its evidence is there and speaks for it, and
        the line, which is at `base`, has it with the trailers of this phase. git is asked only where there is such a
        word.
        """
        for evidence, commit in self._read_verified(ledger, phase).items():
            proven = {fact.hash for fact in run_facts.read_history(ledger, self._plan).evidence if fact.proves}
            line = base if self._site.order.remote else self._site.order.line
            if evidence in proven and commit == find_landed(self._site.root, line, self._plan, phase.id, evidence):
                return commit
        return self._find_told(phase, base)

    def _find_told(self, phase: PhaseOrder, base: str) -> str:
        """A commit on the remote since the run began that says it has landed this phase, though the ledger does not.

        So it is after a database was put back from an older copy. Whoever hears this runs the checks there first.
        """
        order = self._site.order
        if not order.remote or order.options.again or not order.base:
            return ""
        return find_landed(self._site.root, base, self._plan, phase.id, since=order.base) or ""

    def _read_verified(self, ledger: Ledger, phase: PhaseOrder) -> dict[str, str]:
        """The commits of a phase, as its text is now, that were proven and about to land, by their evidence."""
        told = (fact.value for fact in ledger.facts(run_facts.PHASE, self._plan))
        wanted = (phase.id, VERIFIED, phase.canonical)
        ours = [value for value in told if tuple(map(value.get, ("phase", "state", "canonical"))) == wanted]
        if self._site.order.options.again:  # only what this very run has landed counts
            ours = [value for value in ours if value.get("run") == self._run]
        return {str(value.get("evidence")): str(value.get("commit")) for value in ours}

    def _refuse(self, phase: PhaseOrder) -> Refusal | None:
        unapproved = self._site.approve(phase)
        if unapproved:
            return Refusal("refused", unapproved, f"planrail approve {self._site.order.path}")
        return refuse_phase(self._site.order, phase)

    def _look_at_claim(self) -> Refusal | None:
        if self._site.holds_claim():
            return None
        text = "another run has taken over this plan; this one does nothing more"
        return Refusal("stopped", text, f"planrail status {self._site.order.path}")

    @contextlib.contextmanager
    def _holding(self, ledger: Ledger) -> Iterator[None]:
        """Say something about a phase of a team that only whoever has the plan may say.

        Another machine that took the run over says it under the same keys. On one machine a plan that was taken over
        is another run's, and this one may say how it failed.
        """
        if open_store(self._site.root).is_shared and not self._site.holds_claim():
            raise Fenced("another run has taken over this plan", remedy=f"planrail status {self._site.order.path}")
        with ledger.exclusive():
            yield

    def may_dispatch(self, at: At) -> Refusal | None:
        """Whether the budget lets another agent start inside an attempt."""
        with self._site.open_ledger() as ledger:
            return self._look_at_budget(ledger, at, begins=False)

    def _look_at_budget(self, ledger: Ledger, at: At, *, begins: bool) -> Refusal | None:
        """Agents count by what they used, attempts by their beginning."""
        known = {fact.id: fact.value for fact in ledger.facts("spent", self._plan)}
        facts = list((self._spent | known).values())  # a row that is gone was spent all the same
        if begins:
            begun = (fact.value for fact in ledger.facts("phase", self._plan))
            own = (self._run, at.phase, at.attempt)  # begun before a crash: it is this very attempt
            facts += [fact for fact in begun if fact.get("state") == "in_progress" and _attempt_of(fact) != own]
        of_attempt = spent(facts, run=self._run, phase=at.phase, attempt=at.attempt)
        levels = (spent(facts), spent(facts, phase=at.phase), of_attempt)
        decided = decide_budget(self._site.order.options.budget, *levels, begins_attempt=begins)
        return Refusal("budget", decided.text, decided.remedy) if isinstance(decided, OverBudget) else None

    def add_verified(self, phase: PhaseOrder, at: At, candidate: Candidate, evidence: Evidence) -> None:
        commit = candidate.commit
        fact = replace(self._fact(phase, at, VERIFIED, commit, evidence), base=candidate.onto)
        with self._site.open_ledger() as ledger, self._holding(ledger):
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, f"verified/{commit}"))

    def add_waiting(self, phase: PhaseOrder, at: At, landing: Landing, evidence: Evidence) -> None:
        fact = self._fact(phase, at, landing.state, landing.commit, evidence)
        self._add_rest(at, replace(fact, text=landing.message))

    def add_paused(self, phase: PhaseOrder, at: At, text: str) -> None:
        self._add_rest(at, replace(self._fact(phase, at, "paused"), text=text))

    def _add_rest(self, at: At, fact: PhaseFact) -> None:
        """It may rest in the same state again: the last word has to be the last."""
        with self._site.open_ledger() as ledger, self._holding(ledger):
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, f"{fact.state}/{self._site.now()}"))

    def _fact(
        self, phase: PhaseOrder, at: At, state: str, commit: str = "", evidence: Evidence | None = None
    ) -> PhaseFact:
        known = PhaseFact(self._run, phase.id, at.attempt, state, phase.title, commit=commit, canonical=phase.canonical)
        return (
            replace(known, tree=evidence.tree, evidence=hash_evidence(evidence.runs)) if evidence is not None else known
        )

    def end_phase(self, phase: PhaseOrder, at: At, end: PhaseEnd, evidence: Evidence | None) -> None:
        """How an attempt ended. One that had landed before is proven by what was verified then, and one that was done
        in a session by what was said there."""
        if end.reason == IN_SESSION:
            return
        fact = replace(self._fact(phase, at, end.state, end.commit, evidence), reason=end.reason, text=end.text)
        with self._site.open_ledger() as ledger, self._holding(ledger):
            if evidence is None and end.commit:
                known = {commit: named for named, commit in self._read_verified(ledger, phase).items()}
                fact = replace(fact, evidence=known.get(end.commit, ""))
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, "end"))

    # ---- what was found and used ----

    def add_spent(self, at: At, role: str, work: Work) -> None:
        fact = run_facts.spent_fact(self._run, at.phase, at.attempt, role, work)
        with self._site.open_ledger() as ledger:
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, role))
        named = f"{run_facts.SPENT}:{self._key(at, role)['key']}"
        used = {"tokens_in": work.tokens_in, "tokens_out": work.tokens_out, "cost": work.cost, "seconds": work.seconds}
        self._spent[named] = {"run": self._run, "phase": at.phase, "attempt": at.attempt, **used}

    def add_evidence(self, at: At, name: str, snapshot: Snapshot, evidence: Evidence) -> None:
        named = hash_evidence(evidence.runs)
        fact = run_facts.evidence_fact(self._run, at.phase, at.attempt, evidence, named, snapshot.commit)
        with self._site.open_ledger() as ledger:
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, f"{name}/{named}"))

    def add_verdict(self, at: At, name: str, verdict: Verdict) -> None:
        fact = VerdictFact(self._run, at.phase, at.attempt, verdict)
        with self._site.open_ledger() as ledger:
            run_facts.add_fact(ledger, self._plan, fact, **self._key(at, name))

    # ---- the run ----

    def add_run(self, event: str, ending: Ending | None = None, *, text: str = "", pid: int = 0) -> None:
        order, options, now = self._site.order, self._site.order.options, self._site.now()
        fact = RunFact(
            order.run,
            event,
            ending.phase if ending else "",
            text=ending.text if ending else text,
            command=ending.command if ending else "",
            until=ending.until if ending else 0,
            slug=order.slug,
            path=order.path,
            title=order.title,
            agent=options.agent,
            verifier=options.verifier,
            landing=options.landing,
            pid=pid,
        )
        with self._site.open_ledger() as ledger:
            run_facts.add_fact(ledger, self._plan, fact, key=f"{order.run}/{event}/{now}", at=int(now))

    def landed_commits(self) -> dict[str, str]:
        with self._site.open_ledger() as ledger:
            states = run_facts.phase_states(ledger, self._plan)
        return {name: fact.commit for name, fact in states.items() if fact.state in _ON_THE_LINE}

    def land_all(self, commit: str) -> None:
        with self._site.open_ledger() as ledger:
            for name, fact in run_facts.phase_states(ledger, self._plan).items():
                if fact.state == "pr-ready":
                    landed = replace(fact, state="landed", commit=commit, text="its pull request was merged")
                    key = f"{fact.run}/phase/{name}/{fact.attempt}/merged"
                    run_facts.add_fact(ledger, self._plan, landed, key=key, at=int(self._site.now()))

    def add_ending(self, ending: Ending) -> None:
        self.add_run(ending.state, ending)

    def adopt(self) -> None:
        """The phases that were done before planrail's first run, where nobody was asked about them."""
        order = self._site.order
        if order.adopted:
            with self._site.open_ledger() as ledger:
                key = f"{order.plan}/first-run"
                run_facts.add_adoption(ledger, order.plan, order.adopted, "settings", key=key, at=order.began)

    def _key(self, at: At, name: str) -> Key:
        return {"key": f"{self._run}/{at.key(name)}", "at": int(self._site.now())}


def _attempt_of(fact: Mapping[str, object]) -> tuple[object, object, object]:
    return fact.get("run"), fact.get("phase"), fact.get("attempt")
