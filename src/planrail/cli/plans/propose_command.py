"""Ask for a person's approval of a plan: it waits in `planrail list approvals` until a person answers.

With --json: {"path", "request": its id or null, "withdrawn": [ids], "next"}.
"""

from argparse import ArgumentParser, Namespace

from planrail.approval.records import propose, withdraw
from planrail.base.wording import Answer, quote
from planrail.cli.refusals import refusal_as_json


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("--withdraw", action="store_true", help="take back what waits for an answer")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    path = arguments.plan
    with refusal_as_json({"path": path, "request": None, "withdrawn": []}, as_json=arguments.json):
        withdrawn = [request.id for request in withdraw(path)] if arguments.withdraw else []
        request = None if arguments.withdraw else propose(path)
    if request is not None:
        told = f"{path} waits for a person's approval, as request {request.id}"
    else:
        told = f"withdrawn: {', '.join(withdrawn)}" if withdrawn else "nothing waits for an answer"
    command = f"planrail {'approve' if request else 'show'} {quote(path)}"
    document = {"path": path, "request": request.id if request else None, "withdrawn": withdrawn, "next": command}
    return Answer(document, [told], command=command)
