"""Change what is said of a task: title, text, type, topic, effort, dependencies. Its views follow.

`specs/state.json` and `specs/TODO.md` are generated; this is how one changes them.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.cli.options.tasks import add_fields, read_fields
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import Context, commit_task, read_dependencies, refresh, refuse_circle
from planrail.tasks.context.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.naming import one_line


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", type=int, help="the task")
    parser.add_argument("--text", metavar="TEXT", help="what is to be done, anew")
    add_fields(parser)


def answer(context: Context, arguments: Namespace) -> Answer:
    given = {**read_fields(arguments), **({"title": arguments.title} if arguments.title is not None else {})}
    changes: dict[str, object] = {name: one_line(value) for name, value in given.items()}
    changes |= {"task_type": arguments.type} if arguments.type is not None else {}
    changes |= {"description": arguments.text.strip()} if arguments.text is not None else {}
    if arguments.depends is not None:
        changes["dependencies"] = wanted = read_dependencies(context, arguments.depends)
        with open_book(context.root) as book:
            refuse_circle(book, arguments.number, wanted)
    if not changes or not changes.get("title", "x"):
        raise UsageError(
            "nothing is to be changed", remedy="planrail task edit N --title TEXT, or --topic, --depends, …"
        )

    def decide(task: Task) -> Task:
        changed = replace(task, **changes)
        return task if changed == task else replace(changed, last_updated=context.now(), session_id=context.session)

    with open_book(context.root) as book:
        task = book.change(arguments.number, decide, context.note("edited", fields=sorted(changes)))
    refresh(context)
    commit_task(context, f"task {task.number}: edit {', '.join(sorted(changes))}")
    document = {**describe_task(context, task), "next": next_command(task.status, task.number)}
    return Answer(document, [render_line(task)], command=f"planrail task show {task.number}")
