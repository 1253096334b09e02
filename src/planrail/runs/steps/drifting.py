"""Drift: what the agents of a phase found to be otherwise than the plan says, and what is decided about it."""

import os
import time
from collections.abc import Iterable

from planrail.base.run_model import DriftOutcome, DriftRecord, PhaseOrder, Verdict, Work
from planrail.git.git_writing import ask_git
from planrail.plans.editing.corrections import undo_corrections
from planrail.plans.editing.quantities import measure
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.runs.drift.deciding import CORRECTED, decide, decide_drift
from planrail.runs.drift.tokens import read_tokens
from planrail.runs.steps.site import Site
from planrail.runs.workshop import At
from planrail.store.runs import run_facts


class Drifting:
    """Reads the tokens of implementer and verifier; the verifier's come last, and count where they differ."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def find(self, phase: PhaseOrder, at: At, said: Work, verdict: Verdict) -> DriftOutcome:
        """See `Workshop.drift`."""
        told = "\n".join((said.text, verdict.work.text if verdict.work is not None else ""))
        records, _ = read_tokens(told)
        if not records:
            return DriftOutcome()
        text = self._text()
        plan = read(Source(self._site.order.path, text))
        day = time.strftime("%Y-%m-%d", time.gmtime(self._site.now()))
        earlier = [*self._earlier(at), *((known.phase, known.bullet) for known in undo_corrections(text, plan)[1])]
        outcome = decide_drift(records, text, plan, day, earlier=earlier)
        self._record(at, records)
        return outcome

    def _text(self) -> str:
        """The plan as it is now: the marks of earlier phases are in it."""
        order = self._site.order
        if order.is_tracked:
            text = ask_git(order.root, "show", f"{order.line}:{order.path}") or ask_git(
                order.root, "show", f"{order.target}:{order.path}"
            )
            if text is not None:
                return text
        with open(os.path.join(order.root, order.path), encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()

    def _earlier(self, at: At) -> list[tuple[str, int]]:
        """The bullets that were corrected in this run before this attempt looked at them."""
        with self._site.open_ledger() as ledger:
            facts = ledger.facts("drift", self._site.order.plan)
        mine = f"drift:{self._site.order.run}/{at.key('drift')}/"
        before = [fact for fact in facts if not fact.id.startswith(mine) and fact.value.get("decision") in CORRECTED]
        known = [fact for fact in before if fact.value.get("run") == self._site.order.run]
        return [(str(fact.value.get("phase")), int(str(fact.value.get("bullet") or 0))) for fact in known]

    def _record(self, at: At, records: Iterable[DriftRecord]) -> None:
        run, plan = self._site.order.run, self._site.order.plan
        with self._site.open_ledger() as ledger:
            for number, found in enumerate(records):
                percent = measure(found.stated, found.actual)
                fact = run_facts.drift_fact(run, found, percent or 0, decide(percent))
                key = f"{run}/{at.key('drift')}/{number}"
                run_facts.add_drift(ledger, plan, fact, key=key, at=int(self._site.now()))
