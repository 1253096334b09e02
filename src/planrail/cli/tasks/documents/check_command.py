"""Do the views, the ledger and the documents agree? One line for each place where they do not, with what to do.

--fix generates the views anew, and moves folders that an interrupted archiving left behind. Exit code 1 where something
differs. With --json: {"divergences": [{"kind", "task", "text", "remedy"}], "counts", "fixed", "next"}.
"""

import contextlib
import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import Answer, quote
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.book.task_views import FIX, check_views
from planrail.tasks.context.committing import settle_owed
from planrail.tasks.context.context import VIEWS, Context, refresh
from planrail.tasks.context.files import move_folder
from planrail.tasks.importing.checking import check_book, lacks_plan, wanted_plans
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.importing.model import Divergence, count_kinds, describe, render_divergences
from planrail.tasks.model import folder_of
from planrail.tasks.work.specs_files import is_document, list_files, load_texts

_VIEW = "view_differs"


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="generate the views anew")
    parser.add_argument("--archive", action="store_true", help="the documents of archived tasks, too")


def answer(context: Context, arguments: Namespace) -> Answer:
    before = find_divergences(context, archive=arguments.archive)
    found, fixed = _fix_all(context, before, archive=arguments.archive) if arguments.fix else (before, [])
    following = next((one.remedy for one in found if one.remedy), "planrail task")
    told = {"divergences": [describe(one) for one in found], "counts": count_kinds(found), "fixed": fixed}
    listed = render_divergences(found, all_of_them="planrail task check --json", with_first=True)
    lines = [*(f"fixed: {text}" for text in fixed), *(listed if found else ["views, ledger and documents agree"])]
    return Answer({**told, "next": following}, lines, command=following, code=1 if found else 0)


def find_divergences(context: Context, *, archive: bool = False) -> list[Divergence]:
    """All that differs: views from the ledger, the ledger from the disk. Nothing is written."""
    root, folder = context.root, context.folder
    with read_book(root) as book:
        tasks, archived = book.tasks(), book.tasks(archived=True)
        # Completed without a plan: where a person has answered for that, it is on record, and no divergence.
        lacking = {task.number: book.history(task.number) for task in tasks if lacks_plan(task)}
    answered = [number for number, history in lacking.items() if any(one.what == "complete" for one in history)]
    if not tasks and not archived:
        for name in ("state.json", "TODO.md"):
            if os.path.exists(os.path.join(root, folder, name)):
                told = f"{folder}/{name} is there, and the ledger has no task: nobody has taken it over"
                return [Divergence(_VIEW, 0, told, "planrail task import")]
        return []
    files = list_files(root, folder)
    named = {one.path for task in (*tasks, *(archived if archive else [])) for one in task.artifacts}
    others = {path for path in named - set(files.files) if is_document(root, path)}
    plans = load_texts(root, wanted_plans(tasks))
    shelf = Shelf(files.files, folder, files.empty, others, plans, files.skipped)
    found = check_book(tasks, archived, shelf, answered)
    if not archive:
        away = {task.number for task in archived} - {task.number for task in tasks}
        found = [one for one in found if one.number not in away or one.kind == "folder_misplaced"]
    return [*(Divergence(_VIEW, 0, text, FIX) for text in check_views(root)), *found]


def _fix_all(context: Context, before: list[Divergence], *, archive: bool) -> tuple[list[Divergence], list[str]]:
    """What is left after fixing, and what is really gone. What --fix could not do is no remedy any more."""
    moved = _fix(context)
    after = find_divergences(context, archive=archive)
    gone = [one.text for one in before if one.kind == _VIEW and one not in after]
    for at, one in enumerate(after):
        paths = (f"{context.folder}/{name}" for name in VIEWS if one.kind == _VIEW)
        path = next((path for path in paths if one.text.startswith(f"{path} ")), "")
        after[at] = replace(one, remedy=f"ls -ld {quote(path)}") if path else one
    return after, [*gone, *moved]


def _fix(context: Context) -> list[str]:
    """Generate the views, finish moves of folders; which folders were moved where."""
    with read_book(context.root) as book:
        tasks, archived = book.tasks(), book.tasks(archived=True)
    done: list[str] = []
    if tasks or archived:
        refresh(context, archive=bool(archived), afresh=True)
    known = {folder_of(task, context.folder) for task in tasks}
    for task in (*tasks, *archived):
        places = folder_of(task, context.folder), folder_of(task, f"{context.folder}/archive")
        home, away = reversed(places) if task.is_archived else places
        is_said = any(one.path.startswith(f"{home}/") for one in task.artifacts)  # of several of a name only one is
        is_wrong = os.path.isdir(os.path.join(context.root, away)) and not os.path.lexists(
            os.path.join(context.root, home)
        )
        if is_wrong and (not task.is_archived or away not in known) and is_said:
            with contextlib.suppress(PlanrailError):  # then it is told as it was
                move_folder(context.root, away, home)
                done.append(f"{away} is at {home} now")
    return [*done, *(f"{path} is committed now" for path in settle_owed(context))]
