"""Put away what is completed, abandoned or expanded: all of it, or the tasks that are named.

Their folders go to `specs/archive/`, their entries to `specs/archive/state.json`. `planrail task recover N` brings one
back. With --json: {"archived": [N], "next"}.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import Answer, name_some, paint, plural
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import refuse_held
from planrail.tasks.context.context import Context, commit_task, refresh
from planrail.tasks.context.files import move_folder, refuse_move
from planrail.tasks.context.looks import render_line
from planrail.tasks.model import Task, folder_of, move_documents
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import COMPLETED, TERMINAL, marker
from planrail.tasks.work.plan_phases import read_phases


def configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "numbers", metavar="N", nargs="*", help="one or several: 7 or 7,9-12; none: all that are closed"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be put away")


def answer(context: Context, arguments: Namespace) -> Answer:
    chosen = _choose(context, arguments.numbers)
    if chosen and not arguments.dry_run:
        _put_away(context, chosen)
    told = {"archived": [task.number for task in chosen], "dry_run": arguments.dry_run, "next": "planrail task"}
    lines = [render_line(task) for task in chosen] or ["nothing is closed, so there is nothing to put away"]
    if chosen and arguments.dry_run:
        lines.append(paint(f"{plural(len(chosen), 'task')} would be put away; nothing was changed", "dim"))
    following = "planrail task archive" if arguments.dry_run and chosen else "planrail task"
    return Answer(told, lines, command=following)


def _choose(context: Context, given: list[str]) -> list[Task]:
    with open_book(context.root) as book:
        if not given:
            return [task for task in book.tasks() if task.status in TERMINAL]
        tasks = [book.load(number) for number in dict.fromkeys(read_numbers(" ".join(given)))]
    for task in tasks:
        if task.status not in TERMINAL:
            raise PlanrailError(
                f"task {task.number} is {marker(task.status)}: only what is closed is put away; nothing was changed",
                remedy=f"planrail task complete {task.number}, or: planrail task abandon {task.number}",
            )
    return tasks


def _put_away(context: Context, tasks: list[Task]) -> None:
    """The ledger first: a folder that was not moved yet is found by `planrail task check`."""
    moves = {}
    for task in tasks:
        refuse_held(context, task.number)
        old = folder_of(task, context.folder)
        moves[task.number] = old, f"{context.folder}/archive/{old.rpartition('/')[2]}"
    for old, new in moves.values():
        refuse_move(context.root, old, new)

    def archive(known: dict[int, Task]) -> Iterable[Task]:
        for task in known.values():
            yield replace(task, artifacts=move_documents(task, *moves[task.number]), is_archived=True)

    # What proves the phases of a task: proofs are of a plan at its place, and it gets another one.
    done = {str(task.number): read_phases(context.root, task) or [] for task in tasks if task.status == COMPLETED}
    proofs = {name: [[one.id, one.title, one.status, one.proof] for one in phases] for name, phases in done.items()}
    with open_book(context.root) as book:
        book.change_many([task.number for task in tasks], archive, context.note("archived", phases=proofs))
    moved: dict[str, str] = {}
    for old, new in moves.values():
        moved |= move_folder(context.root, old, new)
    refresh(context, archive=True)
    names = name_some([task.number for task in tasks], 10)
    commit_task(context, f"todo: archive {plural(len(tasks), 'task')} ({names})", moved=moved)
