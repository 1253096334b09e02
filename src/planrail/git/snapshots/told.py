"""What was last told of a tree. Who looks again and finds the same gets the same answer, and nothing is parked twice.

The answer holds for one look: the entries of `git status`, the status of each file they name, that of git's own files.
Like these, it is kept only where no file is so young that it could change again without showing it.
"""

from planrail.base.decoding import decode, encode
from planrail.git.snapshots.look import path_of
from planrail.git.snapshots.signature import file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.look import Kept, Look

    Told = dict[str, str]

_CTIME = 3


class Finding:
    """A look that found something, and the status of what it found, before that is read and parked."""

    def __init__(self, kept: "Kept", look: "Look", plan: str) -> None:
        self._kept, self._look = kept, look
        own = plan.removeprefix(f"{kept.root}/")
        paths = [path_of(entry) for entry in look.noise if entry[0] != "!"]
        self._statuses = [file_status(f"{kept.root}/{path}") for path in (*paths, *kept.unread) if path != own]
        # After new rules of what to ignore, files count that `git status` does not name.
        self._is_plain = not any(entry.endswith(".gitignore") for entry in look.noise)
        self._key = [plan, look.noise, self._statuses, look.watch.signature]

    def recall(self) -> "Told | None":
        """What was told of the same finding, as long as the branch that it names holds the copy."""
        try:
            with open(self._kept.told, "rb", 0) as file:
                key, told = _pair(decode(file.read().decode("ascii")))
            return told if key == self._key and self._stands(told["branch"], told["commit"]) else None
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def remember(self, told: "Told", settings: "Sequence[str]") -> None:
        """Keep what is told now; not where settings of git have changed, which may say what to ignore."""
        youngest = max((status[_CTIME] for status in self._statuses if status), default=0)
        if self._is_plain and not settings and self._look.watch.is_settled(youngest):
            from planrail.git.snapshots.records import write_whole

            try:
                write_whole(self._kept.told, encode([self._key, told]))
            except (OSError, ValueError):
                return  # it only costs time

    def _stands(self, branch: str, commit: str) -> bool:
        """Whether a branch is where it was. One that is packed is taken for gone, and found by the longer way."""
        with open(f"{self._kept.common_dir}/refs/heads/{branch}", "rb", 0) as file:
            return file.read().decode("ascii").strip() == commit


def _pair(kept: object) -> "tuple[object, Told]":
    if not (isinstance(kept, list) and len(kept) == 2 and isinstance(kept[1], dict)):
        raise ValueError("this is not what was told")
    return kept[0], kept[1]
