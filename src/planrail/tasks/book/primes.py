"""The lines about a project's tasks, put where a hook finds them: see `base.primed`.

They are written at each change of a task, so they are made of an excerpt: what a change costs must not grow with the
number of tasks.
"""

import contextlib
import os
from collections.abc import Iterable

from planrail.base.primed import FOLDER, MARK, UNMARKED, find_place, place_of, primed_path
from planrail.base.state_folder import state_folder
from planrail.store.places import ledger_folder, make_private
from planrail.tasks.book.task_rows import BRIEF, TaskBook, read_brief
from planrail.tasks.book.task_view_files import locked
from planrail.tasks.model import Brief
from planrail.tasks.priming import Excerpt, render_prime
from planrail.tasks.statuses import IMPLEMENTING, IN_HAND, PARTIAL, TERMINAL

_MOST = 200  # tasks that are looked at, of those in hand and of the others
_MOST_LOOKS = 5  # tasks in hand of which more is told than their state
_MOST_VALUES = 500  # of one question: databases have a limit


def refresh_prime(root: str, book: TaskBook) -> None:
    """Bring the lines to what the ledger says. Of several that do so at once, the last one has read the newest."""
    with contextlib.suppress(OSError), locked(os.path.join(state_folder(), FOLDER, ".lock")):
        tasks = load_excerpt(book)
        save_prime(root, render_prime(tasks, look_closer(book, tasks.briefs)))


def load_excerpt(book: TaskBook) -> Excerpt:
    held = _select(book, "IN", IN_HAND)
    others = _select(book, "NOT IN", (*IN_HAND, *TERMINAL))
    briefs = [*held[:_MOST], *others[:_MOST]]
    known = {brief.number for brief in briefs}
    needed = {number for brief in briefs for number in brief.dependencies} - known
    in_order = sorted(briefs, key=lambda brief: brief.number)
    states = _load_states(book, needed)
    return Excerpt(in_order, states, has_all_in_hand=len(held) <= _MOST, has_all_others=len(others) <= _MOST)


def look_closer(book: TaskBook, briefs: Iterable[Brief]) -> dict[int, str]:
    begun = [brief.number for brief in briefs if brief.status in (IMPLEMENTING, PARTIAL)]
    tasks = filter(None, map(book.find, begun[:_MOST_LOOKS]))
    return {task.number: f"at phase {task.resume_phase}" for task in tasks if task.resume_phase}


def _select(book: TaskBook, relation: str, statuses: tuple[str, ...]) -> list[Brief]:
    marks = ", ".join("?" * len(statuses))
    sql = (
        f"SELECT {BRIEF} WHERE repository = ? AND is_archived = 0"
        f" AND status {relation} ({marks}) ORDER BY number LIMIT {_MOST + 1}"
    )
    rows = book.tables.rows(sql, book.repository, *statuses)
    return list(map(read_brief, rows))


def _load_states(book: TaskBook, numbers: Iterable[int]) -> dict[int, str]:
    wanted = sorted(numbers)
    states: dict[int, str] = {}
    for start in range(0, len(wanted), _MOST_VALUES):
        some = wanted[start : start + _MOST_VALUES]
        marks = ", ".join("?" * len(some))
        sql = f"SELECT number, status FROM tasks WHERE repository = ? AND is_archived = 0 AND number IN ({marks})"
        states.update(book.tables.rows(sql, book.repository, *some))
    return states


def save_prime(root: str, text: str) -> None:
    """Keep what a session in this project is told after a clear; where there is nothing to say, nothing is kept.

    The lines can be written again at any time, so a disk that is full or read-only stops nobody's work.
    """
    state, place = state_folder(), find_place(root)
    path = primed_path(state, place)
    with contextlib.suppress(OSError):
        if not text:
            os.unlink(path)
            return
        text = f"{_mark(root, place)}\n{text}"
        if _load(path) != text:
            is_new = not os.path.exists(path)
            make_private(os.path.dirname(path))
            _replace(path, text)
            for name in os.listdir(os.path.dirname(path)) if is_new else ():
                gone = place_of(name)  # another project may come to lie where one was
                if gone and not os.path.exists(gone):
                    os.unlink(os.path.join(os.path.dirname(path), name))


def _mark(root: str, place: str) -> str:
    """What says that the lines are this project's: a word beside its ledger, which goes when the project goes."""
    if os.path.dirname(ledger_folder(root)) != place:
        return UNMARKED
    path = os.path.join(place, MARK)
    if not (known := _load(path)):
        make_private(os.path.dirname(path))
        known = os.urandom(8).hex()
        _replace(path, known)
    return known


def _load(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except OSError:
        return ""


def _replace(path: str, text: str) -> None:
    temporary = os.path.join(os.path.dirname(path), f".{os.getpid()}")
    with open(temporary, "w", encoding="utf-8", errors="replace", newline="") as file:
        file.write(text)
    os.rename(temporary, path)
