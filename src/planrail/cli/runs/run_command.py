"""Carry out an approved plan: phase by phase, in private workspaces, checked, verified, landed.

    planrail run PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]
    planrail run now        fire the next scheduled run early
    planrail run next       when is that?

Without auto it asks a person before each phase. Kill it at any time: `planrail resume` goes on. With `every` a worker
does the next phase each time (planrail service install); with the database of a team, workers do it all.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.cli.main import dispatch
from planrail.cli.options.runs import add_agents, add_options, read_request, read_words
from planrail.cli.screen import show
from planrail.cli.screens import open_display
from planrail.team.guiding import Delivery
from planrail.team.starting import fire_next, start_run

MIXES_WORDS = True


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "words", metavar="WORD", nargs="*", help="PLAN [PHASE | finish] [auto] [pr | direct] [every SCHEDULE] [now]"
    )
    add_agents(parser)
    add_options(parser)
    parser.add_argument("--commit-plan", action="store_true", help="commit the plan's own file first, and run that")
    parser.add_argument("--yes", action="store_true", help="set up, and commit settings and plan, without asking")
    parser.add_argument("--every", metavar="SCHEDULE", help="repeat it: 4h, 30m, 'day at 9am', a cron expression")
    parser.add_argument("--submit", action="store_true", help="let a worker do it, and leave at once")
    parser.add_argument("--wait", action="store_true", help="what was submitted: follow it until it rests")
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: Namespace) -> int:
    words = read_words(arguments)
    if arguments.here and (arguments.submit or arguments.wait):
        raise UsageError("--here runs it in this process: nothing is submitted", remedy="leave out --submit and --wait")
    if words.subcommand in ("stop", "status", "next"):  # the commands of those names
        named = [words.plan] if words.plan and words.subcommand != "next" else []
        name = ["list", "upcoming"] if words.subcommand == "next" else [words.subcommand]
        return dispatch([*name, *named, *(["--json"] if arguments.json else [])])

    given = {name: getattr(arguments, name) for name in ("here", "submit", "wait", "commit_plan", "yes")}
    delivery = Delivery(words.every, words.now, **given, is_quiet=arguments.json)
    display = open_display(is_quiet=arguments.json)
    is_early = words.subcommand == "now"
    came = fire_next(delivery, display) if is_early else start_run(read_request(arguments, words), delivery, display)
    return show(came, as_json=arguments.json)
