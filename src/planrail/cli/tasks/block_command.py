"""A task waits for something: for a reason, until you reopen it; or for other tasks, until they are completed.

planrail task block 7 --why "no key yet"    it is BLOCKED, until: planrail task reopen 7
planrail task block 7 --on 9,10             it depends on them, and is ready by itself once they are completed
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.cli.options.tasks import add_closing
from planrail.cli.tasks.closing import say_of_all
from planrail.tasks.desk.desk import Desk, commit_task, depend_on, read_dependencies, refresh
from planrail.tasks.desk.looks import describe_task, render_line
from planrail.tasks.numbers import read_numbers


def configure(parser: ArgumentParser) -> None:
    add_closing(parser)
    parser.add_argument("--on", metavar="N,M", default="", help="tasks that have to be completed first")


def answer(desk: Desk, arguments: Namespace) -> Answer:
    why = arguments.why.strip()
    if not arguments.on and not why:
        raise UsageError("what does it wait for?", remedy='planrail task block N --why "TEXT", or --on M')
    if arguments.on:
        told = _depend(desk, arguments, is_all=not why)
        if not why:
            return told
    # The reason is kept also where it was blocked before, for another one.
    return say_of_all(desk, " ".join(arguments.numbers), "block", why, more=lambda task: replace(task, why=why))


def _depend(desk: Desk, arguments: Namespace, *, is_all: bool) -> Answer:
    """Let tasks wait for others; `is_all`: that is all that was asked for, and is committed."""
    on = read_dependencies(desk, arguments.on)
    tasks = depend_on(desk, read_numbers(" ".join(arguments.numbers)), on)
    refresh(desk)
    names, following = ", ".join(map(str, on)), f"planrail task show {on[0]}"
    if is_all:
        commit_task(desk, f"task {', '.join(str(task.number) for task in tasks)}: wait for {names}")
    document = {"tasks": [describe_task(desk, task) for task in tasks], "next": following}
    return Answer(document, [f"{render_line(task)}  waits for {names}" for task in tasks], command=following)
