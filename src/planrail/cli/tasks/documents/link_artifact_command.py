"""Link a document to a task: a report, a plan or a summary that lies in the project.

planrail task link-artifact N TYPE PATH [--summary TEXT]

A plan takes the place of that round's plan; everything else stays linked. The round is the number that the file's name
begins with, else the task's. Exit codes: 0 it is linked, 1 wrong type or no such file, 2 there is no such task. With
--json: the task's fields, as `planrail task show` has them, and "next".
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.records import replace
from planrail.base.wording import Answer
from planrail.git.exact_commits import new_files
from planrail.tasks.book.task_rows import TaskBook, open_book
from planrail.tasks.desk.artifact_places import number_of, path_in_project, round_of
from planrail.tasks.desk.desk import VIEWS, Desk, commit_task, refresh
from planrail.tasks.desk.looks import describe_task, next_command, render_line
from planrail.tasks.model import PLAN, REPORT, TYPES, Artifact, Task, link
from planrail.tasks.numbers import read_number
from planrail.tasks.statuses import NOT_STARTED, PLANNED, RESEARCHED

_LONGEST = 4_000_000  # characters of a document that are looked at
_ALIASES = {"research": "report"}  # as older books call it


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", help="the task")
    parser.add_argument("type", metavar="TYPE", help="report, plan or summary")
    parser.add_argument("path", metavar="PATH", help="the file")
    parser.add_argument("--summary", metavar="TEXT", default="", help="what it says, in a line")


def answer(desk: Desk, arguments: Namespace) -> Answer:
    number, type_ = read_number(arguments.number, least=0), _read_type(arguments.type)
    path = _find_file(desk, arguments.path)
    with open_book(desk.root) as book:
        if book.find(number) is None:
            raise UsageError(f"there is no task {number}", remedy="planrail task list")
        if type_ == PLAN:
            _refuse_others(book, number, path)
        task = book.change(
            number,
            lambda known: _link(desk, known, _artifact(known, type_, path, arguments.summary)),
            desk.note("linked", type=type_, path=path),
        )
    refresh(desk)
    # One that lies elsewhere, or that git has heard of, is its writer's to commit.
    new = new_files(desk.root, [path]) if path.startswith(f"{desk.folder}/") else []
    commit_task(desk, f"task {task.number}: link {type_}", new)
    document = {**describe_task(desk, task), "next": next_command(task.status, task.number)}
    listed = [f"  {one.type:<8} {one.path}{'  (linked)' if one.path == path else ''}" for one in task.artifacts]
    return Answer(document, [render_line(task), *listed], command=f"planrail task show {task.number}")


def _read_type(word: str) -> str:
    type_ = _ALIASES.get(word.lower(), word.lower())
    if type_ not in TYPES:
        raise PlanrailError(
            f"{word!r} is no type of a document; there are: {', '.join(TYPES)}",
            remedy="planrail task link-artifact N plan PATH",
        )
    return type_


def _find_file(desk: Desk, given: str) -> str:
    """The path of a file from the root on; it may be given from here, or from the root."""
    for place in (given, os.path.join(desk.root, given)):
        if os.path.isfile(place):
            inside = path_in_project(desk.root, place)
            if inside is None:
                raise PlanrailError(f"{given} lies outside the project", remedy=f"copy it into {desk.folder}/")
            return _expect_document(desk, inside)
    raise PlanrailError(f"there is no file {given}; nothing was linked", remedy="ls " + desk.folder)


def _expect_document(desk: Desk, path: str) -> str:
    """Agents are given what is linked, as text: git's folder, the views and what is no text are no documents."""
    own = [f"{desk.folder}/{name}" for name in VIEWS]
    if path.split("/")[0] == ".git" or path in own or not _is_text(os.path.join(desk.root, path)):
        raise PlanrailError(f"{path} is no document of a task; nothing was linked", remedy=f"ls {desk.folder}")
    return path


def _is_text(place: str) -> bool:
    try:
        with open(place, encoding="utf-8") as file:
            return "\0" not in file.read(_LONGEST)
    except (OSError, UnicodeDecodeError):
        return False


def _refuse_others(book: TaskBook, number: int, path: str) -> None:
    """A plan proves the task that it was made for, and no other."""
    for task in (*book.tasks(), *book.tasks(archived=True)):
        if task.number != number and any(one.type == PLAN and one.path == path for one in task.artifacts):
            raise PlanrailError(
                f"{path} is the plan of task {task.number}; nothing was linked",
                remedy=f"planrail task edit {number} --depends {task.number}, or write a plan of its own",
            )


def _artifact(task: Task, type_: str, path: str, summary: str) -> Artifact:
    is_own = any(number_of(folder) == task.number for folder in path.split("/")[:-1])
    round_ = (round_of(path) if is_own else 0) or task.round or 1
    known = next((one.summary for one in task.artifacts if one.path == path), "")
    return Artifact(type_, path, " ".join(summary.split()) or known, round_)


def _link(desk: Desk, task: Task, artifact: Artifact) -> Task:
    """The task with the document; the same task where it is linked so already."""
    if artifact in task.artifacts:
        return task
    linked = link(task, artifact)
    round_, status = max(task.round, artifact.round), task.status
    if artifact.type == PLAN and status in (NOT_STARTED, RESEARCHED):
        status = PLANNED
    elif artifact.type == REPORT and status == NOT_STARTED:
        status = RESEARCHED
    return replace(linked, round=round_, status=status, last_updated=desk.now(), session_id=desk.session)
