"""A task will not be done. Its documents stay; `planrail task archive` puts them away."""

from planrail.cli.tasking.closing import Word, add_arguments, say_of_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    add_arguments(parser)


def run(arguments: "Namespace") -> int:
    """Abandon tasks."""
    return say_of_all(arguments, Word("abandon", "abandon", arguments.why.strip()))
