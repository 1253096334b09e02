"""What waits for a person's word, and which plans are approved, by whom, and for what that is enough."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import Book, answer_to, load_policy, open_requests, project_root, read_books, stand
from planrail.approval.model import Approval, Request, to_json
from planrail.approval.person import Person, find_person, verifier
from planrail.approval.places import Places
from planrail.approval.policy import USES, Policy
from planrail.approval.standing import APPROVED, Standing
from planrail.base.records import record
from planrail.base.wording import Answer, clip, paint, pick, quote_file
from planrail.cli.refusals import refusal_as_json
from planrail.runs.request.approve_screen import describe_standing, describe_time

MISSING = "missing"
_COLOURS = {APPROVED: "green", MISSING: "dim"}


@record
class Listed:
    """A plan that the ledger knows. `standings` has one for each use; none where the file is gone."""

    id: str
    path: str
    title: str
    book: Book
    standings: dict[str, Standing]

    @property
    def shown(self) -> Standing | None:
        """How it stands by the weakest of the strengths that are asked for: what the phases are shown with."""
        return self.standings.get(USES[0])

    @property
    def enough_for(self) -> list[str]:
        return [use for use, standing in self.standings.items() if standing.is_approved]


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="answered requests as well")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    return answer(arguments, find_person())


def answer(arguments: Namespace, person: Person) -> Answer:
    with refusal_as_json({"requests": [], "plans": []}, as_json=arguments.json):
        root = project_root(os.getcwd())
        policy, places = load_policy(root, person.environment), Places(root)
        plans = [_list(places, name, book, policy, person) for name, book in read_books(root).items()]
    waiting = [(plan, request) for plan in plans for request in open_requests(plan.book)]
    document = {
        "required": policy.required,
        "needed": policy.strengths,
        "leads": list(policy.leads),
        "requests": [
            _describe_request(request, plan)
            for plan in plans
            for request in (plan.book.requests if arguments.all else open_requests(plan.book))
        ],
        "plans": [_describe_plan(plan) for plan in plans],
    }
    lines = _render(plans, waiting, policy, answered=arguments.all)
    return Answer(document, lines, command=_following(root, plans, waiting))


def _list(places: Places, name: str, book: Book, policy: Policy, person: Person) -> Listed:
    plan_file = places.open(name, book.path)
    if plan_file is None:
        return Listed(name, book.path, book.title or name, book, {})
    verify = verifier(person, policy, plan_file.root)
    standings = {use: stand(plan_file, book, policy, strength, verify) for use, strength in policy.strengths.items()}
    return Listed(name, plan_file.path, plan_file.plan.title, book, standings)


def _describe_request(request: Request, plan: Listed) -> dict[str, object]:
    answer = answer_to(request, plan.book)
    verdict = None if answer is None else "approved" if isinstance(answer, Approval) else "rejected"
    said = {"answer": verdict, "by": answer.who, "answered_at": answer.at} if answer else {"answer": None}
    return {**to_json(request), "path": plan.path, **said}


def _describe_plan(plan: Listed) -> dict[str, object]:
    shown = plan.shown
    stands: dict[str, object] = {"removed": [], "note": None, "phases": []}
    if shown is not None:
        stands = {**pick(shown, "removed note?"), "phases": describe_standing(shown)}
    state = shown.state if shown is not None else MISSING
    return {**pick(plan, "plan=id path title"), "state": state, "enough_for": plan.enough_for, **stands}


def _render(
    plans: list[Listed], waiting: list[tuple[Listed, Request]], policy: Policy, *, answered: bool
) -> Iterator[str]:
    for plan, request in waiting:
        lead = f", the lead's ({request.lead})" if request.lead else ""
        yield f"{paint(request.id, 'bold')}  {clip(request.title, 60)}  {plan.path}"
        by = request.agent or request.member
        yield f"    by {by}, {describe_time(request.at)}; needs: {request.strength}{lead}"
        if plan.shown is None:
            yield f"    its file is gone; to be rid of the request: planrail reject {request.id}"
    for one in plans if answered else ():
        for request in one.book.requests:
            said = answer_to(request, one.book)
            if said is None:
                continue
            verb = "approved" if isinstance(said, Approval) else "rejected"
            yield f"{request.id}  {clip(request.title, 60)}  {verb} by {said.who}, {said.channel}"
    for plan in plans:
        if plan.shown is not None or answered or open_requests(plan.book):
            yield from _render_plan(plan, policy)
    if not plans:
        yield "no plan of this project was proposed or approved so far"


def _following(root: str, plans: list[Listed], waiting: list[tuple[Listed, Request]]) -> str:
    there = [request for plan, request in waiting if plan.shown is not None]
    if there:
        return f"planrail approve {there[0].id}"
    undone = [plan for plan in plans if plan.shown is not None and not plan.shown.is_approved]
    if undone:
        return f"planrail approve {quote_file(root, undone[0].path)}"
    return f"planrail reject {waiting[0][1].id}" if waiting else "planrail plans"


def _render_plan(plan: Listed, policy: Policy) -> Iterator[str]:
    shown = plan.shown
    state = shown.state if shown is not None else MISSING
    yield f"\n{paint(state.replace('_', ' '), _COLOURS.get(state, 'yellow'))}  {plan.title}  {plan.path}"
    if shown is None:
        return
    for phase in shown.phases:
        word = phase.approval
        by = f"by {word.who}, {word.channel}" if word is not None and phase.state == APPROVED else phase.why
        yield f"    {phase.key}  {clip(phase.title, 50)}  {phase.state.replace('_', ' ')}  {by}"
    for key in shown.removed:
        yield f"    {key}  was approved, and is no longer there"
    if shown.note:
        yield f"    {shown.note}"
    uses = ", ".join(use.replace("_", " ") for use in plan.enough_for)
    yield f"    enough for: {uses or 'nothing yet'}{'' if policy.required else '  (approval is not required here)'}"
