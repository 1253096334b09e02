"""Approve a plan: see what it will do, or what changed since the last yes, and answer at your own terminal."""

import os

from planrail.approvals.channels import Refusal
from planrail.approvals.model import KEY, TERMINAL, Approval, Rejection, is_enough
from planrail.approvals.policy import Policy, is_person
from planrail.cli.approval.adoption import describe_adoption, list_adoptable
from planrail.cli.approval.book import (
    Book,
    Paper,
    load_policy,
    open_paper,
    open_requests,
    read_book,
    stand,
)
from planrail.cli.approval.desk import Desk, open_desk, verifier
from planrail.cli.approval.naming import Named, locate, refuse_gone
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import plural, print_json, print_next, quote, say
from planrail.errors import PlanrailError
from planrail.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.approvals.standing import Standing
    from planrail.cli.approval.desk import Terminal
    from planrail.plans.lint.problems import Problem

_OTHERS = {"e": "edit first", "d": "show all"}


@record
class _Case:
    """A plan that is to be approved, and what is known of it."""

    paper: Paper
    policy: Policy
    book: Book
    standing: "Standing"
    adopted: tuple[str, ...] = ()  # the phases that a yes adopts
    edited: bool = False  # since it was proposed, or since it was first shown


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN|REQUEST", help="the plan file, or the id of a request")
    parser.add_argument("--key", action="store_const", const="", help="sign with your hardware key")
    parser.add_argument("--key-file", metavar="FILE", dest="key", help="sign with this one")
    parser.add_argument("--json", action="store_true", help="print JSON; the question is asked at the terminal")


def run(arguments: "Namespace") -> int:
    """Ask for a yes, and put it on record."""
    return approve(arguments, open_desk())


def approve(arguments: "Namespace", desk: Desk) -> int:
    """The same at a given desk."""
    nothing = {"plan": None, "path": arguments.plan, "approved": False, "approval": None}
    with refusal_as_json(nothing, as_json=arguments.json):
        return _approve(arguments, desk)


def _approve(arguments: "Namespace", desk: Desk) -> int:
    named = locate(arguments.plan)
    refuse_gone(named)
    strength = TERMINAL if arguments.key is None else KEY
    case = _open(named, desk, strength)
    if case.standing.is_approved:
        return _report_standing(arguments, case)
    terminal = desk.open_terminal(case.policy.agents)
    if isinstance(terminal, Refusal):
        raise PlanrailError(f"nothing was approved: {terminal.reason}", remedy=terminal.remedy)
    try:
        agreed = _ask(named, desk, terminal, strength)
        if isinstance(agreed, str):
            return _report_no(arguments, case, agreed)
        said = _sign(agreed, desk, terminal.who, arguments.key)
    finally:
        terminal.close()
    _record(agreed, said, desk)
    return _report(arguments, agreed, said)


def _open(named: Named, desk: Desk, strength: str) -> _Case:
    paper = open_paper(named.path, named.root)
    policy = load_policy(paper.root, desk.environment)
    book = read_book(paper.root, paper.id)
    _refuse_twin(paper, book)
    standing = stand(paper, book, policy, strength, verifier(desk, policy, paper.root))
    return _Case(paper, policy, book, standing, list_adoptable(paper, book))


def _refuse_twin(paper: Paper, book: Book) -> None:
    """Two files with one id: a yes to one of them would be one to the other, and void what was said to it."""
    if book.path in ("", paper.path):
        return
    other = os.path.join(paper.root or "", book.path)
    try:
        is_twin = os.path.realpath(other) != paper.place and open_paper(other, paper.root).id == paper.id
    except PlanrailError:
        return  # it is gone: the plan was renamed
    if is_twin:
        raise PlanrailError(
            f"{paper.path} and {book.path} have the same id, {paper.id}; nothing was approved",
            remedy=f"give the newer one an id of its own, or take the line out of {quote(paper.path)}",
        )


def _ask(named: Named, desk: Desk, terminal: "Terminal", strength: str) -> _Case | str:
    """The plan that the person approved, as they saw it; else what their answer was."""
    from planrail.cli.approval.asking import YES, ask_for_word

    first = case = _show(named, desk, terminal, strength)
    while True:
        answer = ask_for_word(terminal, "approve?", _OTHERS)
        if answer == "d":
            terminal.say(case.paper.source.text)  # a terminal shows it as it may be shown
        elif answer == "e":
            desk.edit(case.paper.place)
            case = _show(named, desk, terminal, strength)
        elif answer == YES:
            request = next(iter(open_requests(case.book)), None)
            proposed = request.canonical if request is not None else first.paper.canonical.hash
            return replace(case, edited=proposed != case.paper.canonical.hash)
        else:
            return answer


def _show(named: Named, desk: Desk, terminal: "Terminal", strength: str) -> _Case:
    from planrail.cli.approval.screen import Background, render_proposal

    case = _open(named, desk, strength)
    _refuse_stranger(case, terminal.who)
    request = next(iter(open_requests(case.book)), None)
    word = case.book.history[-1] if case.book.history else None
    background = Background(request, word if isinstance(word, Rejection) else None, _text_of(case))
    terminal.say(render_proposal(case.paper, case.standing, background, _lint(case.paper)))
    if case.adopted:
        terminal.say(describe_adoption(case.adopted))
    return case


