"""Files of tasks on the disk: inside the project alone, written whole, and committed only where that is ours to do.

Nothing is followed that leads out of the project, and nobody is waited for: such links, pipes, sockets and what is too
large are left alone.
"""

import os
import re
import stat
from collections.abc import Callable

from planrail.base.errors import PlanrailError, refused_as
from planrail.base.settings import load_tasks
from planrail.base.whole_files import write_whole
from planrail.git.git_writing import ask_git
from planrail.plans.files.plan_writing import write_text
from planrail.store.places import sync_folder
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.context import Context, is_inside, path_in_project
from planrail.tasks.context.looks import from_here
from planrail.tasks.documents.roadmap import roadmap_places
from planrail.tasks.model import FOLDERS, PLAN, Task, folder_of, latest, number_in

LARGEST = 50 * 1024 * 1024  # bytes of one file; the largest that was seen has 1.5 million
_LARGEST_DOCUMENT = 4_000_000
_KINDS = {stat.S_IFDIR: "is a folder", stat.S_IFIFO: "is a pipe", stat.S_IFSOCK: "is a socket"}
_TASK_FOLDER = re.compile(r"(?:OC_)?0*(\d{1,9})_")
_DIGITS = re.compile(r"(\d+)")


# ---- which files there are ----


def find_roadmap(root: str, folder: str) -> str:
    return next((place for place in roadmap_places(folder) if os.path.isfile(os.path.join(root, place))), "")


def files_of(context: Context, task: Task, type_: str) -> list[str]:
    """The files of a type that lie in the task's folder, linked or not, from the root on."""
    folder = f"{folder_of(task, context.folder)}/{FOLDERS[type_]}"
    try:
        return sorted(f"{folder}/{name}" for name in os.listdir(os.path.join(context.root, folder)))
    except OSError:
        return []


def number_of(folder: str) -> int:
    """The task that the name of a folder states, `007_name`; 0 where it states none."""
    match = _TASK_FOLDER.match(folder)
    return int(match[1]) if match else 0


def locate_task(root: str, folder: str, path: str) -> tuple[str, Task] | None:
    """The task in whose folder a file lies, and the path of the file from the root on; None for nobody's."""
    inside = path_in_project(root, path)
    number = number_in(inside.removeprefix(f"{folder}/")) if inside and inside.startswith(f"{folder}/") else 0
    if not inside or number <= 0:
        return None
    with read_book(root) as book:
        task = book.find(number)
    return (inside, task) if task is not None else None


def find_owner(root: str, place: str) -> Task | None:
    """The task that has a file as one of its plans."""
    path, task = locate_task(root, load_tasks(root).folder, place) or ("", None)
    is_its_own = task is not None and any(one.type == PLAN and one.path == path for one in task.artifacts)
    return task if is_its_own else None


def newest_plan_file(root: str, folder: str, number: int, slug: str) -> str:
    """The plan with the highest round and version in a task's folder, "" where it has none. Times prove nothing."""

    def version(name: str) -> list[tuple[int, str]]:
        """A key by which `01_a.md` < `01_a-v2.md` < `01_a-v10.md` < `02_b.md`."""
        parts = _DIGITS.split(name.removesuffix(".md"))
        return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]

    for name in (f"{number:03d}_{slug}", f"{number}_{slug}"):
        place = os.path.join(root, folder, name, FOLDERS[PLAN])
        if os.path.isdir(place):
            files = [one for one in os.listdir(place) if one.endswith(".md") and not one.startswith(".")]
            return os.path.join(place, max(files, key=version)) if files else ""
    return ""


# ---- reading ----


