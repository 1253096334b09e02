"""How git's own files look: whether refs, HEAD, the index, the stash or the settings can have changed at all.

Looking at a few dozen files costs less than starting git. Only where one of them has another status than when it was
last known to mean the same is git asked. `posix` and not `os`: that import alone is a third of what a comparison may
cost in a small repository.
"""

import posix
import time

from planrail.base.decoding import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    Signature = list[list[str | int]]

OWN_REFS = ("refs/planrail/", "refs/heads/planrail/parked/")
# What a server has, as it was last heard of. Editors fetch on their own, all day; nothing of the user's is in it.
REMOTE_REFS = "refs/remotes/"
UNWATCHED_REFS = (*OWN_REFS, REMOTE_REFS)
OPERATIONS = (
    *("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"),
    *("rebase-merge", "rebase-apply", "sequencer", "config.worktree"),
)
_IN_GIT_DIR = ("HEAD", "index", "refs")
_IN_COMMON_DIR = ("packed-refs", "refs", "reftable", "config", "info", "hooks", "logs/refs/stash")
_YOUNG = 2.0  # seconds: some file systems count time in steps of two
_KIND, _FOLDER = 0o170000, 0o040000
_CTIME = 4  # its place in an entry of a signature


class Watch:
    """Remembers git's files as they looked before they were read, so that what changes meanwhile is seen next time."""

    def __init__(self, git_dir: str, common_dir: str, seen: str) -> None:
        self._seen = seen
        self._began = time.time()
        self.signature = _sign(git_dir, common_dir)

    def is_as_seen(self) -> bool:
        """Whether git's files have the status that they had when they were last known to mean what they meant."""
        try:
            with open(self._seen, "rb", 0) as file:
                return decode(file.read().decode("ascii")) == self.signature
        except (OSError, ValueError):
            return False

    def is_settled(self, changed_at: int = 0) -> bool:
        """Whether no file, here or changed at that time, is so young that it could change again without showing it."""
        newest = max((entry[_CTIME] for entry in self.signature if len(entry) > _CTIME), default=0)
        return max(int(newest), changed_at) < (self._began - _YOUNG) * 1e9

    def remember(self) -> None:
        """Keep this look as one at which all meant what it meant at entry."""
        if self.is_settled():
            from planrail.base.whole_files import write_whole

            try:
                write_whole(self._seen, encode(self.signature))
            except (OSError, ValueError):
                return  # it only costs time


def file_status(path: str) -> list[int] | None:
    """What changes when a file does; None where there is none."""
    try:
        found = posix.lstat(path)
    except OSError:
        return None
    return [found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _sign(git_dir: str, common_dir: str) -> "Signature":
    found: Signature = []
    unwatched = frozenset(f"{common_dir}/{name[:-1]}" for name in UNWATCHED_REFS)
    places = [f"{common_dir}/{name}" for name in _IN_COMMON_DIR]
    places += [f"{git_dir}/{name}" for name in (*_IN_GIT_DIR, *OPERATIONS)]
    for place in dict.fromkeys(places):
        status = file_status(place)
        if status is not None and _is_folder(status):
            found.append([place])
            _sign_files(place, found, unwatched)
        elif status is not None:
            found.append([place, *status])
    return found


def _sign_files(folder: str, found: "Signature", unwatched: frozenset[str]) -> None:
    """The files below a folder. Of folders nothing: they mean nothing to git, and change with each lock it takes."""
    for name in sorted(posix.listdir(folder)):
        place = f"{folder}/{name}"
        status = file_status(place)
        if status is None or place in unwatched:
            continue
        if _is_folder(status):
            _sign_files(place, found, unwatched)
        else:
            found.append([place, *status])


def _is_folder(status: list[int]) -> bool:
    return status[0] & _KIND == _FOLDER
