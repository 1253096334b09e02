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
from planrail.tasks.context.context import Context, commit_task, refresh
from planrail.tasks.context.files import move_folder
from planrail.tasks.context.looks import next_command, render_line
from planrail.tasks.importing.checking import adopt, bring_back
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.model import Task, folder_of
from planrail.tasks.numbers import read_numbers
from planrail.tasks.statuses import TERMINAL
from planrail.tasks.work.recovering import Left, recover_task
from planrail.tasks.work.specs_files import list_files


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="N|FOLDER", nargs="*", help="7 or 7,9-12, or a folder of no task; none: all")
    parser.add_argument("--name", metavar="SLUG", default="", help="which one, where the archive has several")


def answer(context: Context, arguments: Namespace) -> Answer:
    done = _recover_all(context, arguments.what, arguments.name)
    changed = [one for one in done if one.done]
    if changed:
        refresh(context, archive=True)
        names = ", ".join(str(one.task.number) for one in changed[:10]) + (" …" if len(changed) > 10 else "")
        linked = new_files(context.root, [path for one in changed for path in one.linked])
        moved = {old: new for one in changed for old, new in one.moved.items()}
        commit_task(context, f"sync: recover {'task' if len(changed) == 1 else 'tasks'} {names}", linked, moved)
    shown = changed or [one for one in done if one.goes_on]
    following = _following(shown[0]) if len(shown) == 1 else "planrail task"
    document = {"tasks": [_describe(one) for one in done], "next": following}
    lines = [line for one in done for line in _tell(one)]
    if not changed:
        lines.append("there is nothing to recover" if done else "there is no open task")
    return Answer(document, lines, command=following)


def _recover_all(context: Context, words: list[str], name: str) -> list[Left]:
    """Folders, then numbers; without any word, all open tasks."""
    listing = list_files(context.root, context.folder)
    shelf = Shelf(listing.files, context.folder, listing.empty)
    if not words:
        with read_book(context.root) as book:
            tasks = [task for task in book.tasks() if task.status not in TERMINAL]
        return [recover_task(context, task, shelf, is_named=False) for task in tasks]
    numbers = " ".join(word for word in words if "/" not in word)
    found = [_adopt(context, word, shelf) for word in words if "/" in word]
    named = dict.fromkeys(read_numbers(numbers)) if numbers else {}
    return [*found, *(_recover(context, number, name, shelf) for number in named)]


def _recover(context: Context, number: int, name: str, shelf: Shelf) -> Left:
    with open_book(context.root) as book:
        task = book.find(number)
        archived = book.find_archived(number) if task is None or name else []
    if task is not None and (not name or task.name == name):
        return recover_task(context, task, shelf, is_named=True)
    return _bring_back(context, number, _choose(number, archived, name))


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


def _bring_back(context: Context, number: int, task: Task) -> Left:
    """Out of the archive, with its folder. Where its number is another's, it gets a new one."""
    with open_book(context.root) as book:
        is_free = book.find(number) is None
        back = bring_back(task, number if is_free else book.next_number(), context.folder)
        old, new = folder_of(task, f"{context.folder}/archive"), folder_of(back, context.folder)
        if os.path.lexists(os.path.join(context.root, new)) and os.path.lexists(os.path.join(context.root, old)):
            raise PlanrailError(
                f"{new} is there already, and is not overwritten; task {number} stays in the archive",
                remedy=f"mv {quote(new)} ELSEWHERE, then: planrail task recover {number}",
            )
        book.put([back], context.note("recovered"))
    moved = move_folder(context.root, old, new)
    told = f"back from the archive as task {back.number}" if not is_free else "back from the archive"
    return Left(back, (told,), moved=moved)


def _adopt(context: Context, path: str, shelf: Shelf) -> Left:
    """A task for a folder of nobody. One that lies in the archive is moved out of it."""
    place = os.path.normpath(path).replace(os.sep, "/")
    folder = next((one for one in shelf.folders if one.path == place), None)
    if folder is None:
        raise PlanrailError(f"{path} is no folder of a task in {context.folder}/", remedy="planrail task check")
    number = folder.number
    with open_book(context.root) as book:
        known = [task for task in (book.find(number), *book.find_archived(number)) if task is not None]
        for task in known:
            if task.name == folder.name or any(one.path.startswith(f"{place}/") for one in task.artifacts):
                remedy = f"planrail task recover {number} --name {quote(task.name)}"
                raise PlanrailError(f"{place} belongs to task {number}", remedy=remedy)
        number = number if book.find(number) is None and number else book.next_number()
        new = folder_of(adopt(folder, number, at=context.now()), context.folder)
        gone = move_folder(context.root, place, new) if new != place else {}
        files = [new + one.removeprefix(place) for one in folder.files]
        moved = next(one for one in Shelf(files, context.folder, [new]).folders if one.path == new)
        [task] = book.put([adopt(moved, number, at=context.now())], context.note("adopted", folder=place))
    return Left(task, (f"made from {place}",), tuple(files) if not gone else (), moved=gone)


def _following(one: Left) -> str:
    return one.command or next_command(one.task.status, one.task.number)


def _tell(one: Left) -> list[str]:
    about = [*one.done, *([f"{one.goes_on}: {one.command}"] if one.goes_on else [])]
    return [render_line(one.task), *(f"          {text}" for text in about)] if about else []


def _describe(one: Left) -> dict[str, object]:
    told = {"task": one.task.number, "status": one.task.status, "done": list(one.done)}
    return {**told, "goes_on": one.goes_on or None, "next": _following(one)}
