"""Go on with a run that was killed, interrupted, paused or parked: from its last finished step, with its agent."""

from argparse import ArgumentParser, Namespace

from planrail.cli.options.runs import add_options
from planrail.cli.screen import show
from planrail.cli.screens import open_display
from planrail.team.starting import ResumeRequest, resume_run


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; not needed where only one run waits")
    parser.add_argument("--budget", metavar="LIMITS", help="other ceilings, until it rests again")
    add_options(parser, "as_committed")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> int:
    request = ResumeRequest(arguments.plan or "", arguments.budget or "", arguments.as_committed)
    return show(resume_run(request, open_display(is_quiet=arguments.json)), as_json=arguments.json)
