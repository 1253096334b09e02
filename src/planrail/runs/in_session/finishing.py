"""Finishing a proven phase: its mark in the document, its commit where one is wanted, the word in the ledger; and the
boundary to the next one."""

import time

from planrail.approval.records import find_sessions
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.git.trailers import find_landed, read_history
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.hook.sessions.state import PLAN_COMPLETED, PLAN_PENDING, Session
from planrail.hook.sessions.store import update
from planrail.plans.canonical.canonical import canonicalise
from planrail.plans.editing.edits import find_empty_cells, mark_complete, mark_done, write_commits
from planrail.plans.files.plan_writing import write_text
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.states import ProofKind as ProofState
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource, load
from planrail.projects.memory_of_spellings import remember
from planrail.projects.open_plan import open_known_plan
from planrail.runs.evidence.scope import is_named, read_scope
from planrail.runs.in_session.cases import PhaseCase, locate_keeper
from planrail.runs.in_session.committing import CommitRequest, Selection, commit_phase, select_files, write_message
from planrail.runs.in_session.proving import SESSION, PhaseProof
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import add_fact
from planrail.store.runs.run_history import PhaseFact


@record
class Finished:
    """What was done with a proven phase. `committed` is None where nothing was committed now."""

    ticked: int
    note: str
    commit: str = ""
    committed: Selection | None = None


def finish(case: PhaseCase, proof: PhaseProof, *, request: CommitRequest | None) -> Finished:
    """Mark the phase, commit it where that is requested, and put it on record.

    Which files a commit would have is known before anything is marked. The word in the ledger comes last: a
    process that dies before then has made a claim, and says it again.
    """
    text = load(case.plan_file.place).text
    if canonicalise(read(PlanSource(case.plan_file.source.path, text)), text).hash != case.plan_file.canonical.hash:
        raise PlanrailError(  # marks do not count
            f"{case.plan_file.source.path} changed while its checks ran; nothing was marked",
            remedy=f"planrail done {case.name} {case.id}",
        )
    files = select_files(case, proof.head, proof.tree.id, request) if request is not None else None
    ticked, note = _mark(case, proof)
    commit, made = "", None
    if request is not None and files is not None:
        made = commit_phase(case, proof, files, write_message(case, proof, request.message))
        known = find_landed(case.root, proof.head, case.plan_file.id, case.order.id) if proof.head else None
        commit = made.commit if made is not None else known or ""  # it may have been committed before
    order = case.order
    proven: dict[str, object] = {"base": proof.head, "tree": proof.tree.id, "commit": commit, "evidence": proof.hash}
    proven |= {"text": order.canonical, "by": SESSION, "root": case.root, **_describe_work(case, proof)}
    fact = PhaseFact(SESSION, order.id, 0, "done", order.title, **proven)  # type: ignore[arg-type] # at has its default
    with open_ledger(case.plan_file.root) as ledger:
        key = f"{SESSION}/{case.plan_file.id}/{order.id}/{order.canonical}/{proof.hash}/{commit}"
        add_fact(ledger, case.plan_file.id, fact, key=key, at=proof.at)
    return Finished(ticked, note, commit, made)


def _describe_work(case: PhaseCase, proof: PhaseProof) -> dict[str, object]:
    """What work was proven, so that it can be seen later whether it is still there."""
    began = case.base.began if case.base.began != proof.tree.id else ""  # it was there before anybody asked for it
    began = began or case.base.tree
    if not case.base.commit:
        return {}
    named = read_scope(case.order.text).named
    changed = changed_paths(case.root, began, proof.tree.id)
    return {"began": began, "files": tuple(path for path in changed if is_named(path, named))}


def _mark(case: PhaseCase, proof: PhaseProof) -> tuple[int, str]:
    """Mark the document that keeps the phase's status. Where no mark can say it, the ledger alone does."""
    place = locate_keeper(case)
    source = load(place)
    try:
        marked = mark_done(source, case.order.id)
    except PlanrailError as error:
        return 0, f"the document is as it was: {error.message.removesuffix('; nothing was written')}"
    text, plan = marked.text, case.plan_file.id
    before = stand_at(open_known_plan(case.plan_file.place))
    if place == case.plan_file.place and {*before.open, *before.claimed} <= {case.order.id}:  # it is the last one
        text = mark_complete(PlanSource(source.path, text), time.strftime("%Y-%m-%d", time.gmtime(proof.at)))
    if proof.head and find_empty_cells(PlanSource(source.path, text)):
        landed = [found for found in read_history(case.root, proof.head)[::-1] if found.plan == plan]
        text = write_commits(PlanSource(source.path, text), {found.phase: found.commit for found in landed})
    if text != source.text:
        write_text(place, text)
    if marked.spelling is not None:
        remember(place, case.order.id, marked.was, marked.spelling)
    return marked.ticked, ""


@record
class Boundary:
    """Where a plan stands after a phase. `open` are phases that are not finished, `claimed` those nobody has proven."""

    next: str
    open: tuple[str, ...]
    claimed: tuple[str, ...]
    proven: int
    adopted: int

    @property
    def is_complete(self) -> bool:
        return not (self.open or self.claimed)


def stand_at(plan: Plan) -> Boundary:
    """Where a plan stands, as the document and the ledger say together. A phase that is skipped needs no proof."""
    done = [phase for phase in plan.phases if phase.status is State.DONE]
    return Boundary(
        plan.next.phase if plan.next else "",
        tuple(phase.id for phase in plan.phases if not phase.status.is_terminal),
        tuple(phase.id for phase in done if phase.proof not in (ProofState.PROVEN, ProofState.ADOPTED)),
        sum(phase.proof is ProofState.PROVEN for phase in done),
        sum(phase.proof is ProofState.ADOPTED for phase in done),
    )


def set_ticket(place: str, boundary: Boundary) -> list[str]:
    """Have the plan come back, after a clear, in the sessions that are at work on it. Their ids."""
    intent, now = (PLAN_COMPLETED if boundary.is_complete else PLAN_PENDING), int(time.time())

    def want(current: Session | None) -> Session | None:
        return replace(current, intent=intent, intent_at=now) if current is not None else None

    found = [session for session in find_sessions(place) if not session.planning]
    for session in found:
        update(state_folder(), session.agent, session.id, want)
    return [session.id for session in found]
