"""A task waits for something: for a reason, or until other tasks are completed (--on)."""

from planrail.cli.tasking.closing import Word, add_arguments, say_of_all
from planrail.cli.tasking.desk import open_desk
from planrail.cli.tasking.new_command import read_dependencies
from planrail.errors import UsageError
from planrail.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.tasks.model import Task


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    add_arguments(parser)
    parser.add_argument("--on", metavar="N,M", default="", help="tasks that have to be completed first")


def run(arguments: "Namespace") -> int:
    """Block tasks."""
    on = read_dependencies(open_desk(), arguments.on)
    if not on and not arguments.why.strip():
        raise UsageError("what does it wait for?", remedy='planrail task block N --why "TEXT", or --on M')

    why = arguments.why.strip() or f"waits for {', '.join(map(str, on))}"

    def depend(task: "Task") -> "Task":
        more = tuple(number for number in on if number not in task.dependencies and number != task.number)
        return replace(task, dependencies=(*task.dependencies, *more), why=why)

    return say_of_all(arguments, Word("block", "block", why, more=depend))
