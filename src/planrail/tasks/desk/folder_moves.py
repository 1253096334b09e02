"""Moving the folder of a task into the archive, and back: nothing of another's is ever overwritten."""

import os

from planrail.base.errors import PlanrailError


def move_folder(root: str, old: str, new: str) -> dict[str, str]:
    """Move a folder, both from the root on; the new place of each of its files, by its old one.

    Where it was moved before, or never was, there is nothing to do.
    """
    before, after = os.path.join(root, old), os.path.join(root, new)
    refuse_move(root, old, new)
    if not os.path.isdir(before):
        return {}
    names = _files(before)
    os.makedirs(os.path.dirname(after), exist_ok=True)
    os.rename(before, after)
    return {f"{old}/{name}": f"{new}/{name}" for name in names}


def refuse_move(root: str, old: str, new: str) -> None:
    """Raise where a folder would be moved over another, or is one that leads elsewhere."""
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


def _files(folder: str) -> list[str]:
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    return sorted(found)
