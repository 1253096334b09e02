"""Approve a plan: see what it will do, or what changed since the last approval, and answer at your own terminal."""

from argparse import ArgumentParser, Namespace

from planrail.approval.model import KEY, is_enough, to_json
from planrail.approval.person import Person, find_person
from planrail.base.wording import Answer, quote
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show
from planrail.runs.request.approving import NEW, WRONG_WORD, Answered, ApproveRequest
from planrail.runs.request.approving import approve as ask_approval
from planrail.tasks.context.files import find_owner


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN|REQUEST", help="the plan file, or the id of a request")
    parser.add_argument("--key", action="store_const", const="", help="sign with your hardware key")
    parser.add_argument("--key-file", metavar="FILE", dest="key", help="sign with this one")
    parser.add_argument("--json", action="store_true", help="print JSON; the question is asked at the terminal")


def run(arguments: Namespace) -> int:
    return approve(arguments, find_person())


def approve(arguments: Namespace, person: Person) -> int:
    nothing = {"plan": None, "path": arguments.plan, "approved": False, "approval": None}
    with refusal_as_json(nothing, as_json=arguments.json):
        said = ask_approval(ApproveRequest(arguments.plan, arguments.key), person)
    return show(_answer(said), as_json=arguments.json)


def _answer(said: Answered) -> Answer:
    adopted = list(said.case.adopted) if said.state == NEW else []
    given, plan_file = said.approval, said.case.plan_file
    approval = {name: value for name, value in to_json(given).items() if name != "signature"} if given else None
    document = {"plan": plan_file.id, "path": plan_file.path, "approved": given is not None, "approval": approval}
    document |= {"adopted": adopted} if said.state == NEW else {}
    lines = [said.text, *([f"adopted, as done before: {', '.join(adopted)}"] if adopted else []), *_note_stronger(said)]
    return Answer(document, lines, command=_following(said), code=0 if said.is_approved else 1)


def _following(said: Answered) -> str:
    """What to type next: the plan of a task is carried out with its task."""
    plan_file = said.case.plan_file
    name = quote(plan_file.source.path)
    if not said.is_approved:
        no = f'planrail reject {name} --feedback "what should be different"'
        return f"planrail approve {name}" if said.state == WRONG_WORD else no

    task = find_owner(plan_file.root, plan_file.place) if plan_file.root else None
    return f"planrail task implement {task.number}" if task else f"planrail next {name}"


def _note_stronger(said: Answered) -> list[str]:
    strength, needs = said.approval.strength if said.approval is not None else KEY, said.case.policy.strengths
    names = ", ".join(use.replace("_", " ") for use, needed in needs.items() if not is_enough(strength, needed))
    if not names or not said.is_approved:
        return []
    return [
        f"not enough for: {names}. That takes a key: planrail approve {quote(said.case.plan_file.source.path)} --key"
    ]
