"""Several tasks in one call: in waves by their dependencies, those of a wave side by side, each in its own process.

A task that does not get to its end holds back those that depend on it, and nobody else.
"""

import os
import shutil
import sys
import time

from planrail.cli.refusals import REFUSED
from planrail.cli.screen import paint, plural, print_json, print_next, say
from planrail.cli.tasking.one_line import one_line
from planrail.cli.tasking.orchestra_display import open_table
from planrail.cli.tasking.orchestrating import INTERRUPTED, ask_approval
from planrail.cli.tasking.side_by_side import Interrupted, PartEnd, run_together
from planrail.errors import PlanrailError, UsageError
from planrail.ledger.places import ledger_folder
from planrail.ledger.task_rows import open_book
from planrail.records import record
from planrail.tasks.orchestrating import FAILED, OK, RESTS
from planrail.tasks.statuses import COMPLETED, TERMINAL, marker
from planrail.tasks.waves import Circle, group_waves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.cli.tasking.desk import Desk
    from planrail.tasks.model import Task

_MOST_JOBS = 16
_KEPT = 7 * 24 * 3600.0  # seconds
_INTERRUPTED = 130  # an exit code
HELD_BACK = "held_back"
_GOOD = (OK, "complete", RESTS, "pr_ready", "paused", "parked")
_SIGNS = {OK: ("✔", "green"), "complete": ("✔", "green"), FAILED: ("✖", "red"), HELD_BACK: ("○", "dim")}


@record
class Order:
    """What each task is to have done to it: a command of `planrail task`, and the words behind its number."""

    command: str
    numbers: tuple[int, ...]
    words: tuple[str, ...] = ()
    jobs: int = 2
    ask: bool = False  # a person is there who can be asked for their yes


def conduct(desk: "Desk", order: Order, *, is_json: bool) -> int:
    """Do it for all of them, and tell what came of each."""
    if not 1 <= order.jobs <= _MOST_JOBS:
        raise UsageError(f"--jobs {order.jobs} is not from 1 to {_MOST_JOBS}", remedy="--jobs 2")
    tasks = _load(desk, order)
    waves = _waves(tasks)
    folder = _make_room(desk)
    ends: dict[int, PartEnd] = {}
    try:
        for wave in waves:
            _do_wave(order, wave, tasks, ends, folder, is_json=is_json)
    except Interrupted as stop:
        ends |= {end.number: end for end in stop.ended}
        return _tell(order, tasks, waves, ends, is_json=is_json, is_interrupted=True)
    shutil.rmtree(folder, ignore_errors=True)
    return _tell(order, tasks, waves, ends, is_json=is_json)


def _make_room(desk: "Desk") -> str:
    """Where the processes of this call write; what calls that were killed have left long ago is removed."""
    place = os.path.join(ledger_folder(desk.root), "task-calls")
    for name in os.listdir(place) if os.path.isdir(place) else ():
        left = os.path.join(place, name)
        if time.time() - os.path.getmtime(left) > _KEPT:
            shutil.rmtree(left, ignore_errors=True)
    return os.path.join(place, desk.session)


def _load(desk: "Desk", order: Order) -> "dict[int, Task]":
    """The tasks. That one is not there is said before anything begins."""
    with open_book(desk.root) as book:
        tasks = {number: book.load(number) for number in order.numbers}
    closed = [task for task in tasks.values() if task.status in TERMINAL and task.status != COMPLETED]
    if closed and "--force" not in order.words:
        first = closed[0]
        raise PlanrailError(
            f"task {first.number} is closed: it is {marker(first.status)}; nothing was started",
            remedy=f"planrail task reopen {first.number} --force",
        )
    return tasks


def _waves(tasks: "dict[int, Task]") -> list[list[int]]:
    waves = group_waves({number: task.dependencies for number, task in tasks.items()})
    if isinstance(waves, Circle):
        ring = " → ".join(map(str, (*waves.ring, waves.ring[0])))
        raise PlanrailError(
            f"these tasks wait for each other: {ring}; nothing was started",
            remedy=f"planrail task edit {waves.ring[0]} --help",
        )
    return waves


