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
    Signature = list[tuple[str, int, int, int, int, int]]

OWN_REFS = ("refs/planrail/", "refs/heads/planrail/parked/")
OPERATIONS = (
    *("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG"),
    *("rebase-merge", "rebase-apply", "sequencer", "config.worktree"),
)
_OWN_FOLDERS = tuple(f"/{name}" for name in OWN_REFS)
_IN_GIT_DIR = ("HEAD", "index", "refs")
_IN_COMMON_DIR = ("packed-refs", "refs", "reftable", "config", "info", "hooks", "logs/refs/stash")
_YOUNG = 2.0  # seconds: some file systems count time in steps of two
_KIND, _FOLDER = 0o170000, 0o040000


def is_as_seen(git_dir: str, common_dir: str, seen: str) -> bool:
    """Whether git's files have the status that they had when they were last known to mean what they meant."""
    try:
        with open(seen, "rb", 0) as file:
            known = decode(file.read().decode("ascii"))
        return known == [list(entry) for entry in _sign(git_dir, common_dir)]
    except (OSError, ValueError):
        return False


class Watch:
    """Remembers git's files as they looked before they were read, so that what changes meanwhile is seen next time."""

    def __init__(self, git_dir: str, common_dir: str, seen: str) -> None:
        self._seen = seen
        self._began = time.time()
        self._signature = _sign(git_dir, common_dir)

    def remember(self) -> None:
        """Keep this look, unless a file is so young that it could change again without showing it."""
        newest = max((ctime for *_, ctime, _ in self._signature), default=0)
        if newest < (self._began - _YOUNG) * 1e9:
            from planrail.repo.snapshot_records import write_whole

            try:
                write_whole(self._seen, encode(self._signature))
            except OSError:
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
    places = [f"{common_dir}/{name}" for name in _IN_COMMON_DIR]
    places += [f"{git_dir}/{name}" for name in (*_IN_GIT_DIR, *OPERATIONS)]
    for place in dict.fromkeys(places):
        _sign_below(place, found)
    return found


def _sign_below(place: str, found: "Signature") -> None:
    status = file_status(place)
    if status is None:
        return
    mode, size, mtime, ctime, number = status
    found.append((place, mode, size, mtime, ctime, number))
    if mode & _KIND == _FOLDER:
        for name in sorted(posix.listdir(place)):
            below = f"{place}/{name}"
            if not f"{below}/".endswith(_OWN_FOLDERS):
                _sign_below(below, found)
