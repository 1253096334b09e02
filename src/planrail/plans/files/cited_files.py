"""Which of the files that an answer cites are there: looked up on disk, inside one folder, after links."""

import os

from planrail.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def open_root(folder: str) -> "Callable[[str], bool]":
    """A question to a folder: is this path one of the files in it? What a link leads out of it is not."""
    if not os.path.isdir(folder):
        raise UsageError(f"there is no folder {folder}", remedy="name the root of the code: --root DIR")
    root = os.path.realpath(folder)

    def exists(path: str) -> bool:
        place = os.path.realpath(os.path.join(root, path))
        is_inside = place.startswith(root.rstrip(os.sep) + os.sep)
        is_private = ".git" in os.path.relpath(place, root).split(os.sep) if is_inside else True
        return not is_private and os.path.isfile(place)

    return exists


def count_files(folder: str, enough: int) -> int:
    """How many files a folder has, counted up to `enough`; git's own do not count."""
    count = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        count += sum(name != ".git" for name in files)
        if count >= enough:
            return enough
    return count
