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


def note_stage(plan_file: books.PlanFile, at: int, *stages: str) -> None:
    """Go as far as the life of a plan allows: a running or archived plan stays what it is."""
    text_hash = hash_of(plan_file.plan, plan_file.source.text)
    for stage in stages:
        take_step(state_folder(), plan_file.place, os.path.realpath(plan_file.root), ReachedStage(stage, text_hash, at))


def list_adoptable(plan_file: books.PlanFile, book: books.Book) -> tuple[str, ...]:
    """The phases that an approval adopts: those marked as done, where nothing is approved, adopted or proven yet."""
    done = tuple(phase.id for phase in plan_file.plan.phases if phase.status is State.DONE)
    if not done or any(isinstance(word, Approval) for word in book.history):
        return ()
    known = books.list_facts(plan_file.root, plan=plan_file.id)
    return () if any(fact.kind in (ADOPTION, PHASE) for fact in known) else done


def describe_adoption(phases: tuple[str, ...]) -> str:
    names = ", ".join(phases)
    return (
        f"Marked as done before planrail's first run: {names}. Your approval adopts them: they are not run again, and"
        " are shown as adopted, not as proven.\n"
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
    plan_file = books.open_plan_file(path, root)
    policy = books.load_policy(plan_file.root, os.environ)
    with open_ledger(plan_file.root) as ledger, ledger.exclusive():
        book = books.make_book(ledger.facts(plan=plan_file.id))
        for said in reversed(book.history):  # one that a person rejected needs a change, or a later approval of it
            if isinstance(said, Approval) and hash_document(said.phases, said.rest) == plan_file.canonical.hash:
                break
            if isinstance(said, Rejection) and said.canonical == plan_file.canonical.hash and said.channel != NOBODY:
                text = f"{plan_file.source.path} was rejected by {said.who or 'a person'} and has not changed since"
                raise PlanrailError(text, remedy="revise it by what was said, or ask what should be different")
        waiting = [request for request in books.open_requests(book) if request.canonical == plan_file.canonical.hash]
        if waiting:
            return waiting[0]
        strength = policy.in_session if session else policy.headless
        said_of = (plan_file.plan.title, ledger.keep_text(plan_file.source.text), plan_file.canonical.hash)
        at = max(int(time.time()) if now is None else now, book.latest)
        told = (", ".join(policy.leads), strength, agent, session)
        whose = member or read_who(os.environ)
        request = Request(new_id()[:_ID], plan_file.id, plan_file.path, *said_of, whose, at, *told)
        ledger.add(books.REQUEST, plan_file.id, to_json(request), id=f"{books.REQUEST}-{request.id}", at=request.at)
    note_stage(plan_file, request.at, "proposed")
    return request


def record_dialog(path: str, *, agent: str, session: str, at: int, edited: bool, root: str | None = None) -> Approval:
    """Put on record that a person approved in the agent's own dialog, as a hook saw it. It waits in the spool."""
    plan_file = books.open_plan_file(path, root)
    said = make_approval(plan_file, who=read_who(os.environ), at=at, strength=DIALOG, edited=edited)
    told = f"{agent}\n{session}\n{at}\n{plan_file.canonical.hash}"  # the same answer seen twice is one approval
    said = replace(said, agent=agent, session=session, id=hashlib.sha256(told.encode()).hexdigest()[:32])
    spool_text(plan_file.root, plan_file.source.text, at=at)
    append_spool(plan_file.root, books.APPROVAL, plan_file.id, to_json(said), id=f"{books.APPROVAL}-{said.id}", at=at)
    return said


def make_approval(
    plan_file: books.PlanFile, *, who: str, at: int, strength: str, edited: bool = False, request: str = ""
) -> Approval:
    named = (new_id(), plan_file.id, plan_file.path, plan_file.plan.title, plan_file.repository)
    phases = tuple((phase.key, phase.hash) for phase in plan_file.canonical.phases)
    hashes = (phases, plan_file.canonical.rest_hash, hash_text(plan_file.source.text))
    return Approval(*named, *hashes, who, at, strength, strength, edited=edited, request=request)


def record_answer(
    plan_file: books.PlanFile, said: Approval | Rejection, seen: int, adopted: tuple[str, ...] = ()
) -> None:
    """Put a person's word on record, unless another person answered since the book was read: one is the first.

    With a first approval, the phases that it adopts.
    """
    kind = books.APPROVAL if isinstance(said, Approval) else books.REJECTION
    with open_ledger(plan_file.root) as ledger, ledger.exclusive():
        facts = [fact for fact in ledger.facts(plan=plan_file.id) if fact.seq > seen]
        later = [fact for fact in facts if fact.kind in (books.APPROVAL, books.REJECTION)]
        if later:
            what = "approved" if later[-1].kind == books.APPROVAL else "rejected"
            text = f"{later[-1].value.get('who') or 'another person'} has {what} the plan meanwhile"
            raise PlanrailError(f"{text}; your answer was not recorded", remedy="planrail list approvals")
        ledger.keep_text(plan_file.source.text)
        ledger.add(kind, plan_file.id, to_json(said), id=f"{kind}-{said.id}", at=said.at)
        if adopted and isinstance(said, Approval):
            value = {"phases": list(adopted), "by": said.who, "text": plan_file.canonical.hash, "approval": said.id}
            ledger.add(ADOPTION, plan_file.id, value, id=f"{ADOPTION}:{plan_file.id}", at=said.at)
