"""A task goes on after all: a blocked one where it stood, a closed one as far as its documents go.

What is completed, abandoned or expanded is closed: that takes --force, and goes on record.
"""

from argparse import ArgumentParser, Namespace

from planrail.cli.options.tasks import add_closing
from planrail.cli.screen import show, warn
from planrail.cli.tasks.closing import Word, say_of_all
from planrail.tasks.desk.desk import open_desk
from planrail.tasks.statuses import REOPEN


def configure(parser: ArgumentParser) -> None:
    add_closing(parser)
    parser.add_argument("--force", action="store_true", help="also what is completed, abandoned or expanded")


def run(arguments: Namespace) -> int:
    word = Word(REOPEN, "reopen", arguments.why.strip(), force=arguments.force)
    desk = open_desk(warn, commit=not arguments.no_commit)
    return show(say_of_all(desk, " ".join(arguments.numbers), word), as_json=arguments.json)
