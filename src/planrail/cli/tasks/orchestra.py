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
from planrail.cli.refusals import REFUSED
from planrail.cli.tasks.orchestra_display import open_table
from planrail.store.places import ledger_folder
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.context import Context, Tell
from planrail.tasks.model import Task
from planrail.tasks.numbers import Typed
from planrail.tasks.orchestrating import DECLINED, FAILED, OK, RESTS, SPENT
from planrail.tasks.statuses import COMPLETED, IMPLEMENTING, PARTIAL, PR_READY, TERMINAL, marker
from planrail.tasks.waves import Circle, gather_open, group_waves, name_tasks
from planrail.tasks.work.call_budgets import Sharing
from planrail.tasks.work.implementing import ask_approval
from planrail.tasks.work.side_by_side import Interrupted, PartEnd, make_end, run_together
from planrail.tasks.work.task_runs import INTERRUPTED

_MOST_JOBS = 16
_KEPT = 7 * 24 * 3600.0  # seconds
_INTERRUPTED = 130  # an exit code
HELD_BACK = "held_back"
_GOOD = (OK, "complete", RESTS, "pr_ready", "paused", "parked")
_SIGNS = {OK: ("✔", "green"), "complete": ("✔", "green"), FAILED: ("✖", "red"), HELD_BACK: ("○", "dim")}


@record
class Order:
    """What each task is to have done to it: a call as it was typed, for several tasks, and how it is carried out."""

    typed: Typed
    jobs: int = 2
    budget: str | None = None  # of all of them together
    ask: bool = False  # a person is there who can be asked for their yes

    @property
    def is_forced(self) -> bool:
        return "--force" in self.typed.options


@record
class _Known:
    """What the book says: the tasks of the call; and of all tasks their states, and what they depend on."""

    tasks: dict[int, Task]
    states: dict[int, str]
    dependencies: dict[int, tuple[int, ...]]


def conduct(context: Context, order: Order, *, is_json: bool) -> Answer:
    if not 1 <= order.jobs <= _MOST_JOBS:
        raise UsageError(f"--jobs {order.jobs} is not from 1 to {_MOST_JOBS}", remedy="--jobs 2")
    known = _load(context, order)
    waves = _waves(known.tasks)
    folder, sharing, typed = _make_room(context), Sharing(order.budget), order.typed
    ends: dict[int, PartEnd] = {}
    try:
        for wave in waves:
            left = [number for number in wave if not _settle(order, known.tasks[number], known, ends)]
            while left:  # a task that waits for an approval which a person gives goes on
                with open_table({number: known.tasks[number].title for number in left}, is_quiet=is_json) as table:
                    done = run_together(folder, typed, left, order.jobs, sharing, table)
                ends |= {end.number: end for end in done}
                asked = [end for end in done if order.ask and end.text("asked")]
                left = [end.number for end in asked if _is_approved_now(context.tell, end, ends)]
    except Interrupted as stop:
        ends |= {end.number: end for end in stop.ended}
        return _answer(order, known, waves, ends, is_interrupted=True)
    shutil.rmtree(folder, ignore_errors=True)
    return _answer(order, known, waves, ends)


def _make_room(context: Context) -> str:
    """Where the processes of this call write; what calls that were killed have left long ago is removed."""
    place = os.path.join(ledger_folder(context.root), "task-calls")
    for name in os.listdir(place) if os.path.isdir(place) else ():
        left = os.path.join(place, name)
        if time.time() - os.path.getmtime(left) > _KEPT:
            shutil.rmtree(left, ignore_errors=True)
    return os.path.join(place, context.session)


def _load(context: Context, order: Order) -> _Known:
    """The tasks. That one is not there is said before anything begins."""
    with open_book(context.root) as book:
        tasks = {number: book.load(number) for number in order.typed.numbers}
        briefs = book.briefs()
    closed = [task for task in tasks.values() if task.status in TERMINAL and task.status != COMPLETED]
    if closed and not order.is_forced:
        first = closed[0]
        raise PlanrailError(
            f"task {first.number} is closed: it is {marker(first.status)}; nothing was started",
            remedy=f"planrail task reopen {first.number} --force",
        )
    states = {brief.number: brief.status for brief in briefs}
    return _Known(tasks, states, {brief.number: brief.dependencies for brief in briefs})


