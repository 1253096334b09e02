"""Revise what is left of a plan: by what people said about it, and by the code as it is now. Finished phases stay."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer, quote
from planrail.cli.options.plannings import add_agent_options, read_plan_request
from planrail.cli.plans.display import open_display
from planrail.cli.plans.report import answer, blank_document
from planrail.cli.refusals import refusal_as_json
from planrail.planning.headless.requests import refine
from planrail.projects.listing import locate_project


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument(
        "--feedback", metavar="TEXT", action="append", default=[], help="what to change; again for more"
    )
    add_agent_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> Answer:
    place = os.path.realpath(arguments.plan)
    with refusal_as_json(blank_document(plan=place), as_json=arguments.json):
        request = read_plan_request(arguments, feedback=tuple(arguments.feedback))
        ended = refine(locate_project(os.getcwd(), os.environ), arguments.plan, request, open_display)
    if ended is not None:
        return answer(ended, as_json=arguments.json)
    following = f"planrail show {quote(arguments.plan)}"
    document = blank_document(status="nothing to refine", plan=place, next=following)
    line = f"every phase of {arguments.plan} is finished; there is nothing left to refine"
    return Answer(document, [line], command=following)
