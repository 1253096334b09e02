"""Rejecting a plan: the no is put on record, and its author hears it with the lines that it speaks of."""

from collections.abc import Callable, Sequence

from planrail.approval.book import PlanFile, load_policy, open_plan_file, open_requests, read_book, recall_plan_file
from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import NOBODY, TERMINAL, Comment, Rejection
from planrail.approval.people.terminals import read_login
from planrail.approval.person import Person
from planrail.approval.records import note_stage, record_answer, render_rejection, tell_sessions
from planrail.base.errors import UsageError
from planrail.base.masking import mask
from planrail.base.records import record, replace
from planrail.plans.canonical.canonical import hash_text
from planrail.projects.naming import locate
from planrail.store.facts import new_id


@record
class RejectRequest:
    """Which plan: its file, or the id of a request. `comment` says what is wrong with which lines of its text."""

    plan: str
    feedback: str = ""
    comment: Callable[[str], Sequence[Comment]] = lambda _text: ()
    said_by: tuple[str, str] | None = None  # the person and the channel; None: whoever is at this terminal


@record
class Rejected:
    """What was put on record, and which sessions hear of it. `is_gone`: the plan's file is no longer there."""

    plan_file: PlanFile
    rejection: Rejection
    sessions: list[str]
    is_gone: bool


def reject(request: RejectRequest, person: Person) -> Rejected:
    named = locate(request.plan)
    plan_file = (
        recall_plan_file(named.root, named.request)
        if not named.path and named.request is not None and named.root is not None
        else open_plan_file(named.path, named.root)
    )
    book = read_book(plan_file.root, plan_file.id)
    if not (plan_file.plan.phases or book.requests or book.history):  # then it is a plan only if it was called one
        text = f"{plan_file.path} has no phases, and nobody proposed it: it is no plan"
        raise UsageError(text, remedy="see which are: planrail plans")
    read = request.comment(plan_file.source.text)
    # What reaches the ledger, and from there an agent, holds no secret of a known shape.
    comments = tuple(replace(comment, quote=mask(comment.quote), text=mask(comment.text)) for comment in read)
    who, channel = request.said_by or _who(plan_file, person)
    waiting = next(iter(open_requests(book)), None)
    said = Rejection(
        new_id(),
        plan_file.id,
        hash_text(plan_file.source.text),
        plan_file.canonical.hash,
        who,
        max(person.now(), book.latest),
        channel,
        request=waiting.id if waiting is not None else "",
        feedback=mask(request.feedback.strip()),
        comments=comments,
        path=plan_file.path,
    )
    record_answer(plan_file, said, book.seen)
    is_gone = not named.path
    return Rejected(plan_file, said, [] if is_gone else _tell(plan_file, said), is_gone)


def _who(plan_file: PlanFile, person: Person) -> tuple[str, str]:
    """Who says no, and how that is known. A no may come from anywhere: it lets nothing happen."""
    terminal = person.open_terminal(load_policy(plan_file.root, person.environment).agents)
    if isinstance(terminal, ChannelRefusal):
        return read_login(), NOBODY
    try:
        return terminal.who, TERMINAL
    finally:
        terminal.close()


def _tell(plan_file: PlanFile, said: Rejection) -> list[str]:
    text = render_rejection(said, plan_file.plan.title)
    if said.channel == NOBODY:  # any process can say this: it is told as what it is, and changes nothing
        return tell_sessions(plan_file.place, "noted", text)
    note_stage(plan_file, said.at, "draft")
    return tell_sessions(plan_file.place, "rejected", text)
