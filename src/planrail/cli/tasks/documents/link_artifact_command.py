"""Link a document to a task: a report, a plan or a summary that lies in the project.

planrail task link-artifact N TYPE PATH [--summary TEXT]

A plan takes the place of that round's plan; everything else stays linked. The round is the number that the file's name
begins with, else the task's. Exit codes: 0 it is linked, 1 wrong type or no such file, 2 there is no such task. With
--json: the task's fields, as `planrail task show` has them, and "next".
"""

import os
import re
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.git.exact_commits import new_files
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import VIEWS, Context, commit_task, path_in_project, refresh
from planrail.tasks.context.files import number_of, read_document
from planrail.tasks.context.looks import describe_task, next_command, render_line
from planrail.tasks.model import PLAN, REPORT, TYPES, Artifact, Task, link
from planrail.tasks.numbers import read_number
from planrail.tasks.statuses import NOT_STARTED, PLANNED, RESEARCHED

_ALIASES = {"research": "report"}  # as older books call it
_ROUND = re.compile(r"0*(\d{1,4})_")  # of a file, `02_name.md`


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", help="the task")
    parser.add_argument("type", metavar="TYPE", help="report, plan or summary")
    parser.add_argument("path", metavar="PATH", help="the file")
    parser.add_argument("--summary", metavar="TEXT", default="", help="what it says, in a line")


def answer(context: Context, arguments: Namespace) -> Answer:
    number, word = read_number(arguments.number, least=0), arguments.type.lower()
    type_ = _ALIASES.get(word, word)
    if type_ not in TYPES:
        raise PlanrailError(
            f"{arguments.type!r} is no type of a document; there are: {', '.join(TYPES)}",
            remedy="planrail task link-artifact N plan PATH",
        )
    path = _find_file(context, arguments.path)
    with open_book(context.root) as book:
        if book.find(number) is None:
            raise UsageError(f"there is no task {number}", remedy="planrail task list")
        for other in (*book.tasks(), *book.tasks(archived=True)) if type_ == PLAN else ():
            # A plan proves the task that it was made for, and no other.
            if other.number != number and any(one.type == PLAN and one.path == path for one in other.artifacts):
                raise PlanrailError(
                    f"{path} is the plan of task {other.number}; nothing was linked",
                    remedy=f"planrail task edit {number} --depends {other.number}, or write a plan of its own",
                )
        task = book.change(
            number,
            lambda known: _link(context, known, type_, path, arguments.summary),
            context.note("linked", type=type_, path=path),
        )
    refresh(context)
    # One that lies elsewhere, or that git has heard of, is its writer's to commit.
    new = new_files(context.root, [path]) if path.startswith(f"{context.folder}/") else []
    commit_task(context, f"task {task.number}: link {type_}", new)
    document = {**describe_task(context, task), "next": next_command(task.status, task.number)}
    listed = [f"  {one.type:<8} {one.path}{'  (linked)' if one.path == path else ''}" for one in task.artifacts]
    return Answer(document, [render_line(task), *listed], command=f"planrail task show {task.number}")


def _find_file(context: Context, given: str) -> str:
    """The path of a file from the root on; it may be given from here, or from the root.

    Agents are given what is linked, as text: git's folder, the views and what is no text are no documents.
    """
    place = next((one for one in (given, os.path.join(context.root, given)) if os.path.isfile(one)), "")
    if not place:
        raise PlanrailError(f"there is no file {given}; nothing was linked", remedy="ls " + context.folder)
    path = path_in_project(context.root, place)
    if path is None:
        raise PlanrailError(f"{given} lies outside the project", remedy=f"copy it into {context.folder}/")
    is_own = path.split("/")[0] == ".git" or path in [f"{context.folder}/{name}" for name in VIEWS]
    text = None if is_own else read_document(context.root, path)
    if text is None or "\0" in text:
        raise PlanrailError(f"{path} is no document of a task; nothing was linked", remedy=f"ls {context.folder}")
    return path


def _link(context: Context, task: Task, type_: str, path: str, summary: str) -> Task:
    """The task with the document; the same task where it is linked so already."""
    is_own = any(number_of(folder) == task.number for folder in path.split("/")[:-1])
    said = _ROUND.match(path.rsplit("/", 1)[-1]) if is_own else None
    known = next((one.summary for one in task.artifacts if one.path == path), "")
    round_ = (int(said[1]) if said else 0) or task.round or 1
    artifact = Artifact(type_, path, " ".join(summary.split()) or known, round_)
    if artifact in task.artifacts:
        return task
    status = task.status
    if type_ == PLAN and status in (NOT_STARTED, RESEARCHED):
        status = PLANNED
    elif type_ == REPORT and status == NOT_STARTED:
        status = RESEARCHED
    about = {"last_updated": context.now(), "session_id": context.session}
    return replace(link(task, artifact), round=max(task.round, round_), status=status, **about)
