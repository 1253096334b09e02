"""How tasks look on a screen: a sign and a colour for each state, a line for each task, and what to type next."""

import os
import sys

from planrail.base.wording import Answer, clip, paint, quote
from planrail.tasks.book.task_views import find_foreign
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import Brief, Task
from planrail.tasks.statuses import (
    ABANDONED,
    BLOCKED,
    COMPLETED,
    EXPANDED,
    IMPLEMENTING,
    NOT_STARTED,
    PARTIAL,
    PLANNED,
    PLANNING,
    PR_READY,
    RESEARCHED,
    RESEARCHING,
    STEPS,
    marker,
)

_SIGNS = {
    NOT_STARTED: ("○", "dim"),
    RESEARCHING: ("◐", "yellow"),
    RESEARCHED: ("◔", "cyan"),
    PLANNING: ("◐", "yellow"),
    PLANNED: ("◑", "cyan"),
    IMPLEMENTING: ("◐", "yellow"),
    PARTIAL: ("◑", "yellow"),
    PR_READY: ("◕", "green"),
    COMPLETED: ("✔", "green"),
    BLOCKED: ("✖", "red"),
    ABANDONED: ("–", "dim"),
    EXPANDED: ("⊞", "dim"),
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
    """A task as one line of a list, as wide as the terminal has room for."""
    sign, colour = _SIGNS.get(task.status, ("?", "red"))
    title = clip(" ".join(task.title.split()), _room())
    return f"{paint(sign, colour)} {task.number:>4}  {paint(f'{marker(task.status):<12}', colour)}  {title}"


def _room() -> int:
    try:
        return max(_LEAST, os.get_terminal_size(sys.stdout.fileno()).columns - _BESIDE)
    except (OSError, ValueError):
        return _PIPED


def from_here(desk: Desk, path: str) -> str:
    """A path of the project as one would type it in this folder."""
    return quote(os.path.relpath(os.path.join(desk.root, path)))


def note_foreign(desk: Desk) -> str:
    """That the view has tasks which the ledger does not know: of others, that came with a pull. "": it has none."""
    foreign = find_foreign(desk.root)
    names = ", ".join(map(str, foreign[:5])) + (" …" if len(foreign) > 5 else "")
    said = f"{desk.folder}/state.json has tasks that the ledger does not know: {names}"
    return paint(said, "yellow") if foreign else ""


def tell_event(what: str) -> str:
    """An event of a task's history, in words."""
    return _EVENTS.get(what, what.replace("_", " "))


def next_command(status: str, number: int) -> str:
    """What to type to go on with a task."""
    return f"planrail task {STEPS[status]} {number}"


def answer_empty(desk: Desk) -> Answer:
    """No task is known: either there is none, or there is a folder that nobody has taken over."""
    if os.path.exists(os.path.join(desk.root, desk.folder, "state.json")):
        said = f"the ledger knows no task, and {desk.folder}/state.json is there: it can be taken over"
        return Answer(lines=[said], command="planrail task import")
    return Answer(lines=["there is no task yet"], command='planrail task new "what is to be done"')
