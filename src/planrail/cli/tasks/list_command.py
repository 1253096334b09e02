"""All tasks, or those of a state or a topic; newest first.

With --json: {"tasks": [{"number", "title", "status", "topic", "dependencies"}], "next"}.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, paint
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.context import Context
from planrail.tasks.context.looks import answer_empty, describe_brief, note_foreign, render_line
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import STATUSES, TERMINAL


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--status", metavar="STATE", help="only those in this state; open and closed are states as well"
    )
    parser.add_argument("--topic", metavar="NAME", help="only those of this topic")
    parser.add_argument("--archived", action="store_true", help="those that were put away")


def answer(context: Context, arguments: Namespace) -> Answer:
    states = _states(arguments.status)
    with read_book(context.root) as book:
        found: list[Brief | Task] = list(book.tasks(archived=True) if arguments.archived else book.briefs())
    chosen = [
        task
        for task in reversed(found)
        if task.status in states and (arguments.topic is None or task.topic.lower() == arguments.topic.lower())
    ]
    following = f"planrail task show {chosen[0].number}" if chosen else "planrail task"
    if arguments.json:
        return Answer({"tasks": [describe_brief(task) for task in chosen], "next": following})
    if not found and not arguments.archived:
        return answer_empty(context)
    lines = [f"{render_line(task)}{paint(f'  [{task.topic}]', 'dim') if task.topic else ''}" for task in chosen]
    if not chosen:
        lines.append("there is no such task" if found else "nothing is archived")
    foreign = note_foreign(context)
    lines += [foreign] if foreign else []
    return Answer(lines=lines, command="planrail task import" if foreign else following)


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
