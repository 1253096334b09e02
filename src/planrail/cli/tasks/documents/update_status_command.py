"""Say that a stage of a task begins (preflight) or has ended (postflight): for the scripts of those who moved over.

planrail task update-status preflight|postflight N research|plan|implement|pr_ready SESSION [--dry-run]

Exit codes: 0 it is so (silent where it was already), 1 wrong call, unknown task or refused, 2 the ledger failed. The
views follow the ledger in any case. With --json: "task", "status", "changed".
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.cli.screen import print_json, say, warn
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.context import Context, apply, open_context, path_in_project
from planrail.tasks.model import Task
from planrail.tasks.numbers import read_number
from planrail.tasks.statuses import Refuse, StatusMove, Stay, TaskPhase, decide_event, marker, move

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


def configure(parser: ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="operation, number, stage, session")


def run(arguments: Namespace) -> int:
    options = {word for word in arguments.words if word.startswith("--")}
    words = [word for word in arguments.words if not word.startswith("--")]
    if len(words) != 4 or not all(words) or options - {"--dry-run", "--json"}:
        raise PlanrailError("four words are needed: operation, number, stage, session", remedy=_USAGE)
    operation, number, stage, session = words
    for what, word, at in (("the operation", operation, 0), ("the stage", stage, 1)):
        allowed = sorted({pair[at] for pair in _EVENTS})
        if word not in allowed:
            raise PlanrailError(f"{what} is {' or '.join(allowed)}, not {word!r}", remedy=_USAGE)
    is_dry, as_json = arguments.dry_run or "--dry-run" in options, arguments.json or "--json" in options
    try:
        context = open_context(warn, session=session, commit=False)
        return _carry_out(context, _EVENTS[operation, stage], read_number(number), is_dry=is_dry, as_json=as_json)
    except ToolFailed as error:
        error.exit_code = _LEDGER_FAILED
        raise


def _carry_out(context: Context, event: str, number: int, *, is_dry: bool, as_json: bool) -> int:
    phases = None
    if is_dry or event == _COMPLETE:
        with read_book(context.root) as book:
            task = book.load(number)
        if event == _COMPLETE:  # only then a plan is read
            from planrail.tasks.work.plan_phases import read_phases

            phases = read_phases(context.root, task)
        if is_dry:
            return _rehearse(context, task, event, phases)
    task, decision = apply(context, number, event, phases=phases)
    if event in _SHOWN_IN_PLAN:
        _show_in_plan(context, task)
    has_changed = isinstance(decision, StatusMove)
    if as_json:
        print_json({"task": number, "status": task.status, "changed": has_changed})
    elif has_changed:
        print(f"OK: task {number} status -> {task.status}")
    return 0


def _rehearse(context: Context, task: Task, event: str, phases: list[TaskPhase] | None) -> int:
    """Say what would happen, by the same decision; nothing is written."""
    decision = decide_event(task, event, phases)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)
    if isinstance(decision, Stay):
        say(f"[dry-run] task {task.number} is {marker(task.status)} already: nothing would change")
        return 0
    after = move(task, decision, at=context.now(), session=context.session)
    for name in ("status", "last_updated", "session_id"):
        say(f"[dry-run] task {task.number}: {name} {getattr(task, name)!r} -> {getattr(after, name)!r}")
    return 0


def _show_in_plan(context: Context, task: Task) -> None:
    """The header of the plan, as the task is now. The ledger has the truth: a plan that cannot be written is told."""
    from planrail.plans.files.plan_writing import write_text
    from planrail.plans.text.source import load
    from planrail.tasks.documents.plan_headers import set_header_status
    from planrail.tasks.work.plan_phases import plan_path

    place = plan_path(context.root, task)
    if not place or path_in_project(context.root, place) is None:  # what a task names may come from any author
        return
    try:
        text = load(place).text
        changed = set_header_status(text, task.status)
        if changed != text:
            write_text(place, changed)
    except PlanrailError as error:
        warn(f"the plan's header stays as it was: {error.message}")
