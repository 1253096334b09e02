"""A task goes on after all: a blocked one where it stood, a closed one as far as its documents go.

What is completed, abandoned or expanded is closed: that takes --force, and goes on record.
"""

from planrail.cli.tasking.closing import Word, add_arguments, say_of_all
from planrail.tasks.statuses import REOPEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    add_arguments(parser)
    parser.add_argument("--force", action="store_true", help="also what is completed, abandoned or expanded")


def run(arguments: "Namespace") -> int:
    """Reopen tasks."""
    return say_of_all(arguments, Word(REOPEN, "reopen", arguments.why.strip(), force=arguments.force))
