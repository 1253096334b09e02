"""The mark of one phase in a task's newest plan, changed in its heading, and not one other byte.

planrail task update-phase-status N SLUG PHASE STATUS

STATUS is IN_PROGRESS, NOT_STARTED, COMPLETED, PARTIAL or BLOCKED; blanks and small letters are fine. It makes a claim;
it proves nothing. Prints the plan that was changed, nothing where it is so already. Exit codes: 0 it is so, 1 it is
not, since there is no such plan, phase, mark or status. With --json: "plan", "phase", "changed", "change".
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.wording import quote
from planrail.cli.screen import print_json, say, warn
from planrail.plans.claims import Kind
from planrail.plans.editing.edits import Edit, change_status
from planrail.plans.files.plan_writing import write_text
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import load
from planrail.projects.memory_of_spellings import recall, remember
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.context import open_context, path_in_project
from planrail.tasks.context.files import newest_plan_file
from planrail.tasks.work.plan_phases import plan_path

_STATES = {
    "in_progress": State.IN_PROGRESS,
    "not_started": State.TODO,
    "completed": State.DONE,
    "partial": State.PARTIAL,
    "blocked": State.BLOCKED,
}
_USAGE = "planrail task update-phase-status N SLUG PHASE STATUS"


def configure(parser: ArgumentParser) -> None:
    parser.usage = _USAGE
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("words", nargs="...", metavar="ARGUMENT", help="the task, its slug, the phase, its status")


def run(arguments: Namespace) -> int:
    words = [word for word in arguments.words if word != "--json"]
    if len(words) != 4 or not all(words):
        raise PlanrailError("four words are needed: task, slug, phase, status", remedy=_USAGE)
    number, slug, phase, status = words
    state = _STATES.get("_".join(status.lower().replace("_", " ").split()))
    if state is None:
        known = ", ".join(one.upper() for one in _STATES)
        raise PlanrailError(f"{status!r} is no status of a phase; there are: {known}", remedy=_USAGE)
    place = _find_plan(number, slug)
    try:
        edit = _change(place, phase, state)
    except PlanrailError as error:
        error.exit_code = 1
        raise
    if arguments.json or "--json" in arguments.words:
        change = {"old": edit.old, "new": edit.new} if edit else None
        print_json({"plan": place, "phase": phase, "changed": edit is not None, "change": change})
    elif edit is not None:
        say(place)  # alone: scripts read it
    return 0


def _find_plan(number: str, slug: str) -> str:
    """The newest plan of a task: the one that the ledger has, else the one in the task's folder."""
    if not (number.isascii() and number.isdigit() and len(number) < 10) or os.sep in slug or slug.startswith("."):
        raise PlanrailError(f"{number} and {slug} name no task", remedy="planrail task list")
    context = open_context(warn)
    with read_book(context.root) as book:
        task = book.find(int(number))
    linked = plan_path(context.root, task) if task is not None and task.name == slug else ""
    if linked and path_in_project(context.root, linked):
        return linked
    place = newest_plan_file(context.root, context.folder, int(number), slug)
    if not place:
        raise PlanrailError(f"task {number} has no plan", remedy=f"planrail task plan {number}")
    return place


def _change(place: str, name: str, state: State) -> Edit | None:
    source = load(place)
    plan = read(source)
    phase = plan.phase(name)
    if phase is None:
        ids = ", ".join(known.id for known in plan.phases[:20]) or "none"
        remedy = f"planrail show {quote(source.path)}"
        raise PlanrailError(f"{source.path} has no phase {name!r}; it has: {ids}", remedy=remedy)
    claim = phase.claim
    if claim is None or claim.start < 0 or claim.kind > Kind.STATUS_LINE:
        remedy = f"planrail set {quote(source.path)} {quote(name)} in_progress"
        raise PlanrailError(f"phase {name} in {source.path} has no mark of its own", remedy=remedy)
    if phase.status is state:
        return None
    edit = change_status(source, plan, phase, state, recall(place, phase.id, state))
    write_text(place, edit.apply(source.text))
    remember(place, phase.id, edit.was, edit.old)
    return edit
