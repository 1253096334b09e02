"""What went wrong with tasks, by type and cause, the newest first; and tasks that fix it.

With --json: {"groups": [{"type", "cause", "severity", "count", "unfixed", "tasks", "fix_tasks", "newest", "action",
"errors": [ENTRY]}], "made": [NUMBER], "next"}.
"""

from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.one_line import one_line
from planrail.base.records import replace
from planrail.base.wording import Answer, clip, paint, plural
from planrail.tasks.book.task_rows import TaskBook, open_book, read_book
from planrail.tasks.context.context import Context, commit_task, refresh
from planrail.tasks.context.error_records import load_errors, mark_error
from planrail.tasks.error_log import (
    FIXED,
    FIXING,
    UNFIXED,
    Group,
    fix_text,
    fix_title,
    group_errors,
    headline,
    tell_kind,
    tell_when,
    tell_where,
    to_entry,
)
from planrail.tasks.model import Task
from planrail.tasks.naming import make_slug, new_task

_COLOURS = {"critical": "red", "high": "red", "medium": "yellow", "low": "dim"}
_MOST = 20
_LONGEST_ACTION = 200


def configure(parser: ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--fix", action="store_true", help="make one task for each group that nobody fixes yet")
    what.add_argument("--fixed", metavar="ID", nargs="+", help="say that these errors are fixed")
    parser.add_argument("--all", action="store_true", help="those that are fixed as well")


def answer(context: Context, arguments: Namespace) -> Answer:
    with read_book(context.root) as book:
        errors = load_errors(book)
        known = {error.id: error for error in errors}
        for name in arguments.fixed or ():
            if name not in known:
                raise PlanrailError(f"there is no error {name}; nothing was changed", remedy="planrail task errors")
        for name in arguments.fixed or ():
            mark_error(book, known[name], FIXED)
    made = _make_tasks(context) if arguments.fix and any(error.state == UNFIXED for error in errors) else []
    if made or arguments.fixed:
        with read_book(context.root) as book:
            errors = load_errors(book)
    groups = group_errors(error for error in errors if arguments.all or error.state != FIXED)
    following = "planrail task errors --fix" if any(group.unfixed for group in groups) else "planrail task"
    following = f"planrail task research {made[0]}" if made else following
    lines = [line for group in groups[:_MOST] for line in _tell_group(group)]
    if len(groups) > _MOST:
        lines.append(paint(f"  … and {len(groups) - _MOST} more: planrail task errors --json", "dim"))
    if made:
        lines.append(f"{plural(len(made), 'task')} made: {', '.join(map(str, made))}")
    elif not groups:
        lines.append(f"nothing is left to fix ({plural(len(errors), 'error')} on record)")
    document = {"groups": list(map(_describe, groups)), "made": made, "next": following}
    return Answer(document, lines, command=following)


def _make_tasks(context: Context) -> list[int]:
    """One task for each group with something that nobody fixes; made before and still open, it is the same one."""
    with open_book(context.root) as book, book.tables.exclusive():
        numbers = [_make_task(context, book, group) for group in group_errors(load_errors(book)) if group.unfixed]
    refresh(context)
    names = ", ".join(map(str, numbers))
    commit_task(context, f"errors: create {plural(len(numbers), 'task')} ({names}) that fix them")
    return numbers


def _make_task(context: Context, book: TaskBook, group: Group) -> int:
    def make(number: int) -> Task:
        task = new_task(number, fix_text(group), type_=context.settings.type, topic="errors", now=context.now())
        return replace(task, title=title, name=make_slug(title), session_id=context.session)

    title = fix_title(group)
    known = [error.fix_task for error in group.entries if error.state == FIXING and error.fix_task]  # it is open
    number = (
        known[0] if known else book.create(make, context.note("created", errors=[e.id for e in group.unfixed])).number
    )
    for error in group.unfixed:
        mark_error(book, error, FIXING, number)
    return number


def _tell_group(group: Group) -> list[str]:
    newest = group.entries[0]
    where, kind = tell_where(group), tell_kind(group)
    what = paint(headline(newest.message), _COLOURS[group.severity]) + (f"  ({where})" if where else "")
    about = ", ".join(filter(None, (tell_when(group.entries), newest.id)))
    lines = [what, paint(f"  {kind}; {about}" if kind else f"  {about}", "dim")]
    if not group.unfixed:
        tasks = sorted({error.fix_task for error in group.entries if error.fix_task})
        by = f" by {'task' if len(tasks) == 1 else 'tasks'} {', '.join(map(str, tasks))}" if tasks else ""
        is_done = all(error.state == FIXED for error in group.entries)
        return [*lines, f"  {'fixed' if is_done else 'being fixed'}{by}"]
    return [*lines, *([f"  → {clip(one_line(group.action), _LONGEST_ACTION)}"] if group.action else [])]


def _describe(group: Group) -> dict[str, object]:
    own = {name: getattr(group, name) for name in ("type", "cause", "severity")}
    counts = {"count": len(group.entries), "unfixed": len(group.unfixed), "tasks": list(group.tasks)}
    fixing = sorted({error.fix_task for error in group.entries if error.fix_task})
    more = {"fix_tasks": fixing, "newest": group.entries[0].at, "action": group.action}
    return {**own, **counts, **more, "errors": list(map(to_entry, group.entries))}
