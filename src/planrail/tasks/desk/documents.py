"""Files of a task on the disk: written whole, inside the project alone, and committed only where that is ours to do."""

import os
from collections.abc import Callable

from planrail.base.errors import PlanrailError
from planrail.git.git_writing import ask_git
from planrail.plans.files.plan_writing import write_text
from planrail.tasks.documents.roadmap import roadmap_places


def find_roadmap(root: str, folder: str) -> str:
    """The roadmap of a project, from its root on; "" where it has none."""
    places = roadmap_places(folder)
    return next((place for place in places if os.path.isfile(os.path.join(root, place))), "")


def write_document(root: str, path: str, text: str) -> None:
    """A document, whole or not at all."""
    write_text(_inside(root, path), text)


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


def is_committed(root: str, path: str) -> bool:
    """Whether the commit that is checked out has a file."""
    return ask_git(root, "cat-file", "-e", f"HEAD:./{path}") is not None


def exists(root: str, path: str) -> bool:
    """Whether there is anything at a path."""
    return os.path.lexists(os.path.join(root, path))


def read_document(root: str, path: str) -> str | None:
    """The text of a file inside the project; None where it is none."""
    try:
        with open(_inside(root, path), encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _inside(root: str, path: str) -> str:
    """The place of a path; a link that leads out of the project may be an agent's work, and is not followed."""
    place, top = os.path.realpath(os.path.join(root, path)), os.path.realpath(root)
    if os.path.commonpath((place, top)) != top:
        raise PlanrailError(f"{path} leads out of the project; nothing was written", remedy=f"ls -l {path}")
    return place
