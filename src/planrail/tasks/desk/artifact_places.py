"""Documents of tasks on the disk: which task a file belongs to, and which plan of a task is its newest."""

import os
import re

from planrail.base.settings import load_tasks
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.model import FOLDERS, PLAN, Task, number_in

_TASK_FOLDER = re.compile(r"(?:OC_)?0*(\d{1,9})_")
_ROUND = re.compile(r"0*(\d{1,4})_")
_DIGITS = re.compile(r"(\d+)")


def path_in_project(root: str, path: str) -> str | None:
    """A path from the root on; None where it lies, or leads, outside the project."""
    top, place = os.path.realpath(root), os.path.realpath(path)
    if not place.startswith(top + os.sep):
        return None
    return os.path.relpath(place, top).replace(os.sep, "/")


def locate_task(desk: Desk, path: str) -> tuple[str, Task] | None:
    inside = path_in_project(desk.root, path)
    if inside is None or not inside.startswith(f"{desk.folder}/"):
        return None
    number = number_of(inside.removeprefix(f"{desk.folder}/"))
    if not number:
        return None

    with read_book(desk.root) as book:
        task = book.find(number)
    return (inside, task) if task is not None else None


def number_of(folder: str) -> int:
    """The task that the name of a folder states, `007_name`; 0 where it states none."""
    match = _TASK_FOLDER.match(folder)
    return int(match[1]) if match else 0


def round_of(path: str) -> int:
    """The round that the name of a file states, `02_name.md`; 0 where it states none."""
    match = _ROUND.match(path.rsplit("/", 1)[-1])
    return int(match[1]) if match else 0


def newest_plan_file(root: str, folder: str, number: int, slug: str) -> str:
    """The plan with the highest round and version in a task's folder, "" where it has none. Times prove nothing."""
    for name in (f"{number:03d}_{slug}", f"{number}_{slug}"):
        place = os.path.join(root, folder, name, FOLDERS[PLAN])
        if os.path.isdir(place):
            files = [one for one in os.listdir(place) if one.endswith(".md") and not one.startswith(".")]
            return os.path.join(place, max(files, key=_version)) if files else ""
    return ""


def _version(name: str) -> list[tuple[int, str]]:
    """A key by which `01_a.md` < `01_a-v2.md` < `01_a-v10.md` < `02_b.md`."""
    parts = _DIGITS.split(name.removesuffix(".md"))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def find_owner(root: str, place: str) -> Task | None:
    folder = load_tasks(root).folder
    path = os.path.relpath(os.path.realpath(place), os.path.realpath(root))
    if not path.startswith(f"{folder}/"):
        return None

    with read_book(root) as book:
        task = book.find(number_in(path.removeprefix(f"{folder}/").partition("/")[0]))
    is_its_own = task is not None and any(one.type == PLAN and one.path == path for one in task.artifacts)
    return task if is_its_own else None
