"""A task goes on after all: a blocked one where it stood, a closed one as far as its documents go.

What is completed, abandoned or expanded is closed: that takes --force, and goes on record.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer
from planrail.cli.options.tasks import add_closing
from planrail.cli.tasks.closing import say_of_all
from planrail.tasks.desk.desk import Desk
from planrail.tasks.statuses import REOPEN


def configure(parser: ArgumentParser) -> None:
    add_closing(parser)
    parser.add_argument("--force", action="store_true", help="also what is completed, abandoned or expanded")


def answer(desk: Desk, arguments: Namespace) -> Answer:
    return say_of_all(desk, " ".join(arguments.numbers), REOPEN, arguments.why.strip(), force=arguments.force)
