"""What can be said about a task itself. Apart from what runs need, since a new task is a matter of a moment."""

from argparse import ArgumentParser, Namespace

from planrail.tasks.model import list_options


def add_fields(parser: ArgumentParser) -> None:
    parser.add_argument("--title", metavar="TEXT", help="its title; otherwise made of the text")
    parser.add_argument("--type", metavar="NAME", help="its type; otherwise inferred from the text")
    for column in list_options():
        metavar, told = column.option
        parser.add_argument(f"--{column.name.replace('_', '-')}", metavar=metavar, help=told)
    parser.add_argument("--depends", metavar="N,M", help="the tasks that have to be completed first")


def read_fields(arguments: Namespace) -> dict[str, str]:
    """Those of them that were given, and are columns as they are."""
    return {column.name: said for column in list_options() if (said := getattr(arguments, column.name)) is not None}