def _do_wave(
    order: Order, wave: list[int], tasks: "dict[int, Task]", ends: dict[int, PartEnd], folder: str, *, is_json: bool
) -> None:
    """One wave; whoever waits for a yes that a person gives goes on in it."""
    left = [number for number in wave if not _settle(order, tasks[number], ends)]
    while left:
        table = open_table({number: tasks[number].title for number in left}, is_quiet=is_json)
        try:
            calls = {number: _words(order, number) for number in left}
            done = run_together(folder, calls, order.jobs, table)
        finally:
            table.close()
        ends |= {end.number: end for end in done}
        left = [end.number for end in done if order.ask and _is_approved_now(end)]


def _settle(order: Order, task: "Task", ends: dict[int, PartEnd]) -> bool:
    """Whether there is nothing to start for a task: it is completed, or waits for one that is not."""
    number = task.number
    if task.status == COMPLETED and "--force" not in order.words:
        ends[number] = _end(number, OK, f"task {number} is completed", f"planrail task show {number}", task.status)
        return True
    missing = [other for other in task.dependencies if other in ends and ends[other].text("status") != COMPLETED]
    if missing:
        text = f"held back: it waits for task {', '.join(map(str, missing))}"
        ends[number] = _end(number, HELD_BACK, text, f"planrail task {order.command} {number}", task.status)
    return bool(missing)


def _end(number: int, state: str, text: str, command: str, status: str) -> PartEnd:
    told = {"task": number, "status": status, "state": state, "text": text, "command": command}
    return PartEnd(number, 0 if state == OK else 1, told)


def _words(order: Order, number: int) -> list[str]:
    return ["task", order.command, str(number), "--json", "--part", *order.words]


def _is_approved_now(end: PartEnd) -> bool:
    """Ask the person for the yes that a task waits for."""
    path = end.text("asked")
    if not path:
        return False
    try:
        return ask_approval(path, is_asked=True).state == OK
    except PlanrailError as error:
        print(f"planrail: {error.message}\n  → {error.remedy}", file=sys.stderr)
        return False


# ------------------------------------------------------------------------------------------------------------- telling


def _tell(
    order: Order,
    tasks: "dict[int, Task]",
    waves: list[list[int]],
    ends: dict[int, PartEnd],
    *,
    is_json: bool,
    is_interrupted: bool = False,
) -> int:
    rows = [_row(order, number, tasks, ends) for wave in waves for number in wave]
    command = _next(order, rows)
    if is_json:
        print_json({"tasks": rows, "waves": waves, "command": command})
    else:
        for row in rows:
            say(_line(row))
        done = sum(row["status"] == COMPLETED for row in rows)
        say(f"\n{done} of {plural(len(rows), 'task')} completed")
        print_next(command)
    if is_interrupted or any(row["state"] == INTERRUPTED for row in rows):
        return _INTERRUPTED
    return 0 if all(row["state"] in _GOOD for row in rows) else 1


def _row(order: Order, number: int, tasks: "dict[int, Task]", ends: dict[int, PartEnd]) -> dict[str, object]:
    """What is told of a task: what its process said, else what is known of that."""
    end, task = ends.get(number), tasks[number]
    again = f"planrail task {order.command} {number}"
    if end is None:
        end = _end(number, HELD_BACK, "not started: the call was interrupted", again, task.status)
    elif not end.answer:
        end = _end(number, INTERRUPTED if end.code == _INTERRUPTED else FAILED, end.error, again, task.status)
    elif end.text("status") == REFUSED:
        end = _end(number, FAILED, end.text("error"), end.text("next") or again, task.status)
    return {**end.answer, "title": task.title}


def _line(row: "dict[str, object]") -> str:
    sign, colour = _SIGNS.get(str(row["state"]), ("◑" if row["state"] in _GOOD else "✖", "yellow"))
    status = marker(str(row["status"]))
    return f"{paint(sign, colour)} {row['task']:>4}  {paint(f'{status:<12}', colour)}  {one_line(str(row['text']))}"


def _next(order: Order, rows: "Sequence[dict[str, object]]") -> str:
    """The command of the first that a person can do something about; else what is ready now."""
    for row in rows:
        if row["status"] != COMPLETED and row["state"] != HELD_BACK:
            return str(row["command"])
    return "planrail task"
