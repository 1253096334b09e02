"""One task or several: what was asked, the documents that came of it, the phases of its plan, its history.

With --json: for one task an object, for several a list; the fields of `specs/state.json`, with "phases", "history",
"waits_for" and "next".
"""

import contextlib
import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.wording import Answer, clip, paint
from planrail.tasks.book.task_rows import Happened, TaskBook, read_book
from planrail.tasks.context.context import Context, look_up
from planrail.tasks.context.looks import describe_task, from_here, next_command, render_line, tell_event
from planrail.tasks.model import Task, list_options
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import PLANNED, TaskPhase, open_phases
from planrail.tasks.waves import blocked
from planrail.tasks.work.plan_phases import plan_path, read_phases
from planrail.tasks.work.task_runs import is_approved

_MOST_HISTORY = 12


@record
class _Sight:
    task: Task
    history: list[Happened]
    waits_for: tuple[int, ...]
    phases: list[TaskPhase] | None


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", nargs="+", help="one or several: 7 or 7,9-12")


def answer(context: Context, arguments: Namespace) -> Answer:
    numbers = read_numbers(" ".join(arguments.numbers))
    waiting = {brief.number: waits for brief, waits in blocked(look_up(context))}
    with read_book(context.root) as book:
        sights = [_see(context, book, number, waiting.get(number, ())) for number in dict.fromkeys(numbers)]
    if arguments.json:
        told = [_describe(context, sight) for sight in sights]
        return Answer(told[0] if len(told) == 1 else told)  # type: ignore[arg-type] # several are a list
    return Answer(lines=[line for sight in sights for line in _tell(context, sight)], command=_next(context, sights[0]))


def _see(context: Context, book: TaskBook, number: int, waits_for: tuple[int, ...]) -> _Sight:
    archived = book.find_archived(number)
    task = book.find(number) or (archived[-1] if archived else book.load(number))
    history = book.history(number)
    phases = _archived_phases(task, history) or None
    if phases is None:
        with contextlib.suppress(PlanrailError):  # the plan is gone or unreadable; `exists` says so
            phases = read_phases(context.root, task)
    return _Sight(task, history, waits_for, phases)


def _archived_phases(task: Task, history: list[Happened]) -> list[TaskPhase]:
    """The phases of an archived task as they were proven when it was put away."""
    kept = [one.value.get("phases") for one in history if one.what == "archived"] if task.is_archived else []
    found = kept[-1].get(str(task.number)) if kept and isinstance(kept[-1], dict) else None
    return [TaskPhase(*map(str, row)) for row in found or [] if isinstance(row, list) and len(row) == 4]


def _next(context: Context, sight: _Sight) -> str:
    task = sight.task
    if task.is_archived:
        return f"planrail task recover {task.number}"
    if sight.waits_for:
        return f"planrail task show {sight.waits_for[0]}"
    if task.status == PLANNED and sight.phases:  # does the plan wait for an approval?
        place = plan_path(context.root, task)
        with contextlib.suppress(PlanrailError):
            if not is_approved(place, {phase.id for phase in open_phases(sight.phases)}):
                return f"planrail approve {from_here(context, place)}"
    return next_command(task.status, task.number)


def _describe(context: Context, sight: _Sight) -> dict[str, object]:
    phases = [
        {"id": one.id, "title": one.title, "status": one.status, "proof": one.proof or None}
        for one in sight.phases or []
    ]
    history = [{"at": one.at, "what": one.what, "session": one.session, **dict(one.value)} for one in sight.history]
    more = {"phases": phases, "waits_for": list(sight.waits_for), "history": history, "next": _next(context, sight)}
    return {**describe_task(context, sight.task), **more}


def _tell(context: Context, sight: _Sight) -> Iterator[str]:
    task = sight.task
    yield render_line(task)
    for name, value in _facts(sight):
        yield f"  {paint(f'{name:<12}', 'dim')} {value}"
    for one in task.artifacts:
        is_there = os.path.exists(os.path.join(context.root, one.path))
        gone = "" if is_there else paint("  (it is gone)", "red")
        yield f"  {paint(f'{one.type:<12}', 'dim')} {from_here(context, one.path)}{gone}"
    for phase in sight.phases or []:
        proof = f" ({phase.proof})" if phase.proof and phase.status in ("done", "skipped") else ""
        state = phase.status.replace("_", " ") + proof
        yield f"  {paint('phase       ', 'dim')} {phase.id:<4} {state:<20} {clip(phase.title, 60)}"
    if task.description:
        yield f"\n{task.description}\n"
    for happened in sight.history[-_MOST_HISTORY:]:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(happened.at))
        why = f": {happened.value['why']}" if happened.value.get("why") else ""
        forced = paint("  by force", "yellow") if happened.value.get("forced") else ""
        yield paint(f"  {when}  {tell_event(happened.what)}{why}", "dim") + forced


def _facts(sight: _Sight) -> list[tuple[str, str]]:
    task = sight.task
    found = {"type": task.task_type, **{one.name.replace("_", " "): getattr(task, one.name) for one in list_options()}}
    found |= {"depends on": ", ".join(map(str, task.dependencies)), "waits for": ", ".join(map(str, sight.waits_for))}
    found |= {"part of": str(task.parent_task or ""), "parts": ", ".join(map(str, task.subtasks)), "because": task.why}
    found |= {"round": str(task.round or ""), "came of it": task.completion_summary}
    found |= {"archived": "yes" if task.is_archived else ""}
    return [(name, value) for name, value in found.items() if value]
