"""A task will not be done. Its documents stay; `planrail task archive` puts them away."""

from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer
from planrail.cli.options.tasks import add_closing
from planrail.cli.tasks.closing import say_of_all
from planrail.tasks.desk.desk import Desk


def configure(parser: ArgumentParser) -> None:
    add_closing(parser)


def answer(desk: Desk, arguments: Namespace) -> Answer:
    return say_of_all(desk, " ".join(arguments.numbers), "abandon", arguments.why.strip())
