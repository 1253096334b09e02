"""How git's own files look: whether refs, HEAD, the index, the stash or the settings can have changed at all.

Looking at a few dozen files costs less than starting git. Only where one of them has another status than when it was
last known to mean the same is git asked. `posix` and not `os`: that import alone is a third of what a comparison may
cost in a small repository.
"""

import posix
import time

from planrail.sessions.decoding import decode, encode

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
            from planrail.repo.snapshot_records import write_whole

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
        _sign_below(place, found, unwatched)
    return found


def _sign_below(place: str, found: "Signature", unwatched: frozenset[str]) -> None:
    """A file by its status. A folder by that of the files below it: its own changes with each lock that git takes."""
    status = file_status(place)
    if status is None or place in unwatched:
        return
    if status[0] & _KIND != _FOLDER:
        found.append([place, *status])
        return
    found.append([place])
    for name in sorted(posix.listdir(place)):
        _sign_below(f"{place}/{name}", found, unwatched)
