"""Do the views, the ledger and the documents agree? One line for each place where they do not, with what to do.

--fix generates the views anew, and moves folders that an interrupted archiving left behind. Exit code 1 where something
differs. With --json: {"divergences": [{"kind", "task", "text", "remedy"}], "counts", "fixed", "next"}.
"""

import contextlib
import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import quote
from planrail.cli.screen import print_json, print_next, say, warn
from planrail.cli.tasks.documents.divergence_list import render_divergences
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.book.task_views import check_views
from planrail.tasks.desk.desk import VIEWS, Desk, open_desk, refresh
from planrail.tasks.desk.folder_moves import move_folder
from planrail.tasks.importing.checking import Place, check_book
from planrail.tasks.importing.divergences import Divergence, count_kinds, describe
from planrail.tasks.importing.folders import read_shelf
from planrail.tasks.importing.plan_comparing import lacks_plan, wanted_plans
from planrail.tasks.model import Task, folder_of
from planrail.tasks.stages.owed_commits import settle_owed
from planrail.tasks.work.specs_files import is_document, list_files, load_texts

_VIEW = "view_differs"


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--fix", action="store_true", help="generate the views anew")
    parser.add_argument("--archive", action="store_true", help="the documents of archived tasks, too")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """Compare, and tell."""
    desk = open_desk(warn)
    before = find_divergences(desk, archive=arguments.archive)
    found, fixed = _fix_all(desk, before, archive=arguments.archive) if arguments.fix else (before, [])
    if arguments.json:
        print_json(_describe(found, fixed))
    else:
        _tell(found, fixed)
    return 1 if found else 0


def find_divergences(desk: Desk, *, archive: bool = False) -> list[Divergence]:
    """All that differs: views from the ledger, the ledger from the disk. Nothing is written."""
    with read_book(desk.root) as book:
        tasks, archived = book.tasks(), book.tasks(archived=True)
    if not tasks and not archived:
        return _check_unknown(desk)
    place = look_around(desk, tasks, archived if archive else [])
    found = check_book(tasks, archived, place, _list_answered(desk, tasks))
    if not archive:
        away = {task.number for task in archived} - {task.number for task in tasks}
        found = [one for one in found if one.number not in away or one.kind == "folder_misplaced"]
    return [*_check_views(desk), *found]


def _list_answered(desk: Desk, tasks: list[Task]) -> list[int]:
    """The completed tasks without a plan for which somebody has answered: that is on record, and no divergence."""
    lacking = [task.number for task in tasks if lacks_plan(task)]
    if not lacking:
        return []
    with read_book(desk.root) as book:
        return [number for number in lacking if any(one.what == "complete" for one in book.history(number))]


def look_around(desk: Desk, tasks: list[Task], archived: list[Task]) -> Place:
    """What there is on the disk about these tasks."""
    found = list_files(desk.root, desk.folder)
    named = {one.path for task in (*tasks, *archived) for one in task.artifacts}
    others = {path for path in named - set(found.files) if is_document(desk.root, path)}
    plans = load_texts(desk.root, wanted_plans(tasks))
    shelf = read_shelf(found.files, desk.folder, found.empty)
    return Place(shelf, others, plans, desk.folder, found.skipped)


def _check_views(desk: Desk) -> list[Divergence]:
    return [Divergence(_VIEW, one.number, one.text, one.remedy) for one in check_views(desk.root)]


def _check_unknown(desk: Desk) -> list[Divergence]:
    """A ledger without tasks, beside a folder that has some."""
    for name in ("state.json", "TODO.md"):
        if os.path.exists(os.path.join(desk.root, desk.folder, name)):
            told = f"{desk.folder}/{name} is there, and the ledger has no task: nobody has taken it over"
            return [Divergence(_VIEW, 0, told, "planrail task import")]
    return []


def _fix_all(desk: Desk, before: list[Divergence], *, archive: bool) -> tuple[list[Divergence], list[str]]:
    """What is left after fixing, and what is really gone. What --fix could not do is no remedy any more."""
    moved = _fix(desk)
    after = find_divergences(desk, archive=archive)
    gone = [one.text for one in before if one.kind == _VIEW and one not in after]
    return [replace(one, remedy=_look_at(desk, one)) if one.kind == _VIEW else one for one in after], [*gone, *moved]


def _look_at(desk: Desk, view: Divergence) -> str:
    paths = (f"{desk.folder}/{name}" for name in VIEWS)
    path = next((path for path in paths if view.text.startswith(f"{path} ")), "")
    return f"ls -ld {quote(path)}" if path else view.remedy


def _fix(desk: Desk) -> list[str]:
    """Generate the views, finish moves of folders; which folders were moved where."""
    with read_book(desk.root) as book:
        tasks, archived = book.tasks(), book.tasks(archived=True)
    done: list[str] = []
    if tasks or archived:
        refresh(desk, archive=bool(archived), afresh=True)
    known = {folder_of(task, desk.folder) for task in tasks}
    for task in (*tasks, *archived):
        places = folder_of(task, desk.folder), folder_of(task, f"{desk.folder}/archive")
        home, away = reversed(places) if task.is_archived else places
        is_wrong = os.path.isdir(os.path.join(desk.root, away)) and not os.path.lexists(os.path.join(desk.root, home))
        if is_wrong and (not task.is_archived or away not in known) and _belongs(task, home):
            with contextlib.suppress(PlanrailError):  # then it is told as it was
                move_folder(desk.root, away, home)
                done.append(f"{away} is at {home} now")
    return [*done, *(f"{path} is committed now" for path in settle_owed(desk))]


def _belongs(task: Task, home: str) -> bool:
    """Whether the documents of a task are said to lie there: of several archived ones of a name only one has them."""
    return any(one.path.startswith(f"{home}/") for one in task.artifacts)


def _tell(found: list[Divergence], fixed: list[str]) -> None:
    for text in fixed:
        say(f"fixed: {text}")
    if not found:
        say("views, ledger and documents agree")
        print_next("planrail task")
        return
    for line in render_divergences(found, all_of_them="planrail task check --json", with_first=True):
        say(line)
    print_next(_next(found))


def _next(found: list[Divergence]) -> str:
    return next((one.remedy for one in found if one.remedy), "planrail task")


def _describe(found: list[Divergence], fixed: list[str]) -> dict[str, object]:
    return {
        "divergences": [describe(one) for one in found],
        "counts": count_kinds(found),
        "fixed": fixed,
        "next": _next(found),
    }