def _refuse_stranger(case: _Case, who: str) -> None:
    """Where a lead's yes is needed, another person's is not asked for; the plan goes to the lead."""
    if not case.policy.leads or any(is_person(who, lead) for lead in case.policy.leads):
        return
    from planrail.cli.approval.records import propose

    request = propose(case.paper.place, member=who, root=case.paper.root)
    leads = ", ".join(case.policy.leads)
    raise PlanrailError(
        f"this plan needs the yes of {leads}, and you are {who}: it is in the lead's queue as request {request.id}",
        remedy=f"ask {leads} for: planrail approve {request.id}",
    )


def _text_of(case: _Case) -> str | None:
    """The text that was approved last."""
    from planrail.ledger.store import open_ledger

    if case.standing.last is None:
        return None
    with open_ledger(case.paper.root) as ledger:
        return ledger.text(case.standing.last.text)


def _lint(paper: Paper) -> "list[Problem]":
    from planrail.plans.lint.rules import lint
    from planrail.repo.tree import open_tree
    from planrail.settings import load_settings

    return lint(paper.source, paper.plan, settings=load_settings(paper.root).lint, tree=open_tree(paper.place))


def _sign(case: _Case, desk: Desk, who: str, key: str | None) -> Approval:
    """The approval of exactly what was shown, signed where that was asked for."""
    from planrail.approvals.statement import make_statement, with_signature
    from planrail.cli.approval.records import make_approval

    request = next(iter(open_requests(case.book)), None)
    said = make_approval(
        case.paper,
        who=who,
        at=max(desk.now(), case.book.latest),
        strength=TERMINAL if key is None else KEY,
        edited=case.edited,
        request=request.id if request is not None else "",
    )
    if key is None:
        return said
    statement = make_statement(said, os.urandom(16).hex())
    signed = with_signature(said, statement, desk.sign(statement.encode(), key or None))
    checked = desk.check(signed, case.policy, case.paper.root)
    if isinstance(checked, Refusal):
        raise PlanrailError(f"the signature does not count: {checked.reason}", remedy=checked.remedy)
    if case.policy.leads and not any(is_person(checked, lead) for lead in case.policy.leads):
        leads = ", ".join(case.policy.leads)
        raise PlanrailError(
            f"the list of signers calls you {checked}, and the lead is {leads}; nothing was recorded",
            remedy="let the settings and the list of signers name the lead alike",
        )
    return signed


def _record(case: _Case, said: Approval, desk: Desk) -> None:
    """Put the yes on record, if the file still is what was shown; then tell those whom it concerns."""
    from planrail.approvals.feedback import render_approval
    from planrail.cli.approval.records import record_answer
    from planrail.cli.approval.sessions import tell_sessions
    from planrail.cli.approval.stages import note_approved

    paper = case.paper
    if open_paper(paper.place, paper.root).source.text != paper.source.text:
        raise PlanrailError(
            f"{paper.source.path} changed while you were reading it; nothing was approved",
            remedy=f"planrail approve {quote(paper.source.path)}",
        )
    record_answer(paper, said, case.book.seen, case.adopted)
    note_approved(paper, said.at)
    if is_enough(said.strength, case.policy.in_session):
        tell_sessions(paper.place, "approved", render_approval(paper.plan.title, edited=said.edited))


def _report(arguments: "Namespace", case: _Case, said: Approval) -> int:
    if arguments.json:
        print_json({**_describe(case, said), "adopted": list(case.adopted)})
        return 0
    say(f"approved: {said.title}  ({plural(len(said.phases), 'phase')}, by {said.who}, {said.strength})")
    if case.adopted:
        say(f"adopted, as done before: {', '.join(case.adopted)}")
    _note_stronger(case, said.strength)
    print_next(_following(case))
    return 0


def _following(case: _Case) -> str:
    """What to type after a yes: the plan of a task is carried out with its task."""
    from planrail.cli.tasking.plan_owners import find_owner

    task = find_owner(case.paper.root, case.paper.place) if case.paper.root else None
    return f"planrail task implement {task.number}" if task else f"planrail next {quote(case.paper.source.path)}"


def _note_stronger(case: _Case, strength: str) -> None:
    """Say what this yes is not enough for."""
    uses = [use for use, needed in case.policy.strengths.items() if not is_enough(strength, needed)]
    if uses:
        names = ", ".join(use.replace("_", " ") for use in uses)
        say(f"not enough for: {names}. That takes a key: planrail approve {quote(case.paper.source.path)} --key")


def _report_standing(arguments: "Namespace", case: _Case) -> int:
    last = case.standing.last
    if arguments.json:
        print_json(_describe(case, last))
        return 0
    by = f" by {last.who} ({last.strength})" if last is not None else ""
    say(f"nothing to approve: all of {case.paper.source.path} is approved as it is{by}")
    _note_stronger(case, last.strength if last is not None else KEY)
    print_next(_following(case))
    return 0


def _report_no(arguments: "Namespace", case: _Case, answer: str) -> int:
    from planrail.cli.approval.asking import WRONG

    if arguments.json:
        print_json(_describe(case, None))
        return 1
    name = quote(case.paper.source.path)
    if answer == WRONG:
        say("not approved: that was not the word that the question showed; nothing was recorded")
        print_next(f"planrail approve {name}")
        return 1
    say("not approved; nothing was recorded")
    print_next(f'planrail reject {name} --feedback "what should be different"')
    return 1


def _describe(case: _Case, said: Approval | None) -> "dict[str, object]":
    from planrail.approvals.wire import to_json

    approval = {name: value for name, value in to_json(said).items() if name != "signature"} if said else None
    return {"plan": case.paper.id, "path": case.paper.path, "approved": said is not None, "approval": approval}
