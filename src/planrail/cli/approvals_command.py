"""What waits for a person's word, and which plans are approved, by whom, and for what that is enough."""

import os

from planrail.approvals.model import Approval, Request
from planrail.approvals.policy import USES, Policy
from planrail.approvals.standing import APPROVED, Standing
from planrail.cli.approval_book import (
    Book,
    Paper,
    answer_to,
    load_policy,
    open_paper,
    open_requests,
    project_root,
    read_books,
    stand,
)
from planrail.cli.approval_desk import Desk, open_desk, verifier
from planrail.cli.screen import clip, paint, print_json, print_next, quote, say
from planrail.errors import PlanrailError
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

MISSING = "missing"
_COLOURS = {APPROVED: "green", MISSING: "dim"}


@record
class Listed:
    """A plan that the ledger knows. `standings` has one for each use; none where the file is gone."""

    id: str
    path: str
    title: str
    book: Book
    standings: "dict[str, Standing]"

    @property
    def shown(self) -> Standing | None:
        """How it stands by the weakest of the strengths that are asked for: what the phases are shown with."""
        return self.standings.get(USES[0])

    @property
    def enough_for(self) -> list[str]:
        """The uses that the plan is approved for, as it is now."""
        return [use for use, standing in self.standings.items() if standing.is_approved]


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("--all", action="store_true", help="answered requests as well")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> int:
    """Show the queue and the standing of each plan."""
    return show(arguments, open_desk())


def show(arguments: "Namespace", desk: Desk) -> int:
    """The same at a given desk."""
    root = project_root(os.getcwd())
    policy = load_policy(root, desk.environment)
    plans = [_list(root, name, book, policy, desk) for name, book in read_books(root).items()]
    if arguments.json:
        print_json(_describe(plans, policy, answered=arguments.all))
    else:
        _print(plans, policy, answered=arguments.all)
    return 0


def _list(root: str, name: str, book: Book, policy: Policy, desk: Desk) -> Listed:
    gone = Listed(name, book.path, book.title or name, book, {})
    try:
        paper = open_paper(os.path.join(root, book.path), root)
    except PlanrailError:
        return gone
    if paper.id != name:  # another plan lies there now
        return gone
    return Listed(name, paper.path, paper.plan.title, book, _standings(paper, book, policy, desk))


def _standings(paper: Paper, book: Book, policy: Policy, desk: Desk) -> "dict[str, Standing]":
    verify = verifier(desk, policy, paper.root)
    return {use: stand(paper, book, policy, strength, verify) for use, strength in policy.strengths.items()}


def _describe(plans: list[Listed], policy: Policy, *, answered: bool) -> "dict[str, object]":
    waiting = {request.id for plan in plans for request in open_requests(plan.book)}
    requests = [
        _describe_request(request, plan.book)
        for plan in plans
        for request in plan.book.requests
        if answered or request.id in waiting
    ]
    return {
        "required": policy.required,
        "needed": policy.strengths,
        "leads": list(policy.leads),
        "requests": requests,
        "plans": [_describe_plan(plan) for plan in plans],
    }


def _describe_request(request: Request, book: Book) -> "dict[str, object]":
    from planrail.approvals.wire import to_json

    answer = answer_to(request, book)
    verdict = None if answer is None else "approved" if isinstance(answer, Approval) else "rejected"
    said = {"answer": verdict, "by": answer.who, "answered_at": answer.at} if answer else {"answer": None}
    return {**to_json(request), **said}


def _describe_plan(plan: Listed) -> "dict[str, object]":
    from planrail.cli.approval_screen import describe_standing

    shown = plan.shown
    return {
        "plan": plan.id,
        "path": plan.path,
        "title": plan.title,
        "state": shown.state if shown is not None else MISSING,
        "enough_for": plan.enough_for,
        "removed": list(shown.removed) if shown is not None else [],
        "phases": describe_standing(shown) if shown is not None else [],
    }


def _print(plans: list[Listed], policy: Policy, *, answered: bool) -> None:
    waiting = [request for plan in plans for request in open_requests(plan.book)]
    _print_requests(waiting)
    if answered:
        _print_answers(plans)
    for plan in plans:
        _print_plan(plan, policy)
    if waiting:
        print_next(f"planrail approve {waiting[0].id}")
    elif undone := [plan for plan in plans if plan.shown is not None and not plan.shown.is_approved]:
        print_next(f"planrail approve {quote(undone[0].path)}")
    else:
        if not plans:
            say("no plan of this project was proposed or approved so far")
        print_next("planrail plans")


def _print_requests(waiting: list[Request]) -> None:
    from planrail.cli.approval_screen import describe_time

    for request in waiting:
        by = request.agent or request.member
        lead = f", the lead's ({request.lead})" if request.lead else ""
        say(f"{paint(request.id, 'bold')}  {clip(request.title, 60)}  {request.path}")
        say(f"    by {by}, {describe_time(request.at)}; needs: {request.strength}{lead}")


def _print_answers(plans: list[Listed]) -> None:
    for plan in plans:
        for request in plan.book.requests:
            answer = answer_to(request, plan.book)
            if answer is not None:
                verb = "approved" if isinstance(answer, Approval) else "rejected"
                say(f"{request.id}  {clip(request.title, 60)}  {verb} by {answer.who}, {answer.channel}")


def _print_plan(plan: Listed, policy: Policy) -> None:
    shown = plan.shown
    state = shown.state if shown is not None else MISSING
    say(f"\n{paint(state.replace('_', ' '), _COLOURS.get(state, 'yellow'))}  {plan.title}  {plan.path}")
    if shown is None:
        return
    for phase in shown.phases:
        word = phase.approval
        by = f"by {word.who}, {word.channel}" if word is not None and phase.state == APPROVED else phase.why
        say(f"    {phase.key}  {clip(phase.title, 50)}  {phase.state.replace('_', ' ')}  {by}")
    for key in shown.removed:
        say(f"    {key}  was approved, and is no longer there")
    uses = ", ".join(use.replace("_", " ") for use in plan.enough_for)
    say(f"    enough for: {uses or 'nothing yet'}{'' if policy.required else '  (approval is not required here)'}")
