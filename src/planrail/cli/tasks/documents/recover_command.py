"""Bring a task back from the archive; or put in order what a stage that died has left.

planrail task recover           every open task: documents that nobody linked, states that nobody works in
planrail task recover 7,9-12    these; one that is archived comes back, with its folder and its state
planrail task recover FOLDER    a task for a folder that belongs to none: specs/archive/032_some_name

With --json: {"tasks": [{"task", "status", "done": [TEXT], "goes_on", "next"}], "next"}.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import Answer, quote
from planrail.git.exact_commits import new_files
from planrail.tasks.book.task_rows import open_book, read_book
from planrail.tasks.desk.desk import Desk, commit_task, refresh
from planrail.tasks.desk.documents import move_folder
from planrail.tasks.desk.looks import next_command, render_line
from planrail.tasks.importing.checking import adopt, bring_back
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.model import Task, folder_of
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.work.mending import Left, mend_task
from planrail.tasks.work.specs_files import list_files


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="N|FOLDER", nargs="*", help="7 or 7,9-12, or a folder of no task; none: all")
    parser.add_argument("--name", metavar="SLUG", default="", help="which one, where the archive has several")


def answer(desk: Desk, arguments: Namespace) -> Answer:
    done = _recover_all(desk, arguments.what, arguments.name)
    changed = [one for one in done if one.done]
    if changed:
        refresh(desk, archive=True)
        names = ", ".join(str(one.task.number) for one in changed[:10]) + (" …" if len(changed) > 10 else "")
        linked = new_files(desk.root, [path for one in changed for path in one.linked])
        moved = {old: new for one in changed for old, new in one.moved.items()}
        commit_task(desk, f"sync: recover {'task' if len(changed) == 1 else 'tasks'} {names}", linked, moved)
    shown = changed or [one for one in done if one.goes_on is not None]
    following = _following(shown[0]) if len(shown) == 1 else "planrail task"
    document = {"tasks": [_describe(one) for one in done], "next": following}
    lines = [line for one in done for line in _tell(one)]
    if not changed:
        lines.append("there is nothing to recover" if done else "there is no open task")
    return Answer(document, lines, command=following)


def _recover_all(desk: Desk, words: list[str], name: str) -> list[Left]:
    """Folders, then numbers; without any word, all open tasks."""
    listing = list_files(desk.root, desk.folder)
    shelf = Shelf(listing.files, desk.folder, listing.empty)
    if not words:
        with read_book(desk.root) as book:
            tasks = [task for task in book.tasks() if task.status not in TERMINAL]
        return [mend_task(desk, task, shelf, is_named=False) for task in tasks]
    numbers = " ".join(word for word in words if "/" not in word)
    found = [_adopt(desk, word, shelf) for word in words if "/" in word]
    named = dict.fromkeys(read_numbers(numbers)) if numbers else {}
    return [*found, *(_recover(desk, number, name, shelf) for number in named)]


def _recover(desk: Desk, number: int, name: str, shelf: Shelf) -> Left:
    with open_book(desk.root) as book:
        task = book.find(number)
        archived = book.find_archived(number) if task is None or name else []
    if task is not None and (not name or task.name == name):
        return mend_task(desk, task, shelf, is_named=True)
    return _bring_back(desk, number, _choose(number, archived, name))


def _choose(number: int, archived: list[Task], name: str) -> Task:
    """The archived task that is meant: of several entries about one task the one that knows most."""
    found = [task for task in archived if not name or task.name == name]
    names = sorted({task.name for task in found})
    if not found:
        what = f"task {number} `{name}`" if name else f"task {number}"
        raise PlanrailError(f"there is no {what}, open or archived", remedy="planrail task list")
    if len(names) > 1:
        raise UsageError(
            f"the archive has several tasks {number}: {', '.join(names)}",
            remedy=f"planrail task recover {number} --name {quote(names[0])}",
        )
    return max(found, key=lambda task: (len(task.artifacts), task.last_updated))


def _bring_back(desk: Desk, number: int, task: Task) -> Left:
    """Out of the archive, with its folder. Where its number is another's, it gets a new one."""
    with open_book(desk.root) as book:
        is_free = book.find(number) is None
        back = bring_back(task, number if is_free else book.next_number(), desk.folder)
        old, new = folder_of(task, f"{desk.folder}/archive"), folder_of(back, desk.folder)
        if os.path.lexists(os.path.join(desk.root, new)) and os.path.lexists(os.path.join(desk.root, old)):
            raise PlanrailError(
                f"{new} is there already, and is not overwritten; task {number} stays in the archive",
                remedy=f"mv {quote(new)} ELSEWHERE, then: planrail task recover {number}",
            )
        book.put([back], desk.note("recovered"))
    moved = move_folder(desk.root, old, new)
    told = f"back from the archive as task {back.number}" if not is_free else "back from the archive"
    return Left(back, (told,), moved=moved)


def _adopt(desk: Desk, path: str, shelf: Shelf) -> Left:
    """A task for a folder of nobody. One that lies in the archive is moved out of it."""
    place = os.path.normpath(path).replace(os.sep, "/")
    folder = next((one for one in shelf.folders if one.path == place), None)
    if folder is None:
        raise PlanrailError(f"{path} is no folder of a task in {desk.folder}/", remedy="planrail task check")
    _refuse_owned(desk, folder.number, folder.name, place)
    with open_book(desk.root) as book:
        number = folder.number if book.find(folder.number) is None and folder.number else book.next_number()
        new = folder_of(adopt(folder, number, at=desk.now()), desk.folder)
        gone = move_folder(desk.root, place, new) if new != place else {}
        files = [new + one.removeprefix(place) for one in folder.files]
        moved = next(one for one in Shelf(files, desk.folder, [new]).folders if one.path == new)
        [task] = book.put([adopt(moved, number, at=desk.now())], desk.note("adopted", folder=place))
    return Left(task, (f"made from {place}",), tuple(files) if not gone else (), moved=gone)


def _refuse_owned(desk: Desk, number: int, name: str, place: str) -> None:
    with open_book(desk.root) as book:
        known = [task for task in (book.find(number), *book.find_archived(number)) if task is not None]
    for task in known:
        if task.name == name or any(one.path.startswith(f"{place}/") for one in task.artifacts):
            remedy = f"planrail task recover {number} --name {quote(task.name)}"
            raise PlanrailError(f"{place} belongs to task {number}", remedy=remedy)


def _following(one: Left) -> str:
    return one.goes_on.command if one.goes_on is not None else next_command(one.task.status, one.task.number)


def _tell(one: Left) -> list[str]:
    goes_on = [f"{one.goes_on.text}: {one.goes_on.command}"] if one.goes_on is not None else []
    about = [f"          {text}" for text in (*one.done, *goes_on)]
    return [render_line(one.task), *about] if about else []


def _describe(one: Left) -> dict[str, object]:
    return {
        "task": one.task.number,
        "status": one.task.status,
        "done": list(one.done),
        "goes_on": one.goes_on.text if one.goes_on is not None else None,
        "next": _following(one),
    }