def _waves(tasks: dict[int, Task]) -> list[list[int]]:
    waves = group_waves({number: task.dependencies for number, task in tasks.items()})
    if isinstance(waves, Circle):
        ring = " → ".join(map(str, (*waves.ring, waves.ring[0])))
        raise PlanrailError(
            f"these tasks wait for each other: {ring}; nothing was started",
            remedy=f"planrail task edit {waves.ring[0]} --help",
        )
    return waves


def _settle(order: Order, task: Task, known: _Known, ends: dict[int, PartEnd]) -> bool:
    """Whether there is nothing to start for a task: it is completed, or waits for one that is not."""
    number = task.number
    if task.status == COMPLETED and not order.is_forced:
        ends[number] = make_end(number, OK, f"task {number} is completed", f"planrail task show {number}", task.status)
        return True
    missing = [other for other in task.dependencies if other in ends and ends[other].text("status") != COMPLETED]
    missing += _outside(order, task, known)
    if missing:
        text = f"held back: it waits for {name_tasks(missing)}"
        ends[number] = make_end(number, HELD_BACK, text, order.typed.again([number]), task.status)
    return bool(missing)


def _outside(order: Order, task: Task, known: _Known) -> list[int]:
    """The open tasks that a task waits for, and that are no part of the call. What has begun goes on."""
    if order.is_forced or task.status in (IMPLEMENTING, PARTIAL, PR_READY):
        return []
    others = [other for other in task.dependencies if other not in known.tasks]
    return [other for other in others if known.states.get(other, COMPLETED) not in TERMINAL]


def _is_approved_now(tell: Tell, end: PartEnd, ends: dict[int, PartEnd]) -> bool:
    """Ask the person for the yes that a task waits for. A no is what came of it."""
    try:
        said = ask_approval(end.text("asked"), end.number, is_asked=True)
    except PlanrailError as error:
        tell(error.message, error.remedy)
        return False
    if said.state == DECLINED:
        ends[end.number] = make_end(end.number, DECLINED, said.text, said.command, "")
    return said.state == OK


# ------------------------------------------------------------------------------------------------------------- telling


def _answer(
    order: Order, known: _Known, waves: list[list[int]], ends: dict[int, PartEnd], *, is_interrupted: bool = False
) -> Answer:
    rows = [_row(order, known.tasks[number], ends.get(number)) for wave in waves for number in wave]
    is_interrupted = is_interrupted or any(row["state"] == INTERRUPTED for row in rows)
    command = order.typed.again() if is_interrupted else _next(order, known, rows)
    done = sum(row["status"] == COMPLETED for row in rows)
    lines = [*map(_line, rows), f"\n{done} of {plural(len(rows), 'task')} completed"]
    code = _INTERRUPTED if is_interrupted else int(any(row["state"] not in _GOOD for row in rows))
    return Answer({"tasks": rows, "waves": waves, "command": command}, lines, command=command, code=code)


def _row(order: Order, task: Task, end: PartEnd | None) -> dict[str, object]:
    """What is told of a task: what its process said, else what is known of that."""
    number, again = task.number, order.typed.again([task.number])
    if end is None:
        end = make_end(number, HELD_BACK, "not started: the call was interrupted", again, task.status)
    elif not end.answer:
        end = make_end(number, INTERRUPTED if end.code == _INTERRUPTED else FAILED, end.error, again, task.status)
    elif end.text("status") == REFUSED:
        end = make_end(number, FAILED, end.text("error"), end.text("next") or again, task.status)
    told = {name: value for name, value in end.answer.items() if name != "spent"}
    return {**told, "status": told["status"] or task.status, "title": task.title}


def _line(row: dict[str, object]) -> str:
    sign, colour = _SIGNS.get(str(row["state"]), ("◑" if row["state"] in _GOOD else "✖", "yellow"))
    status = marker(str(row["status"]))
    return f"{paint(sign, colour)} {row['task']:>4}  {paint(f'{status:<12}', colour)}  {one_line(str(row['text']))}"


def _next(order: Order, known: _Known, rows: Sequence[dict[str, object]]) -> str:
    """The command of the first that a person can do something about; else what is ready now.

    A call whose budget is spent is followed by the same one; one with tasks that wait for others, by one with those.
    """
    if any(row["state"] == SPENT for row in rows):
        return order.typed.again()
    for row in rows:
        if row["status"] != COMPLETED and row["state"] != HELD_BACK:
            return str(row["command"])
    left = [int(str(row["task"])) for row in rows if row["status"] != COMPLETED]
    if not left:
        return "planrail task"
    batch = gather_open(left, known.dependencies, known.states)
    return replace(order.typed, command="orchestrate").again(batch)
