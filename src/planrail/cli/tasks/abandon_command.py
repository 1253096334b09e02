"""A task will not be done. Its documents stay; `planrail task archive` puts them away."""

from argparse import ArgumentParser, Namespace

from planrail.cli.options.tasks import add_closing
from planrail.cli.screen import show, warn
from planrail.cli.tasks.closing import Word, say_of_all
from planrail.tasks.desk.desk import open_desk


def configure(parser: ArgumentParser) -> None:
    add_closing(parser)


def run(arguments: Namespace) -> int:
    word = Word("abandon", "abandon", arguments.why.strip())
    desk = open_desk(warn, commit=not arguments.no_commit)
    return show(say_of_all(desk, " ".join(arguments.numbers), word), as_json=arguments.json)
