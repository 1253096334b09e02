"""Change what is said of a task: title, text, type, topic, effort, dependencies. Its views follow.

`specs/state.json` and `specs/TODO.md` are generated; this is how one changes them.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.cli.options.task_runs import add_fields
from planrail.cli.screen import print_json, print_next, say, warn
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, commit_task, open_desk, refresh
from planrail.tasks.desk.looks import next_command, render_line
from planrail.tasks.desk.task_json import describe_task
from planrail.tasks.desk.waiting_for import read_dependencies, refuse_circle
from planrail.tasks.model import Task
from planrail.tasks.naming import one_line


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("number", metavar="N", type=int, help="the task")
    parser.add_argument("--text", metavar="TEXT", help="what is to be done, anew")
    add_fields(parser)
    parser.add_argument("--no-commit", action="store_true", help="leave the views uncommitted")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """Change a task. Its folder keeps its name: documents are found by it."""
    given = {name: getattr(arguments, name) for name in ("title", "topic", "effort")}
    changes: dict[str, object] = {name: one_line(value) for name, value in given.items() if value is not None}
    changes |= {"task_type": arguments.type} if arguments.type is not None else {}
    changes |= {"description": arguments.text.strip()} if arguments.text is not None else {}
    desk = open_desk(warn, commit=not arguments.no_commit)
    if arguments.depends is not None:
        changes["dependencies"] = _read_dependencies(desk, arguments)
    if not changes or not changes.get("title", "x"):
        raise UsageError(
            "nothing is to be changed", remedy="planrail task edit N --title TEXT, or --topic, --depends, …"
        )

    def decide(task: Task) -> Task:
        changed = replace(task, **changes)
        return task if changed == task else replace(changed, last_updated=desk.now(), session_id=desk.session)

    with open_book(desk.root) as book:
        task = book.change(arguments.number, decide, desk.note("edited", fields=sorted(changes)))
    refresh(desk)
    commit_task(desk, f"task {task.number}: edit {', '.join(sorted(changes))}")
    if arguments.json:
        print_json({**describe_task(desk, task), "next": next_command(task.status, task.number)})
        return 0
    say(render_line(task))
    print_next(f"planrail task show {task.number}")
    return 0


def _read_dependencies(desk: Desk, arguments: Namespace) -> tuple[int, ...]:
    wanted = read_dependencies(desk, arguments.depends)
    with open_book(desk.root) as book:
        refuse_circle(book, arguments.number, wanted)
    return wanted
