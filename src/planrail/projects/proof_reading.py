"""Reading from the ledger what is known of a plan's phases: the database is opened for reading, and none is made."""

import contextlib
import os
import time
from collections.abc import Mapping

from planrail.approval.book import Paper, find_root, identify
from planrail.base.errors import PlanrailError
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.corrections import undo_corrections
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import Proof
from planrail.plans.text.source import Source
from planrail.projects.plan_proofs import Known, Word
from planrail.projects.settling import ELSEWHERE, ON_THE_REMOTE, TOLD, hold_to_texts, proven_text, read_told, settle
from planrail.store.claim_rules import PLAN, Claim
from planrail.store.fact_rows import Ledger
from planrail.store.ledger import open_store
from planrail.store.runs.run_facts import adopted, phase_states
from planrail.store.runs.run_history import PhaseFact

_AT_WORK = ("in_progress", "verified")


def read_known(path: str, plan: Plan, text: str) -> Known:
    """What the ledger says of a plan that was read from this path, as far as it is true of what is checked out.

    A ledger that cannot be read says nothing; where it does not know the plan, the commits are heard.
    """
    import sqlite3

    root = find_root(path)
    try:
        name = identify(path, root, plan, text)
        store = open_store(root)
        with store.look() or contextlib.nullcontext() as ledger:
            return _known(root, name, ledger, store.claims.live_holder(PLAN, name))
    except (sqlite3.Error, OSError, PlanrailError):
        return Known({})


def hash_phases(proven: Mapping[str, str], plan: Plan, text: str) -> dict[str, str]:
    """The hashes of the phases as they are now; none where nothing was proven for a text, since it takes a while.

    `proven` has the hash that each phase was proven for: planrail's own corrections of numbers since then do not count.
    """
    if not any(proven.values()):
        return {}
    found = {phase.key: phase.hash for phase in canonicalise(plan, text).phases}
    if "Auto-corrected" not in text:
        return found
    before, _ = undo_corrections(text, plan)
    phases = canonicalise(read(Source(plan.path, before)), before).phases
    return found | {phase.key: phase.hash for phase in phases if proven.get(phase.key) == phase.hash}


def _known(root: str, name: str, ledger: Ledger | None, claim: Claim | None) -> Known:
    held = f"{claim.owner.run or claim.owner.id}, since {_time(claim.started_at)}" if claim is not None else ""
    held = f"{'run' if claim is not None and claim.owner.run else 'held by'} {held}" if held else ""
    states, words = {}, {}
    if ledger is not None:
        states = phase_states(ledger, name)
        words = {phase: Word(Proof.ADOPTED, "adopted") for phase in adopted(ledger, name)}
    states = settle(root, name, states) if states else read_told(root, name)
    words |= {phase: word for phase, fact in states.items() if (word := _word(fact)) is not None}
    run = claim.owner.run if claim is not None else ""  # it holds the plan, and may be at work on phases
    mine = {phase: fact for phase, fact in states.items() if run and fact.run == run and fact.state in _AT_WORK}
    live = {phase: f"run {run}, since {_time(fact.at)}" for phase, fact in mine.items()}
    return Known(words, live, held)


def _word(fact: PhaseFact) -> Word | None:
    commit = fact.commit[:10]
    if fact.state == TOLD:
        return Word(Proof.CLAIMED, f"commit {commit} says that it landed")
    if fact.state == ELSEWHERE:
        return Word(Proof.CLAIMED, f"it landed elsewhere: commit {commit} is not on this branch", makes_done=False)
    if not fact.is_done:
        return None
    how = "proven in a session" if fact.by == "session" else f"run {fact.run}"
    where = f", commit {commit}" if commit else ""
    pull = "; landed on the remote, not here yet" if fact.reason == ON_THE_REMOTE else ""
    return Word(Proof.PROVEN, f"{how}, {_time(fact.at)[:10]}{where}{pull}", proven_text(fact))


def _time(at: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def hold_facts(paper: Paper, facts: dict[str, PhaseFact]) -> dict[str, PhaseFact]:
    """The facts as they are true of what is checked out and of the text that the plan has now."""
    if not os.path.exists(os.path.join(paper.root, ".git")):
        return facts
    if not facts:
        return read_told(paper.root, paper.id)
    settled = settle(paper.root, paper.id, facts)
    texts = {phase.key: phase.hash for phase in paper.canonical.phases}
    if "Auto-corrected" in paper.source.text:
        proven = {name: proven_text(fact) for name, fact in settled.items()}
        texts |= hash_phases(proven, paper.plan, paper.source.text)
    return hold_to_texts(settled, texts)
