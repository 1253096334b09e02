"""A task waits for something: for a reason, until you reopen it; or for other tasks, until they are completed.

planrail task block 7 --why "no key yet"    it is BLOCKED, until: planrail task reopen 7
planrail task block 7 --on 9,10             it depends on them, and is ready by itself once they are completed
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.cli.options.task_runs import add_closing
from planrail.cli.screen import print_json, print_next, say, show, warn
from planrail.cli.tasks.closing import Word, say_of_all
from planrail.tasks.desk.desk import commit_task, open_desk, refresh
from planrail.tasks.desk.looks import render_line
from planrail.tasks.desk.task_json import describe_task
from planrail.tasks.desk.waiting_for import depend_on, read_dependencies
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_numbers


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_closing(parser)
    parser.add_argument("--on", metavar="N,M", default="", help="tasks that have to be completed first")


def run(arguments: Namespace) -> int:
    """Block tasks."""
    why = arguments.why.strip()
    if not arguments.on and not why:
        raise UsageError("what does it wait for?", remedy='planrail task block N --why "TEXT", or --on M')
    if arguments.on:
        _depend(arguments, is_all=not why)
    if not why:
        return 0

    def remember(task: Task) -> Task:
        return replace(task, why=why)  # also where it was blocked before, for another reason

    word = Word("block", "block", why, more=remember)
    desk = open_desk(warn, commit=not arguments.no_commit)
    return show(say_of_all(desk, " ".join(arguments.numbers), word), as_json=arguments.json)


def _depend(arguments: Namespace, *, is_all: bool) -> None:
    """Let tasks wait for others; `is_all`: that is all that was asked for."""
    desk = open_desk(warn, commit=not arguments.no_commit)
    on = read_dependencies(desk, arguments.on)
    tasks = depend_on(desk, read_numbers(" ".join(arguments.numbers)), on)
    refresh(desk)
    if not is_all:
        return
    names = ", ".join(str(number) for number in on)
    commit_task(desk, f"task {', '.join(str(task.number) for task in tasks)}: wait for {names}")
    if arguments.json:
        print_json({"tasks": [describe_task(desk, task) for task in tasks], "next": f"planrail task show {on[0]}"})
        return
    for task in tasks:
        say(f"{render_line(task)}  waits for {names}")
    print_next(f"planrail task show {on[0]}")
