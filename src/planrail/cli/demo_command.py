"""Show planrail at work on a small project that comes with it, in a temporary folder that is removed at the end."""

import os
import sys

from planrail.cli.screen import paint, print_next, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

_STORY = (
    ("A plan, as somebody left it. planrail reads it as it is: no set-up, nothing written.", ["show", "PLAN.md"]),
    ("What now? One phase, one item, one command.", ["next", "PLAN.md"]),
    (
        "Is it a good plan? A path that does not exist, a check that cannot fail, a word that proves nothing.",
        ["lint", "PLAN.md", "--root", "."],
    ),
    ("One status changed, and not one other byte.", ["set", "PLAN.md", "2", "done"]),
    ("And what now?", ["next", "PLAN.md"]),
)


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("--keep", metavar="DIR", help="leave the example project in this new folder")


def run(arguments: "Namespace") -> int:
    """Tell the story. Every step is a command as a user would type it."""
    import shutil
    import tempfile

    import planrail.examples

    example = os.path.join(os.path.dirname(planrail.examples.__file__), "greeter")
    with tempfile.TemporaryDirectory(prefix="planrail-demo-") as folder:
        project = os.path.join(folder, "greeter")
        shutil.copytree(example, project, ignore=shutil.ignore_patterns("__pycache__"))
        failed = _tell(project)
        if arguments.keep:
            shutil.copytree(project, arguments.keep)
    if failed:
        print(f"\nplanrail: the demo failed at: {' '.join(failed)}", file=sys.stderr)
        return 1
    print_next("planrail next PLAN.md        (in a project of yours; any plan file will do)")
    return 0


def _tell(project: str) -> list[str] | None:
    """Run the steps in the project; the one that failed, if any."""
    from planrail.cli.main import main

    here = os.getcwd()
    os.environ["PLANRAIL_STATE_DIR"] = os.path.join(os.path.dirname(project), "state")
    os.chdir(project)
    try:
        for sentence, command in _STORY:
            say(f"\n{paint('#', 'cyan')} {paint(sentence, 'cyan')}")
            say(f"{paint('$', 'dim')} {paint('planrail ' + ' '.join(command), 'bold')}")
            expected = 1 if command[0] == "lint" else 0  # the example has faults for lint to find
            if main(command) != expected:
                return ["planrail", *command]
    finally:
        os.chdir(here)
    return None
