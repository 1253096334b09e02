"""The names in folders, which are looked at often and change seldom."""

import os
import time
from collections.abc import Callable

from planrail.runs.checks.room_places import list_names

_SETTLED = 2.0  # seconds after which a folder's time shows each change of its names


class FolderNames:
    """The names in folders, as `select` makes them. A folder is read again only where it has changed, or did so a
    moment ago; as long as the answer is the very same list, nothing in it was added, removed or replaced."""

    def __init__(
        self, select: Callable[[list[str]], list[str]] = lambda names: names, now: Callable[[], float] = time.time
    ) -> None:
        self._select, self._now = select, now
        self._known: dict[str, tuple[tuple[int, ...] | None, list[str], bool]] = {}

    def list(self, folder: str) -> list[str]:
        """The names; none where there is no such folder."""
        status = _status(folder)
        known = self._known.get(folder)
        if known is None or known[0] != status or not known[2]:
            names = self._select(list_names(folder)) if status is not None else []
            is_settled = status is None or self._now() - status[1] / 1e9 >= _SETTLED
            known = self._known[folder] = (status, names, is_settled)
        return known[1]

    def has_changed(self) -> bool:
        """Whether any folder that was listed may have other names now."""
        return any(not is_settled or _status(folder) != was for folder, (was, _, is_settled) in self._known.items())


def _status(folder: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(folder)
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
