"""What stands above a room, as far as tools that look upwards may obey it.

The folders that planrail made for rooms alone hold rooms and nothing else: any other name is seen there. The one that
they lie in may be everybody's; what this user has put there is seen by any name, too. Further above, where people and
programs make files all day, the names count that tools look for.
"""

import os
import stat
import time
from collections.abc import Callable

from planrail.base.run_model import Finding
from planrail.runs.checks.folder_names import FolderNames
from planrail.runs.checks.room_places import OWN, folders_above, list_names
from planrail.runs.checks.seals import describe_tree
from planrail.runs.evidence.surroundings import judge_surroundings
from planrail.runs.evidence.upward_names import INSIDE, is_read_upwards

_ROOMS = ("room", "t-")  # how the names of rooms begin, and of the temporary folders of checks
_MOST = 20_000  # entries of one folder that are looked at
_VERSIONED = (".git", ".hg", ".svn", ".jj")  # they change all day, and `git` is told where to stop


class Above:
    """Looks at the folder of a run's rooms and at all folders above it."""

    def __init__(self, rooms: str, now: Callable[[], float] = time.time) -> None:
        self._rooms = os.path.realpath(rooms)
        self._further = list(folders_above(self._rooms))
        self._names = FolderNames(_select, now)

    def list_places(self) -> list[str]:
        """The paths of all that is there."""
        found = [place for name in list_names(self._rooms) if not _is_room(place := os.path.join(self._rooms, name))]
        found += self._list_beside()
        for folder in self._further:
            found += [os.path.join(folder, name) for name in self._names.list(folder)]
        return list(dict.fromkeys(found))

    def _list_beside(self) -> list[str]:
        """What this user has put beside the folder of the rooms, where that is a folder for all: any name."""
        folder = os.path.dirname(self._rooms)
        if not _is_for_all(folder):
            return []
        places = [os.path.join(folder, name) for name in list_names(folder) if not name.startswith(OWN)]
        return [place for place in places if _is_mine(place)]


def watch_above(rooms: str) -> Callable[[], list[Finding]]:
    """A look at what has changed above rooms since now."""
    above = Above(rooms)

    def look() -> dict[str, str]:
        return {place: describe_entry(place, lambda file: describe_tree(file, most=1)) for place in above.list_places()}

    before = look()
    return lambda: judge_surroundings(before, look())


def list_newer(folder: str, since: float) -> list[str]:
    """What stands above a folder, may be obeyed by tools that run in it, and was changed or put there since a time."""
    places = [os.path.join(place, name) for place in folders_above(folder) for name in _select(list_names(place))]
    return [place for place in places if _changed_at(place) > since]


def _changed_at(place: str) -> float:
    """When the system saw the last change: nobody can set that back."""
    try:
        return os.lstat(place).st_ctime
    except OSError:
        return 0.0


def _select(names: list[str]) -> list[str]:
    """Of the names in a folder, those that tools look for; where they read a part of a folder, that part."""
    found = [name for name in names if is_read_upwards(name)]
    return found + [f"{name}/{part}" for name in names for part in INSIDE.get(name.lower(), ())]


def _is_room(place: str) -> bool:
    return os.path.basename(place).startswith(_ROOMS) and os.path.isdir(place) and not os.path.islink(place)


def describe_entry(place: str, describe: Callable[[str], str]) -> str:
    """What would change with an entry: a file's content, a folder's whole tree."""
    try:
        mode = os.lstat(place).st_mode
    except OSError:
        return ""
    if os.path.basename(place) in _VERSIONED:
        return "a repository"
    if stat.S_ISLNK(mode):
        return f"a link to {os.readlink(place)} {describe(place)}"
    return describe_tree(place, most=_MOST) if stat.S_ISDIR(mode) else describe(place) or "there"


def _is_for_all(folder: str) -> bool:
    try:
        return bool(os.stat(folder).st_mode & stat.S_ISVTX)
    except OSError:
        return False


def _is_mine(place: str) -> bool:
    try:
        return os.lstat(place).st_uid == os.geteuid()
    except OSError:
        return False
