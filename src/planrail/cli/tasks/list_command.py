"""All tasks, or those of a state or a topic; newest first.

With --json: {"tasks": [{"number", "title", "status", "topic", "dependencies"}], "next"}.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, paint
from planrail.cli.screen import print_json, say, show, warn
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.desk.desk import Desk, look_up, open_desk
from planrail.tasks.desk.looks import answer_empty, note_foreign, render_line
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import STATUSES, TERMINAL


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--status", metavar="STATE", help="only those in this state; open and closed are states as well"
    )
    parser.add_argument("--topic", metavar="NAME", help="only those of this topic")
    parser.add_argument("--archived", action="store_true", help="those that were put away")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """List tasks."""
    states = _states(arguments.status)
    desk = open_desk(warn)
    found: list[Brief | Task] = list(_archived(desk) if arguments.archived else look_up(desk))
    chosen = [
        task
        for task in reversed(found)
        if task.status in states and (arguments.topic is None or task.topic.lower() == arguments.topic.lower())
    ]
    if arguments.json:
        print_json({"tasks": [_row(task) for task in chosen], "next": _next(chosen)})
        return 0
    for task in chosen:
        say(f"{render_line(task)}{paint(f'  [{task.topic}]', 'dim') if task.topic else ''}")
    if not chosen and not found and not arguments.archived:
        return show(answer_empty(desk), as_json=False)
    if not chosen:
        say("there is no such task" if found else "nothing is archived")
    foreign = note_foreign(desk)
    following = "planrail task import" if foreign else _next(chosen)
    return show(Answer(lines=[foreign] if foreign else [], command=following), as_json=False)


def _archived(desk: Desk) -> list[Task]:
    with read_book(desk.root) as book:
        return book.tasks(archived=True)


def _states(given: str | None) -> tuple[str, ...]:
    if given is None:
        return STATUSES
    wanted = given.lower().replace(" ", "_").replace("-", "_")
    if wanted == "open":
        return tuple(status for status in STATUSES if status not in TERMINAL)
    if wanted == "closed":
        return TERMINAL
    if wanted not in STATUSES:
        raise UsageError(f"{given!r} is no state of a task", remedy=f"use one of: open, closed, {', '.join(STATUSES)}")
    return (wanted,)


def _next(tasks: list[Brief | Task]) -> str:
    return f"planrail task show {tasks[0].number}" if tasks else "planrail task"


def _row(task: Brief | Task) -> dict[str, object]:
    return {
        "number": task.number,
        "title": task.title,
        "status": task.status,
        "topic": task.topic,
        "dependencies": list(task.dependencies),
    }
