"""What earlier plannings of a project taught: recalled when a planning begins, learned when one has finished."""

import os

from planrail.base.errors import PlanrailError
from planrail.memory import store
from planrail.memory.lessons import lessons_of
from planrail.memory.recalling import render_lessons
from planrail.memory.store import FILE_NAME
from planrail.planning.answers.verdicts import read_verdicts
from planrail.planning.options import PlanningOptions
from planrail.planning.planning import Planning
from planrail.planning.prompts import wants_lessons
from planrail.store.places import ledger_folder


def memory_file(root: str) -> str:
    return os.path.join(ledger_folder(root), FILE_NAME)


def count_planning(root: str, options: PlanningOptions) -> int:
    """The number of a new planning among the project's; what was learned is forgotten first, where that is wanted."""
    try:
        if options.clear_memory:
            store.clear(memory_file(root))
        return store.begin_planning(memory_file(root)) if options.use_memory else 0
    except PlanrailError:
        return 0  # planning goes on without; what is wrong is said at the end, by `remember`


def recall(root: str, planning: Planning, number: int) -> str:
    """The lessons that matter for a planning, as a block of its prompt; "" where none are wanted now."""
    if not (planning.options.use_memory and wants_lessons(planning)):
        return ""
    try:
        return render_lessons(store.recall(memory_file(root), planning.request, now=number))
    except PlanrailError:
        return ""


def remember(root: str, planning: Planning, number: int) -> str:
    """Keep what the critics found in a planning that has finished. Returns what the person should know of it."""
    return remember_critiques(root, planning, number) if planning.options.use_memory else ""


def remember_critiques(root: str, planning: Planning, number: int) -> str:
    titles = (line[2:].strip() for line in planning.plan.splitlines()[:40] if line.startswith("# "))
    title = next(titles, " ".join(planning.request.split()[:12]))
    found = [lesson for text in planning.critiques for lesson in lessons_of(text, read_verdicts(text), title=title)]
    try:
        return store.remember(memory_file(root), found, now=number).damage
    except PlanrailError as error:
        return f"what this planning taught could not be kept: {error.message}"
