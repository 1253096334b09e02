"""Say that a stage of a task begins (preflight) or has ended (postflight): for the scripts of those who moved over.

planrail task update-status preflight|postflight N research|plan|implement|pr_ready SESSION [--dry-run]

Exit codes: 0 it is so (silent where it was already), 1 wrong call, unknown task or refused, 2 the ledger failed. The
views follow the ledger in any case. With --json: "task", "status", "changed".
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import record
from planrail.cli.screen import print_json, say, warn
from planrail.plans.files.plan_writing import write_text
from planrail.plans.text.source import load
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.desk.desk import Desk, apply, open_desk
from planrail.tasks.documents.plan_headers import set_header_status
from planrail.tasks.model import Task
from planrail.tasks.statuses import Move, Phase, Refuse, Stay, decide_event, marker
from planrail.tasks.work.plan_phases import plan_path, read_phases

_EVENTS = {
    ("preflight", "research"): "begin_research",
    ("postflight", "research"): "end_research",
    ("preflight", "plan"): "begin_plan",
    ("postflight", "plan"): "end_plan",
    ("preflight", "implement"): "begin_implement",
    ("postflight", "implement"): "complete",
    ("preflight", "pr_ready"): "offer",
    ("postflight", "pr_ready"): "complete",
}
_COMPLETE = "complete"
_SHOWN_IN_PLAN = ("begin_implement", _COMPLETE)  # the plan's own header follows
_USAGE = "planrail task update-status preflight|postflight N research|plan|implement|pr_ready SESSION [--dry-run]"
_LEDGER_FAILED = 2


@record
class _Order:
    """What the call asks for."""

    event: str
    number: int
    session: str
    is_dry: bool = False
    as_json: bool = False


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments. They are read by hand: a wrong call ends with 1 here, as their scripts expect."""
    parser.usage = _USAGE
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="operation, number, stage, session")


def run(arguments: Namespace) -> int:
    """Change the state of a task."""
    flags = [name for name in ("dry_run", "json") if getattr(arguments, name)]
    order = _read_order([*arguments.words, *(f"--{name.replace('_', '-')}" for name in flags)])
    try:
        return _carry_out(order)
    except ToolFailed as error:
        error.exit_code = _LEDGER_FAILED
        raise


def _read_order(given: list[str]) -> _Order:
    options = {word for word in given if word.startswith("--")}
    words = [word for word in given if not word.startswith("--")]
    if len(words) != 4 or not all(words) or options - {"--dry-run", "--json"}:
        raise PlanrailError("four words are needed: operation, number, stage, session", remedy=_USAGE)
    operation, number, stage, session = words
    _expect("the operation", operation, {name for name, _ in _EVENTS})
    _expect("the stage", stage, {name for _, name in _EVENTS})
    return _Order(_EVENTS[operation, stage], _number(number), session, "--dry-run" in options, "--json" in options)


def _expect(what: str, word: str, allowed: set[str]) -> None:
    if word not in allowed:
        names = " or ".join(sorted(allowed))
        raise PlanrailError(f"{what} is {names}, not {word!r}", remedy=_USAGE)


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10 and int(word)):
        raise PlanrailError(f"the number of a task is wanted, not {word!r}", remedy="planrail task list")
    return int(word)


def _carry_out(order: _Order) -> int:
    desk = open_desk(warn, session=order.session, commit=False)
    if order.is_dry:
        return _rehearse(desk, order)
    return _perform(desk, order)


def _perform(desk: Desk, order: _Order) -> int:
    phases = _phases(desk, _load(desk, order.number)) if order.event == _COMPLETE else None
    task, decision = apply(desk, order.number, order.event, phases=phases)
    if order.event in _SHOWN_IN_PLAN:
        _show_in_plan(desk, task)
    _tell(order, task.status, has_changed=isinstance(decision, Move))
    return 0


def _rehearse(desk: Desk, order: _Order) -> int:
    """Say what would happen, by the same decision; nothing is written."""
    task = _load(desk, order.number)
    phases = _phases(desk, task) if order.event == _COMPLETE else None
    decision = decide_event(task, order.event, phases)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)
    if isinstance(decision, Stay):
        _print(f"[dry-run] task {task.number} is {marker(task.status)} already: nothing would change")
        return 0
    for name, old, new in (
        ("status", task.status, decision.status),
        ("last_updated", task.last_updated, desk.now()),
        ("session_id", task.session_id, desk.session),
    ):
        _print(f"[dry-run] task {task.number}: {name} {old!r} -> {new!r}")
    return 0


def _load(desk: Desk, number: int) -> Task:
    with read_book(desk.root) as book:
        return book.load(number)


def _phases(desk: Desk, task: Task) -> list[Phase] | None:
    return read_phases(desk.root, task)


def _show_in_plan(desk: Desk, task: Task) -> None:
    """The header of the plan, as the task is now. The ledger has the truth: a plan that cannot be written is told."""
    place = plan_path(desk.root, task)
    if not place or not _is_inside(desk.root, place):
        return

    try:
        text = load(place).text
        changed = set_header_status(text, task.status)
        if changed != text:
            write_text(place, changed)
    except PlanrailError as error:
        from planrail.cli.screen import warn

        warn(f"the plan's header stays as it was: {error.message}")


def _is_inside(root: str, place: str) -> bool:
    """Whether a plan lies in the project: what a task names may come from anybody's file."""
    return os.path.realpath(place).startswith(os.path.realpath(root) + os.sep)


def _tell(order: _Order, status: str, *, has_changed: bool) -> None:
    if order.as_json:
        print_json({"task": order.number, "status": status, "changed": has_changed})
    elif has_changed:
        print(f"OK: task {order.number} status -> {status}")


def _print(line: str) -> None:
    say(line)
