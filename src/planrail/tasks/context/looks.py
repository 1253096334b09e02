"""How tasks look on a screen: a sign and a colour for each state, a line for each task, and what to type next."""

import os
import sys

from planrail.base.wording import Answer, clip, paint, plural, quote_file
from planrail.tasks import statuses
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.book.task_views import find_foreign
from planrail.tasks.context.context import Context
from planrail.tasks.model import Brief, Task, folder_of
from planrail.tasks.statuses import STEPS, marker
from planrail.tasks.views.entries import to_entry

_SIGNS = {
    statuses.NOT_STARTED: ("○", "dim"),
    statuses.RESEARCHING: ("◐", "yellow"),
    statuses.RESEARCHED: ("◔", "cyan"),
    statuses.PLANNING: ("◐", "yellow"),
    statuses.PLANNED: ("◑", "cyan"),
    statuses.IMPLEMENTING: ("◐", "yellow"),
    statuses.PARTIAL: ("◑", "yellow"),
    statuses.PR_READY: ("◕", "green"),
    statuses.COMPLETED: ("✔", "green"),
    statuses.BLOCKED: ("✖", "red"),
    statuses.ABANDONED: ("–", "dim"),
    statuses.EXPANDED: ("⊞", "dim"),
}
# What the history says of an event, for people.
_EVENTS = {
    "begin_research": "research began",
    "end_research": "researched",
    "begin_plan": "planning began",
    "end_plan": "planned",
    "begin_implement": "implementing began",
    "interrupt": "done in part",
    "offer": "offered as a pull request",
    "complete": "completed",
    "block": "blocked",
    "abandon": "abandoned",
    "expand": "expanded",
    "reopen": "reopened",
}
_BESIDE, _LEAST, _PIPED = 24, 16, 120  # columns beside a title, those it gets at least, and in a pipe


def render_line(task: Brief | Task) -> str:
    sign, colour = _SIGNS.get(task.status, ("?", "red"))
    title = clip(" ".join(task.title.split()), _room())
    return f"{paint(sign, colour)} {task.number:>4}  {paint(f'{marker(task.status):<12}', colour)}  {title}"


def _room() -> int:
    try:
        return max(_LEAST, os.get_terminal_size(sys.stdout.fileno()).columns - _BESIDE)
    except (OSError, ValueError):
        return _PIPED


def from_here(context: Context, path: str) -> str:
    return quote_file(context.root, path)


def note_foreign(context: Context) -> str:
    """That the view has tasks which the ledger does not know: of others, that came with a pull. "": it has none."""
    foreign = find_foreign(context.root)
    names = ", ".join(map(str, foreign[:5])) + (" …" if len(foreign) > 5 else "")
    said = f"{context.folder}/state.json has tasks that the ledger does not know: {names}"
    return paint(said, "yellow") if foreign else ""


def tell_event(what: str) -> str:
    return _EVENTS.get(what, what.replace("_", " "))


def next_command(status: str, number: int) -> str:
    return f"planrail task {STEPS[status]} {number}"


def answer_empty(context: Context) -> Answer:
    """No task is open: there is none, all are archived, or there is a folder that nobody has taken over."""
    with read_book(context.root) as book:
        archived = len(book.tasks(archived=True))
    if archived and not find_foreign(context.root):
        said = f"no task is open; {plural(archived, 'task')} in the archive: planrail task list --archived"
        return Answer(lines=[said], command='planrail task new "what is to be done"')
    if os.path.exists(os.path.join(context.root, context.folder, "state.json")):
        said = f"the ledger knows no task, and {context.folder}/state.json is there: it can be taken over"
        return Answer(lines=[said], command="planrail task import")
    return Answer(lines=["there is no task yet"], command='planrail task new "what is to be done"')


def describe_brief(task: Brief | Task) -> dict[str, object]:
    own = {name: getattr(task, name) for name in ("number", "title", "status", "topic")}
    return {**own, "dependencies": list(task.dependencies)}


def describe_task(context: Context, task: Task) -> dict[str, object]:
    artifacts = [
        {
            **{name: getattr(one, name) for name in ("type", "path", "summary", "round")},
            "exists": os.path.exists(os.path.join(context.root, one.path)),
        }
        for one in task.artifacts
    ]
    short = {"number": task.number, "folder": folder_of(task, context.folder), "round": task.round}
    return {**short, **to_entry(task), "artifacts": artifacts, "archived": task.is_archived}
