"""Asking a person for their approval of a plan, and putting it on record: the one way there is to approve."""

import contextlib
import os

from planrail.approval import records
from planrail.approval.book import Book, PlanFile, load_policy, open_plan_file, open_requests, read_book, stand
from planrail.approval.channels import ChannelRefusal
from planrail.approval.model import (
    DIALOG,
    KEY,
    TERMINAL,
    Approval,
    Rejection,
    is_enough,
    make_statement,
    with_signature,
)
from planrail.approval.people.terminals import read_who
from planrail.approval.person import WRONG, YES, Person, Terminal, ask_for_word, verifier
from planrail.approval.policy import Policy, is_person
from planrail.approval.records import render_approval, tell_sessions
from planrail.approval.standing import Standing
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.settings import load_settings
from planrail.base.wording import plural, quote
from planrail.git.working_files import open_tree
from planrail.plans.canonical.canonical import hash_text
from planrail.plans.lint.rules import lint
from planrail.projects.naming import Named, locate, refuse_gone
from planrail.runs.request.approve_screen import Background, render_proposal
from planrail.store.ledger import open_ledger

_OTHERS = {"e": "edit first", "d": "show all"}
NEW, STANDING, DECLINED, WRONG_WORD = "new", "standing", "declined", "wrong word"


@record
class ApproveRequest:
    """Which plan: its file, or the id of a request. `key`: the file of a hardware key, "" for the usual one."""

    plan: str
    key: str | None = None


@record
class Case:
    """A plan that is to be approved, and what is known of it."""

    plan_file: PlanFile
    policy: Policy
    book: Book
    standing: Standing
    adopted: tuple[str, ...] = ()  # the phases that an approval adopts
    edited: bool = False  # since it was proposed, or since it was first shown


@record
class Answered:
    """What came of asking. `approval` is the new one, or the one that stands."""

    case: Case
    state: str
    approval: Approval | None = None

    @property
    def is_approved(self) -> bool:
        return self.state in (NEW, STANDING)

    @property
    def text(self) -> str:
        said = self.approval
        if self.state == NEW and said is not None:
            return f"approved: {said.title}  ({plural(len(said.phases), 'phase')}, by {said.who}, {said.strength})"
        if self.state == STANDING:
            by = f" by {said.who} ({said.strength})" if said is not None else ""
            return f"nothing to approve: all of {self.case.plan_file.source.path} is approved as it is{by}"
        wrong = ": that was not the word that the question showed" if self.state == WRONG_WORD else ""
        return f"not approved{wrong}; nothing was recorded"


def approve(request: ApproveRequest, person: Person) -> Answered:
    """Ask this person for their approval, and put it on record. `PlanrailError` where nobody can be asked."""
    named = locate(request.plan)
    refuse_gone(named)
    strength = TERMINAL if request.key is None else KEY
    case = _open(named, person, strength)
    if case.standing.is_approved:
        return Answered(case, STANDING, case.standing.last)
    terminal = person.open_terminal(case.policy.agents)
    if isinstance(terminal, ChannelRefusal):
        raise PlanrailError(f"nothing was approved: {terminal.reason}", remedy=terminal.remedy)
    try:
        agreed = _ask(named, person, terminal, strength)
        if isinstance(agreed, str):
            return Answered(case, WRONG_WORD if agreed == WRONG else DECLINED)
        said = _sign(agreed, person, terminal.who, request.key)
    finally:
        terminal.close()
    _record(agreed, said, person)
    return Answered(agreed, NEW, said)


def approve_by_click(plan: str, shown: str, person: Person) -> Answered:
    """Put on record that a person approved a page that showed the text with this hash: strength *dialog*, no more.

    It adopts nothing. `PlanrailError` where the file says something else by now.
    """
    named = locate(plan)
    refuse_gone(named)
    case = replace(_open(named, person, DIALOG), adopted=())
    who, path = read_who(person.environment), quote(case.plan_file.source.path)
    if hash_text(case.plan_file.source.text) != shown:
        raise PlanrailError(
            f"{path} is not what the page has shown any more; nothing was approved", remedy="read it again"
        )
    if case.standing.is_approved:
        return Answered(case, STANDING, case.standing.last)
    _send_to_lead(case, who)
    request, at = next(iter(open_requests(case.book)), None), max(person.now(), case.book.latest)
    edited, asked = (request.canonical != case.plan_file.canonical.hash, request.id) if request else (False, "")
    said = records.make_approval(case.plan_file, who=who, at=at, strength=DIALOG, edited=edited, request=asked)
    _record(case, said, person)
    return Answered(case, NEW, said)


