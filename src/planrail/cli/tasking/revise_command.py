"""Write the plan of a task anew, by what was said about it; where there is no plan yet, its description.

    planrail task revise 7 the cache has to survive a restart
    planrail task revise 7 --feedback notes.md

The new plan belongs to the same round and takes the place of the old one, whose file stays. With --json: as
`planrail task research` has it.
"""

from planrail.cli.tasking.stages.command import add_options, carry_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

MIXES_WORDS = True


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    add_options(parser)
    parser.add_argument("--critic", metavar="NAME", help="who criticises: another agent sees other things")
    parser.add_argument("--feedback", metavar="TEXT", default="", help="what is to be different: a text, or a file")


def run(arguments: "Namespace") -> int:
    """Revise plans or descriptions."""
    return carry_out("revise", arguments)