def read_bytes(root: str, path: str, largest: int = LARGEST) -> bytes | None:
    """What a file of the project holds; None where it is none that is read."""
    try:
        found = os.open(os.path.join(root, path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(found)
        if refuse_file(root, path, status) or status.st_size > largest:
            return None
        with open(found, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(found)


def refuse_file(root: str, path: str, found: os.stat_result) -> str:
    """Why a file is left alone; "" where it is read."""
    if not is_inside(root, path):
        return "leads out of the project"
    if not stat.S_ISREG(found.st_mode):
        return _KINDS.get(stat.S_IFMT(found.st_mode), "is a device")
    return tell_size(found.st_size) if found.st_size > LARGEST else ""


def tell_size(size: int) -> str:
    return f"has {size // 1024**2} MB, more than the {LARGEST // 1024**2} that are read"


def read_page(root: str, path: str) -> str | None:
    """The text of a document, for agents; None where there is none."""
    data = read_bytes(root, path, _LARGEST_DOCUMENT)
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n") if data is not None else None


def read_plan(root: str, task: Task) -> str | None:
    artifact = latest(task, PLAN)
    return read_page(root, artifact.path) if artifact is not None else None


def read_document(root: str, path: str) -> str | None:
    """The text of a document as it is, to be changed."""
    _locate(root, path)
    data = read_bytes(root, path)
    try:
        return data.decode() if data is not None else None
    except UnicodeDecodeError:
        return None


def is_committed(root: str, path: str) -> bool:
    return ask_git(root, "cat-file", "-e", f"HEAD:./{path}") is not None


def exists(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


# ---- writing ----


def write_document(root: str, path: str, text: str) -> None:
    write_text(_locate(root, path), text)


def change_file(root: str, path: str, change: Callable[[str], str]) -> bool:
    """Change a file that git knows; whether it may be committed, since nothing else in it differs from what git has.

    What a person has edited beside it is theirs to commit, and a file that they never committed as well.
    """
    before = read_document(root, path)
    committed = ask_git(root, "cat-file", "blob", f"HEAD:./{path}")
    if before is None:
        return False
    after = change(before)
    if after != before:
        write_document(root, path, after)
    return committed is not None and change(committed) == after


def _locate(root: str, path: str) -> str:
    """The place of a path; a link that leads out of the project may be an agent's work, and is not followed."""
    if not is_inside(root, path):
        raise PlanrailError(f"{path} leads out of the project; nothing was written", remedy=f"ls -l {path}")
    return os.path.realpath(os.path.join(root, path))


def publish(context: Context, path: str, text: str) -> None:
    """Put a new document at its path. The same one again changes nothing; another one is refused."""
    typed, data = from_here(context, path), text.encode("utf-8", "surrogateescape")
    folder = os.path.realpath(os.path.dirname(os.path.join(context.root, path)))
    if not is_inside(context.root, folder):
        remedy = "look where the folder of the task points to"
        raise PlanrailError(f"{typed} leads out of the project", remedy=remedy)
    if read_bytes(context.root, path) == data:
        return
    place, temporary = (os.path.join(folder, name) for name in (os.path.basename(path), f".new.{os.getpid()}"))
    with refused_as(f"{typed} could not be written", "make room or check the permissions, then type the same again"):
        os.makedirs(folder, exist_ok=True)
        write_whole(temporary, data, mode=0o644)
        try:
            os.link(temporary, place)  # fails where a file is, which a rename would not
        except FileExistsError:
            if read_bytes(context.root, path) != data:
                raise PlanrailError(
                    f"{typed} is there already, and is not what planrail wrote", remedy=f"move it away: {typed}"
                ) from None
        finally:
            os.unlink(temporary)
        sync_folder(folder)


def move_folder(root: str, old: str, new: str) -> dict[str, str]:
    """Move a folder, both from the root on; the new place of each of its files, by its old one.

    Where it was moved before, or never was, there is nothing to do.
    """
    before, after = os.path.join(root, old), os.path.join(root, new)
    refuse_move(root, old, new)
    if not os.path.isdir(before):
        return {}
    found = (os.path.join(place, name) for place, _, names in os.walk(before) for name in names)
    names = [os.path.relpath(path, before) for path in found]
    os.makedirs(os.path.dirname(after), exist_ok=True)
    os.rename(before, after)
    return {f"{old}/{name}": f"{new}/{name}" for name in sorted(names)}


def refuse_move(root: str, old: str, new: str) -> None:
    for path in (old, os.path.dirname(new)):
        if os.path.realpath(os.path.join(root, path)) != os.path.join(os.path.realpath(root), path):
            raise PlanrailError(
                f"{path} is a link, or behind one, so that nothing is moved; nothing was changed",
                remedy=f"ls -l {path}",
            )
    if os.path.isdir(os.path.join(root, old)) and os.path.lexists(os.path.join(root, new)):
        raise PlanrailError(
            f"{new} is there already, and is not overwritten; {old} stays where it is",
            remedy=f"see: ls {new}; move one of them by hand, then: planrail task check",
        )
