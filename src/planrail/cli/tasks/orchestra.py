"""Several tasks in one call: in waves by their dependencies, those of a wave side by side, each in its own process.

A task that does not get to its end holds back those that depend on it, and nobody else.
"""

import os
import shutil
import time
from collections.abc import Sequence

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.one_line import one_line
from planrail.base.records import record, replace
from planrail.base.wording import Answer, paint, plural
from planrail.cli.tasks.orchestra_display import open_table
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import Context
from planrail.tasks.model import Brief, Task
from planrail.tasks.numbers import Typed
from planrail.tasks.orchestrating import DECLINED, FAILED, OK, RESTS, SPENT
from planrail.tasks.statuses import COMPLETED, IMPLEMENTING, PARTIAL, PR_READY, TERMINAL, marker
from planrail.tasks.waves import Circle, gather_open, group_waves, name_tasks
from planrail.tasks.work.implementing import ask_approval
from planrail.tasks.work.side_by_side import Interrupted, Row, make_row, run_together
from planrail.tasks.work.task_runs import INTERRUPTED, Sharing

_MOST_JOBS = 16
_KEPT = 7 * 24 * 3600.0  # seconds
_INTERRUPTED = 130  # an exit code
HELD_BACK = "held_back"
_GOOD = (OK, "complete", RESTS, "pr_ready", "paused", "parked")
_SIGNS = {OK: ("✔", "green"), "complete": ("✔", "green"), FAILED: ("✖", "red"), HELD_BACK: ("○", "dim")}


@record
class TaskOrder:
    """What each task is to have done to it: a call as it was typed, for several tasks, and how it is carried out."""

    typed: Typed
    jobs: int = 2
    budget: str | None = None  # of all of them together
    ask: bool = False  # a person is there who can be asked for an approval

    @property
    def is_forced(self) -> bool:
        return "--force" in self.typed.options


@record
class _Known:
    """What the book says: the tasks of the call, and all others in a few fields."""

    tasks: dict[int, Task]
    briefs: dict[int, Brief]


def conduct(context: Context, order: TaskOrder, *, is_json: bool) -> Answer:
    if not 1 <= order.jobs <= _MOST_JOBS:
        raise UsageError(f"--jobs {order.jobs} is not from 1 to {_MOST_JOBS}", remedy="--jobs 2")
    known = _load(context, order)
    waves = _waves(known.tasks)
    folder, sharing, typed = _make_folder(context), Sharing(order.budget), order.typed
    rows: dict[int, Row] = {}
    try:
        for wave in waves:
            rows |= {number: row for number in wave if (row := _settle(order, known.tasks[number], known, rows))}
            left = [number for number in wave if number not in rows]
            while left:  # a task that waits for an approval which a person gives goes on
                with open_table({number: known.tasks[number].title for number in left}, is_quiet=is_json) as table:
                    done = run_together(folder, typed, left, order.jobs, sharing, table)
                rows |= _by_number(done)
                asked = {number: row.get("unapproved") or row.get("asked") for number, row in _by_number(done).items()}
                asked = {number: path for number, path in asked.items() if path and order.ask}
                left = [number for number, path in asked.items() if _is_approved_now(context, number, str(path), rows)]
    except Interrupted as stop:
        return _answer(order, known, waves, rows | _by_number(stop.ended), is_interrupted=True)
    shutil.rmtree(folder, ignore_errors=True)
    return _answer(order, known, waves, rows)


def _by_number(rows: Sequence[Row]) -> dict[int, Row]:
    return {int(str(row["task"])): row for row in rows}


def _make_folder(context: Context) -> str:
    """Where the processes of this call write; what calls that were killed have left long ago is removed."""
    place = os.path.join(ledger_folder(context.root), "task-calls")
    for name in os.listdir(place) if os.path.isdir(place) else ():
        left = os.path.join(place, name)
        if time.time() - os.path.getmtime(left) > _KEPT:
            shutil.rmtree(left, ignore_errors=True)
    return os.path.join(place, context.session)


def _load(context: Context, order: TaskOrder) -> _Known:
    """The tasks. That one is not there is said before anything begins."""
    with open_book(context.root) as book:
        tasks = {number: book.load(number) for number in order.typed.numbers}
        briefs = {brief.number: brief for brief in book.briefs()}
    closed = [task for task in tasks.values() if task.status in TERMINAL and task.status != COMPLETED]
    if closed and not order.is_forced:
        first = closed[0]
        raise PlanrailError(
            f"task {first.number} is closed: it is {marker(first.status)}; nothing was started",
            remedy=f"planrail task reopen {first.number} --force",
        )
    return _Known(tasks, briefs)


