"""Write the plan of a task anew, by what was said about it; where there is no plan yet, its description.

    planrail task revise 7 the cache has to survive a restart
    planrail task revise 7 --feedback notes.md

The new plan belongs to the same round and takes the place of the old one, whose file stays. With --json: as
`planrail task research` has it.
"""

from argparse import ArgumentParser, Namespace

from planrail.cli.options.stages import add_stage_options, read_stages
from planrail.cli.refusals import refusal_as_json
from planrail.cli.screen import show, warn
from planrail.cli.tasks.stage_commands import carry_out
from planrail.tasks.desk.desk import open_desk

MIXES_WORDS = True


def configure(parser: ArgumentParser) -> None:
    add_stage_options(parser)
    parser.add_argument("--critic", metavar="NAME", help="who criticises: another agent sees other things")
    parser.add_argument("--feedback", metavar="TEXT", default="", help="what is to be different: a text, or a file")


def run(arguments: Namespace) -> int:
    with refusal_as_json({"stage": "revise", "results": []}, as_json=arguments.json):
        call = read_stages("revise", arguments)
        desk = open_desk(warn, commit=not arguments.no_commit)
    return show(carry_out(desk, call), as_json=arguments.json)
