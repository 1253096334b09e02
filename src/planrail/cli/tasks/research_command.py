"""Let an agent find out what is known about a task: it reads, planrail writes the report. Opens a round.

    planrail task research 7 look at the cache     a focus, for this round
    planrail task research 7,9-12 --jobs 2         several tasks, side by side
    planrail task research 7 --team 3              three at once, from different sides, and one report of theirs
    planrail task research 7 --from notes.md       your own report

What was begun and did not come to its end is gone on with. With --json: "task", "stage", "status" (done, timed_out,
limit, missing, invalid, failed, stopped, spent, held or refused), "text", "artifact", "spent", "notes" and "next"; for
several tasks {"results": [...], "next"}.
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
    parser.add_argument(
        "--team", metavar="N", nargs="?", const="2", help="several researchers at once, from different sides: 2 to 6"
    )
    parser.add_argument("--team-size", metavar="N", help="the same")


def run(arguments: Namespace) -> int:
    with refusal_as_json({"stage": "research", "results": []}, as_json=arguments.json):
        call = read_stages("research", arguments)
        desk = open_desk(warn, commit=not arguments.no_commit)
    return show(carry_out(desk, call), as_json=arguments.json)
