"""Putting on record what was said to a plan: proposals, approvals in a dialog, other approvals, rejections."""

import hashlib
import os
import time

from planrail.approval import book as books
from planrail.approval.model import DIALOG, NOBODY, Approval, Rejection, Request, to_json
from planrail.approval.people.terminals import read_who
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.plans.canonical.canonical import hash_document, hash_text
from planrail.plans.files.lifecycle import ReachedStage
from planrail.plans.files.plan_records import hash_of, take_step
from planrail.plans.states import State
from planrail.store.facts import new_id
from planrail.store.ledger import open_ledger
from planrail.store.runs.run_facts import ADOPTION, PHASE
from planrail.store.spool import append_spool, spool_text


def note_stage(paper: books.PlanFile, at: int, *stages: str) -> None:
    """Go as far as the life of a plan allows: a running or archived plan stays what it is."""
    text_hash = hash_of(paper.plan, paper.source.text)
    for stage in stages:
        take_step(state_folder(), paper.place, os.path.realpath(paper.root), ReachedStage(stage, text_hash, at))


def list_adoptable(paper: books.PlanFile, book: books.Book) -> tuple[str, ...]:
    """The phases that an approval adopts: those marked as done, where nothing is approved, adopted or proven yet."""
    done = tuple(phase.id for phase in paper.plan.phases if phase.status is State.DONE)
    if not done or any(isinstance(word, Approval) for word in book.history):
        return ()
    known = books.list_facts(paper.root, plan=paper.id)
    return () if any(fact.kind in (ADOPTION, PHASE) for fact in known) else done


def describe_adoption(phases: tuple[str, ...]) -> str:
    names = ", ".join(phases)
    return (
        f"Marked as done before planrail's first run: {names}. Your yes adopts them: they are not run again, and are"
        " shown as adopted, not as proven.\n"
    )


_ID = 12  # digits of a request's id: people type it


def propose(
    path: str,
    *,
    agent: str = "",
    session: str = "",
    member: str = "",
    root: str | None = None,
    now: int | None = None,
) -> Request:
    """Record that a plan waits for a person's word. The same text twice is the same request.

    Raises `PlanrailError` for a text that was rejected and is unchanged.
    """
    paper = books.open_paper(path, root)
    policy = books.load_policy(paper.root, os.environ)
    with open_ledger(paper.root) as ledger, ledger.exclusive():
        book = books.make_book(ledger.facts(plan=paper.id))
        for said in reversed(book.history):  # one that a person rejected needs a change, or a later approval of it
            if isinstance(said, Approval) and hash_document(said.phases, said.rest) == paper.canonical.hash:
                break
            if isinstance(said, Rejection) and said.canonical == paper.canonical.hash and said.channel != NOBODY:
                text = f"{paper.source.path} was rejected by {said.who or 'a person'} and has not changed since"
                raise PlanrailError(text, remedy="revise it by what was said, or ask what should be different")
        waiting = [request for request in books.open_requests(book) if request.canonical == paper.canonical.hash]
        if waiting:
            return waiting[0]
        strength = policy.in_session if session else policy.headless
        said_of = (paper.plan.title, ledger.keep_text(paper.source.text), paper.canonical.hash)
        at = max(int(time.time()) if now is None else now, book.latest)
        told = (", ".join(policy.leads), strength, agent, session)
        whose = member or read_who(os.environ)
        request = Request(new_id()[:_ID], paper.id, paper.path, *said_of, whose, at, *told)
        ledger.add(books.REQUEST, paper.id, to_json(request), id=f"{books.REQUEST}-{request.id}", at=request.at)
    note_stage(paper, request.at, "proposed")
    return request


def record_dialog(path: str, *, agent: str, session: str, at: int, edited: bool, root: str | None = None) -> Approval:
    """Put on record that a person approved in the agent's own dialog, as a hook saw it. It waits in the spool."""
    paper = books.open_paper(path, root)
    said = make_approval(paper, who=read_who(os.environ), at=at, strength=DIALOG, edited=edited)
    told = f"{agent}\n{session}\n{at}\n{paper.canonical.hash}"  # the same answer seen twice is one approval
    said = replace(said, agent=agent, session=session, id=hashlib.sha256(told.encode()).hexdigest()[:32])
    spool_text(paper.root, paper.source.text, at=at)
    append_spool(paper.root, books.APPROVAL, paper.id, to_json(said), id=f"{books.APPROVAL}-{said.id}", at=at)
    return said


def make_approval(
    paper: books.PlanFile, *, who: str, at: int, strength: str, edited: bool = False, request: str = ""
) -> Approval:
    named = (new_id(), paper.id, paper.path, paper.plan.title, paper.repository)
    phases = tuple((phase.key, phase.hash) for phase in paper.canonical.phases)
    hashes = (phases, paper.canonical.rest_hash, hash_text(paper.source.text))
    return Approval(*named, *hashes, who, at, strength, strength, edited=edited, request=request)


def record_answer(paper: books.PlanFile, said: Approval | Rejection, seen: int, adopted: tuple[str, ...] = ()) -> None:
    """Put a person's word on record, unless another person answered since the book was read: one is the first.

    With a first approval, the phases that it adopts.
    """
    kind = books.APPROVAL if isinstance(said, Approval) else books.REJECTION
    with open_ledger(paper.root) as ledger, ledger.exclusive():
        facts = [fact for fact in ledger.facts(plan=paper.id) if fact.seq > seen]
        later = [fact for fact in facts if fact.kind in (books.APPROVAL, books.REJECTION)]
        if later:
            what = "approved" if later[-1].kind == books.APPROVAL else "rejected"
            text = f"{later[-1].value.get('who') or 'somebody else'} has {what} the plan meanwhile"
            raise PlanrailError(f"{text}; your answer was not recorded", remedy="planrail list approvals")
        ledger.keep_text(paper.source.text)
        ledger.add(kind, paper.id, to_json(said), id=f"{kind}-{said.id}", at=said.at)
        if adopted and isinstance(said, Approval):
            value = {"phases": list(adopted), "by": said.who, "text": paper.canonical.hash, "approval": said.id}
            ledger.add(ADOPTION, paper.id, value, id=f"{ADOPTION}:{paper.id}", at=said.at)
