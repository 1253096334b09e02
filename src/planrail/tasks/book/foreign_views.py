"""Views that planrail did not write: whose are they, which tasks do they name, and where is a person's text kept?"""

import json
import os
import time

from planrail.base.wording import name_some
from planrail.git.git_writing import ask_git
from planrail.store.places import make_private
from planrail.tasks.book.task_rows import TaskBook
from planrail.tasks.book.task_view_files import is_plain


def tell_unknown(folder: str, numbers: list[int]) -> str:
    return f"{folder}/state.json has tasks that the ledger does not know ({name_some(numbers, 5)})"


def is_committed(root: str, path: str) -> bool:
    """Whether HEAD has exactly this content: nothing is lost when it is replaced.

    What is only staged is not safe: the next commit of the views takes the place of it.
    """
    name = os.path.relpath(path, root)
    own = (ask_git(root, "hash-object", "--", name) or "").strip()
    if not own:
        return False
    return (ask_git(root, "rev-parse", "--quiet", "--verify", f"HEAD:./{name}") or "").strip() == own


def unknown_tasks(book: TaskBook, path: str) -> list[int]:
    """The numbers of tasks in a `state.json` that the ledger has never heard of.

    A task is known by its number and its name: in another clone another user may have drawn the same number.
    """
    if not is_plain(path):
        return []
    try:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)["active_projects"]
        found = {(entry["project_number"], entry.get("project_name")) for entry in entries}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
    known = {(task.number, task.name) for task in (*book.tasks(), *book.tasks(archived=True))}
    return sorted({number for number, name in found - known if isinstance(number, int)})


def keep_aside(folder: str, path: str) -> str:
    place = os.path.join(folder, "edited")
    make_private(folder)
    make_private(place)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    with open(path, "rb") as file:
        data = file.read()
    for count in range(1000):
        kept = os.path.join(place, f"{stamp}{f'-{count}' if count else ''}-{os.path.basename(path)}")
        try:
            with open(kept, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            continue
        return kept
    raise FileExistsError(place)
