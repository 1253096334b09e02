"""What can be said about a task itself. Apart from what runs need, since a new task is a matter of a moment."""

from argparse import ArgumentParser


def add_fields(parser: ArgumentParser) -> None:
    """What can be said of a task beside its text."""
    parser.add_argument("--title", metavar="TEXT", help="its title; otherwise made of the text")
    parser.add_argument("--type", metavar="NAME", help="its type; otherwise inferred from the text")
    parser.add_argument("--topic", metavar="NAME", help="what it is grouped under")
    parser.add_argument("--effort", metavar="TEXT", help='an estimate, such as "2-3 hours"')
    parser.add_argument("--depends", metavar="N,M", help="the tasks that have to be completed first")
