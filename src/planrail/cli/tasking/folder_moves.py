"""Moving the folder of a task into the archive, and back: nothing of another's is ever overwritten."""

import os

from planrail.errors import PlanrailError


def move_folder(root: str, old: str, new: str) -> list[str]:
    """Move a folder, both from the root on; the paths that a commit has to name: gone ones and new ones.

    Where it was moved before, or never was, there is nothing to do.
    """
    before, after = os.path.join(root, old), os.path.join(root, new)
    if not os.path.isdir(before):
        return []
    refuse_taken(root, old, new)
    names = _files(before)
    os.makedirs(os.path.dirname(after), exist_ok=True)
    os.rename(before, after)
    return [f"{base}/{name}" for base in (old, new) for name in names]


def refuse_taken(root: str, old: str, new: str) -> None:
    """Raise where a folder would be moved over another."""
    if os.path.isdir(os.path.join(root, old)) and os.path.lexists(os.path.join(root, new)):
        raise PlanrailError(
            f"{new} is there already, and is not overwritten; {old} stays where it is",
            remedy=f"move one of them by hand, then: planrail task check; see: ls {new}",
        )


def _files(folder: str) -> list[str]:
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    return sorted(found)
