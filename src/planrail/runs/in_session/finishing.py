"""Finishing a proven phase: its mark in the document, its commit where one is wanted, the word in the ledger."""

import time

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.git.trailers import read_history
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.commit_cells import find_empty_cells, write_commits
from planrail.plans.editing.marking import mark_complete, mark_done
from planrail.plans.files.plan_writing import write_text
from planrail.plans.reading import read
from planrail.plans.text.source import Source, load
from planrail.projects.memory_of_spellings import remember
from planrail.projects.open_plan import open_known_plan
from planrail.runs.in_session.boundary import stand_at
from planrail.runs.in_session.cases import Case, locate_keeper
from planrail.runs.in_session.committing import Committed, Wish, commit_phase, find_commit, select_files, write_message
from planrail.runs.in_session.proving import SESSION, Proof
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_fact
from planrail.store.runs.run_history import PhaseFact


@record
class Finished:
    """What was done with a proven phase. `committed` is None where nothing was committed now."""

    ticked: int
    note: str
    commit: str = ""
    committed: Committed | None = None


def finish(case: Case, proof: Proof, *, wish: Wish | None) -> Finished:
    """Mark the phase, commit it where that is wished for, and put it on record.

    Which files a commit would have is known before anything is marked. The word in the ledger comes last: who dies
    before it has made a claim, and says it again.
    """
    _refuse_changed(case)
    if wish is None:
        ticked, note = _mark(case, proof)
        _record(case, proof, "")
        return Finished(ticked, note)

    files = select_files(case, proof.head, proof.tree.id, wish)
    ticked, note = _mark(case, proof)
    made = commit_phase(case, proof, files, write_message(case, proof, wish.message))
    commit = made.commit if made is not None else find_commit(case, proof)
    _record(case, proof, commit)
    return Finished(ticked, note, commit, made)


def _refuse_changed(case: Case) -> None:
    """The plan must still say what it said when the checks began; marks do not count."""
    text = load(case.paper.place).text
    if canonicalise(read(Source(case.paper.source.path, text)), text).hash != case.paper.canonical.hash:
        raise PlanrailError(
            f"{case.paper.source.path} changed while its checks ran; nothing was marked",
            remedy=f"planrail done {case.name} {case.id}",
        )


def _mark(case: Case, proof: Proof) -> tuple[int, str]:
    """Mark the document that keeps the phase's status. Where no mark can say it, the ledger alone does."""
    place = locate_keeper(case)
    source = load(place)
    try:
        marked = mark_done(source, case.order.id)
    except PlanrailError as error:
        return 0, f"the document is as it was: {error.message.removesuffix('; nothing was written')}"
    text = marked.text
    if place == case.paper.place and _is_last(case):
        text = mark_complete(Source(source.path, text), time.strftime("%Y-%m-%d", time.gmtime(proof.at)))
    text = _note_commits(case, proof, Source(source.path, text))
    if text != source.text:
        write_text(place, text)
    if marked.spelling is not None:
        remember(place, case.order.id, marked.was, marked.spelling)
    return marked.ticked, ""


def _note_commits(case: Case, proof: Proof, source: Source) -> str:
    """The document with the commits of the phases that landed before, where it has cells for them."""
    if not proof.head or not find_empty_cells(source):
        return source.text
    landed = read_history(case.root, proof.head)
    return write_commits(source, {found.phase: found.commit for found in landed[::-1] if found.plan == case.paper.id})


def _is_last(case: Case) -> bool:
    """Whether the plan is complete with this phase: all others are finished, and proven or adopted."""
    before = stand_at(open_known_plan(case.paper.place))
    return {*before.open, *before.claimed} <= {case.order.id}


def _record(case: Case, proof: Proof, commit: str) -> None:
    order = case.order
    fact = PhaseFact(
        SESSION,
        order.id,
        0,
        "done",
        title=order.title,
        base=proof.head,
        tree=proof.tree.id,
        commit=commit,
        evidence=proof.hash,
        text=order.canonical,
        by=SESSION,
    )
    key = f"{SESSION}/{order.id}/{proof.hash}/{commit}"
    with open_ledger(case.paper.root) as ledger:
        add_fact(ledger, case.paper.id, fact, key=key, at=proof.at)
