"""A new task, from one sentence. The text is recorded as it is, and never executed.

With --json: the task as `planrail task show` has it, with "next".
"""

import os
import sys
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.cli.options.tasks import add_fields, read_fields
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.book.task_views import find_foreign
from planrail.tasks.context.context import Context, commit_task, read_dependencies, refresh
from planrail.tasks.context.looks import describe_task, next_command, render_line
from planrail.tasks.model import Task
from planrail.tasks.naming import make_slug, new_task, one_line

MIXES_WORDS, WORDS = True, "text"
_LONGEST = 100_000  # characters of a description


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="*", help="what is to be done; - reads standard input")
    parser.add_argument("--file", metavar="FILE", help="read it from a file")
    add_fields(parser)


def answer(context: Context, arguments: Namespace) -> Answer:
    text = read_text(arguments)
    foreign = find_foreign(context.root)
    if foreign:  # a new one could get the number of one that the ledger does not know
        names = ", ".join(map(str, foreign[:5])) + (" …" if len(foreign) > 5 else "")
        raise PlanrailError(
            f"{context.folder}/state.json has tasks that the ledger does not know ({names}); nothing was recorded",
            remedy="planrail task import",
        )
    depends, title = read_dependencies(context, arguments.depends), one_line(arguments.title or "")

    def make(number: int) -> Task:
        task = new_task(
            number,
            text,
            type_=arguments.type or context.settings.type,
            dependencies=depends,
            now=context.now(),
        )
        task = replace(task, **{name: one_line(said) for name, said in read_fields(arguments).items()})
        titled = replace(task, title=title, name=make_slug(title)) if title else task
        return replace(titled, session_id=context.session)

    with open_book(context.root) as book:
        task = book.create(make, context.note("created"))
    refresh(context)
    commit_task(context, f"task {task.number}: create {task.title}")
    following = next_command(task.status, task.number)
    return Answer({**describe_task(context, task), "next": following}, [render_line(task)], command=following)


def read_text(arguments: Namespace) -> str:
    words = " ".join(arguments.text)
    if arguments.file and words:
        raise UsageError("the text is given twice: as TEXT and by --file", remedy="leave one of them out")
    if arguments.file:
        if not os.path.isfile(arguments.file):
            raise UsageError(f"{arguments.file} is no file", remedy="name a text file, or give the text on: -")
        try:
            with open(arguments.file, encoding="utf-8", errors="replace") as file:
                words = file.read(_LONGEST + 1)
        except OSError as error:
            raise UsageError(f"{arguments.file} cannot be read: {error.strerror}", remedy="name a text file") from error
    elif arguments.text == ["-"]:
        words = sys.stdin.read(_LONGEST + 1)
    text = words.encode("utf-8", "replace").decode().replace("\0", "").strip()
    if not text:
        raise UsageError("there is no text", remedy='say what is to be done: planrail task new "TEXT"')
    if len(text) > _LONGEST:
        raise UsageError(
            f"a task of more than {_LONGEST} characters is a document",
            remedy="put it into a file, and name that in the task",
        )
    return text
