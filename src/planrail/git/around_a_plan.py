"""The surroundings of a plan on disk: files near it, and the commits since it was added."""

import os

from planrail.base.projects import find_above
from planrail.plans.text.source import MAX_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class DiskSurroundings:
    """Files are looked for beside the plan, then from the root of its repository; never outside of both."""

    def __init__(self, plan_path: str) -> None:
        self.path = os.path.abspath(plan_path)
        self.folder = os.path.dirname(self.path)
        self.root = find_above(self.folder, ".git")

    def read(self, path: str) -> str | None:
        """The text of a file near the plan; None where there is none that can be read."""
        place = self._find(path)
        if place is None or not os.path.isfile(place) or os.path.getsize(place) > MAX_BYTES:
            return None
        try:
            with open(place, encoding="utf-8", newline="") as file:
                return file.read()
        except (OSError, UnicodeDecodeError):
            return None

    def names(self, folder: str) -> "Sequence[str]":
        """The names of what a folder near the plan holds, in order."""
        place = self._find(folder)
        return sorted(os.listdir(place)) if place is not None and os.path.isdir(place) else []

    def exists(self, path: str) -> bool:
        """Whether there is such a file or folder."""
        return self._find(path) is not None

    def subjects(self) -> "Sequence[tuple[str, str]]":
        """Hash and subject of each commit since the plan was added, newest first."""
        if self.root is None:
            return []
        from planrail.git.git import commits_since

        return [
            (commit.hash, commit.subject) for commit in commits_since(self.root, os.path.relpath(self.path, self.root))
        ]

    def locate(self, path: str) -> str:
        """The path of such a file from where the user stands."""
        return os.path.relpath(self._find(path) or os.path.join(self.folder, path))

    def _find(self, path: str) -> str | None:
        for base in (self.folder, self.root):
            place = os.path.realpath(os.path.join(base, path)) if base else ""
            limit = os.path.realpath(self.root or self.folder)
            if place and (place == limit or place.startswith(limit + os.sep)) and os.path.exists(place):
                return place
        return None