def _waves(tasks: dict[int, Task]) -> list[list[int]]:
    waves = group_waves({number: task.dependencies for number, task in tasks.items()})
    if isinstance(waves, Circle):
        ring = " → ".join(map(str, (*waves.ring, waves.ring[0])))
        raise PlanrailError(
            f"these tasks wait for each other: {ring}; nothing was started",
            remedy=f"planrail task edit {waves.ring[0]} --help",
        )
    return waves


def _settle(order: TaskOrder, task: Task, known: _Known, rows: dict[int, Row]) -> Row | None:
    """The end of a task for which nothing is started: it is completed, or waits for one that is not.

    Open tasks that are no part of the call count as well, unless it has begun: what has begun goes on.
    """
    number = task.number
    if task.status == COMPLETED and not order.is_forced:
        return make_row(number, OK, f"task {number} is completed", f"planrail task show {number}", task.status)
    missing = [other for other in task.dependencies if other in rows and rows[other]["status"] != COMPLETED]
    if not order.is_forced and task.status not in (IMPLEMENTING, PARTIAL, PR_READY):
        others = [known.briefs[one] for one in task.dependencies if one not in known.tasks and one in known.briefs]
        missing += [other.number for other in others if other.status not in TERMINAL]
    if not missing:
        return None
    text = f"held back: it waits for {name_tasks(missing)}"
    return make_row(number, HELD_BACK, text, order.typed.again([number]), task.status)


def _is_approved_now(context: Context, number: int, path: str, rows: dict[int, Row]) -> bool:
    """Ask the person for the approval that a task waits for. A no is what came of it."""
    try:
        said = ask_approval(path, number, is_asked=True)
    except PlanrailError as error:
        context.tell(error.message, error.remedy)
        return False
    if said.state == DECLINED:
        rows[number] = make_row(number, DECLINED, said.text, said.command)
    return said.state == OK


# ------------------------------------------------------------------------------------------------------------- telling


def _answer(
    order: TaskOrder, known: _Known, waves: list[list[int]], ends: dict[int, Row], *, is_interrupted: bool = False
) -> Answer:
    rows = []
    for task in (known.tasks[number] for wave in waves for number in wave):
        again = order.typed.again([task.number])
        row = ends.get(task.number) or make_row(task.number, HELD_BACK, "not started: the call was interrupted", again)
        told = {name: value for name, value in row.items() if name != "unapproved"}
        rows.append({**told, "status": row["status"] or task.status, "title": task.title})
    is_interrupted = is_interrupted or any(row["state"] == INTERRUPTED for row in rows)
    command = order.typed.again() if is_interrupted else _next(order, known, rows)
    done = sum(row["status"] == COMPLETED for row in rows)
    lines = [*map(_line, rows), f"\n{done} of {plural(len(rows), 'task')} completed"]
    code = _INTERRUPTED if is_interrupted else int(any(row["state"] not in _GOOD for row in rows))
    return Answer({"tasks": rows, "waves": waves, "command": command}, lines, command=command, code=code)


def _line(row: Row) -> str:
    sign, colour = _SIGNS.get(str(row["state"]), ("◑" if row["state"] in _GOOD else "✖", "yellow"))
    status = marker(str(row["status"]))
    return f"{paint(sign, colour)} {row['task']:>4}  {paint(f'{status:<12}', colour)}  {one_line(str(row['text']))}"


def _next(order: TaskOrder, known: _Known, rows: Sequence[Row]) -> str:
    """The command of the first that a person can do something about; else what is ready now.

    A call whose budget is spent is followed by the same one; one with tasks that wait for others, by one with those.
    """
    if any(row["state"] == SPENT for row in rows):
        return order.typed.again()
    open_rows = {number: row for number, row in _by_number(rows).items() if row["status"] != COMPLETED}
    for row in open_rows.values():
        if row["state"] != HELD_BACK:
            return str(row["command"])
    if not open_rows:
        return "planrail task"
    dependencies = {brief.number: brief.dependencies for brief in known.briefs.values()}
    states = {brief.number: brief.status for brief in known.briefs.values()}
    return replace(order.typed, command="orchestrate").again(gather_open(list(open_rows), dependencies, states))