def _open(named: Named, person: Person, strength: str) -> Case:
    plan_file = open_plan_file(named.path, named.root)
    policy = load_policy(plan_file.root, person.environment)
    book = read_book(plan_file.root, plan_file.id)
    if book.path not in ("", plan_file.path):
        # two files with one id: an approval of one would be one of the other, and void what was said of it
        other, is_twin = os.path.join(plan_file.root or "", book.path), False
        with contextlib.suppress(PlanrailError):  # else it is gone: the plan was renamed
            is_twin = (
                os.path.realpath(other) != plan_file.place and open_plan_file(other, plan_file.root).id == plan_file.id
            )
        if is_twin:
            raise PlanrailError(
                f"{plan_file.path} and {book.path} have the same id, {plan_file.id}; nothing was approved",
                remedy=f"give the newer one an id of its own, or take the line out of {quote(plan_file.path)}",
            )
    standing = stand(plan_file, book, policy, strength, verifier(person, policy, plan_file.root))
    return Case(plan_file, policy, book, standing, records.list_adoptable(plan_file, book))


def _ask(named: Named, person: Person, terminal: Terminal, strength: str) -> Case | str:
    """The plan that the person approved, as they saw it; else what their answer was."""
    first = case = _show(named, person, terminal, strength)
    while True:
        answer = ask_for_word(terminal, "approve?", _OTHERS)
        if answer == "d":
            terminal.say(case.plan_file.source.text)  # a terminal shows it as it may be shown
        elif answer == "e":
            person.edit(case.plan_file.place)
            case = _show(named, person, terminal, strength)
        elif answer == YES:
            request = next(iter(open_requests(case.book)), None)
            proposed = request.canonical if request is not None else first.plan_file.canonical.hash
            return replace(case, edited=proposed != case.plan_file.canonical.hash)
        else:
            return answer


def _show(named: Named, person: Person, terminal: Terminal, strength: str) -> Case:
    case = _open(named, person, strength)
    _send_to_lead(case, terminal.who)
    request = next(iter(open_requests(case.book)), None)
    word = case.book.history[-1] if case.book.history else None
    plan_file, text = case.plan_file, None
    if case.standing.last is not None:
        with open_ledger(plan_file.root) as ledger:
            text = ledger.text(case.standing.last.text)
    background = Background(request, word if isinstance(word, Rejection) else None, text)
    problems = lint(
        plan_file.source, plan_file.plan, settings=load_settings(plan_file.root).lint, tree=open_tree(plan_file.place)
    )
    terminal.say(render_proposal(plan_file, case.standing, background, problems))
    if case.adopted:
        terminal.say(records.describe_adoption(case.adopted))
    return case


def _send_to_lead(case: Case, who: str) -> None:
    """Where a lead's approval is needed, another person is not asked; the plan goes to the lead."""
    leads = case.policy.leads
    if leads and not any(is_person(who, lead) for lead in leads):
        plan_file, named_leads = case.plan_file, ", ".join(leads)
        request_id = records.propose(plan_file.place, member=who, root=plan_file.root).id
        why = f"this plan needs the approval of {named_leads}, and you are {who}: it is in the lead's queue as request"
        raise PlanrailError(f"{why} {request_id}", remedy=f"ask {named_leads} for: planrail approve {request_id}")


def _sign(case: Case, person: Person, who: str, key: str | None) -> Approval:
    """The approval of exactly what was shown, signed where that was asked for."""
    request = next(iter(open_requests(case.book)), None)
    at, answered = max(person.now(), case.book.latest), request.id if request is not None else ""
    strength = TERMINAL if key is None else KEY
    said = records.make_approval(
        case.plan_file, who=who, at=at, strength=strength, edited=case.edited, request=answered
    )
    if key is None:
        return said
    statement = make_statement(said, os.urandom(16).hex())
    signed = with_signature(said, statement, person.sign(statement.encode(), key or None))
    checked = person.check(signed, case.policy, case.plan_file.root)
    if isinstance(checked, ChannelRefusal):
        raise PlanrailError(f"the signature does not count: {checked.reason}", remedy=checked.remedy)
    if case.policy.leads and not any(is_person(checked, lead) for lead in case.policy.leads):
        leads = ", ".join(case.policy.leads)
        raise PlanrailError(
            f"the list of signers calls you {checked}, and the lead is {leads}; nothing was recorded",
            remedy="let the settings and the list of signers name the lead alike",
        )
    return signed


def _record(case: Case, said: Approval, person: Person) -> None:
    """Put the approval on record, if the file still is what was shown; then tell the sessions that it concerns."""
    plan_file = case.plan_file
    if open_plan_file(plan_file.place, plan_file.root).source.text != plan_file.source.text:
        raise PlanrailError(
            f"{plan_file.source.path} changed while you were reading it; nothing was approved",
            remedy=f"planrail approve {quote(plan_file.source.path)}",
        )
    records.record_answer(plan_file, said, case.book.seen, case.adopted)
    records.note_stage(plan_file, said.at, "proposed", "approved")
    if is_enough(said.strength, case.policy.in_session):
        tell_sessions(plan_file.place, "approved", render_approval(plan_file.plan.title, edited=said.edited))
