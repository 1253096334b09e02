"""Let an agent write the plan of a task, in phases, and another one criticise it. Both read; planrail writes.

    planrail task plan 7                           by what was researched
    planrail task plan 7 --effort hard             criticised twice; fast: not at all
    planrail task plan 7 --timeout 10              what is planned by then is kept, and gone on with by the same command
    planrail task plan 7 --from plan.md            your own plan

With --json: as `planrail task research` has it.
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


def run(arguments: Namespace) -> int:
    with refusal_as_json({"stage": "plan", "results": []}, as_json=arguments.json):
        call = read_stages("plan", arguments)
        desk = open_desk(warn, commit=not arguments.no_commit)
    return show(carry_out(desk, call), as_json=arguments.json)
