"""Files of a task on the disk: written whole, inside the project alone, and committed only where that is ours to do."""

import os
from collections.abc import Callable

from planrail.base.errors import PlanrailError
from planrail.git.git_writing import ask_git
from planrail.plans.files.plan_writing import write_text
from planrail.tasks.documents.roadmap import roadmap_places


def find_roadmap(root: str, folder: str) -> str:
    places = roadmap_places(folder)
    return next((place for place in places if os.path.isfile(os.path.join(root, place))), "")


def write_document(root: str, path: str, text: str) -> None:
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
    return ask_git(root, "cat-file", "-e", f"HEAD:./{path}") is not None


def exists(root: str, path: str) -> bool:
    return os.path.lexists(os.path.join(root, path))


def read_document(root: str, path: str) -> str | None:
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


def move_folder(root: str, old: str, new: str) -> dict[str, str]:
    """Move a folder, both from the root on; the new place of each of its files, by its old one.

    Where it was moved before, or never was, there is nothing to do.
    """
    before, after = os.path.join(root, old), os.path.join(root, new)
    refuse_move(root, old, new)
    if not os.path.isdir(before):
        return {}
    names = [
        os.path.relpath(os.path.join(place, name), before) for place, _, found in os.walk(before) for name in found
    ]
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
