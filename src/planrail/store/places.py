"""Where the ledger of a repository lies: in its git common directory, which all worktrees share, else in the state.

git is not asked: `.git` is a folder, or a file that names one, and that is all there is to know. Files there are made
for their owner alone, changed by one process at a time, and written whole or not at all.
"""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Mapping

from planrail.base.crash_points import reach
from planrail.base.primed import common_directory as common_directory  # hooks need it too, and import little
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import read_whole

LEDGER = "ledger.db"
SPOOL = "spool.jsonl"  # facts that wait for the ledger


def ledger_folder(root: str | None, environment: Mapping[str, str] | None = None) -> str:
    """The folder of the ledger for a root (None: plans that lie in no repository). It need not be there yet."""
    values = os.environ if environment is None else environment
    common = common_directory(root) if root is not None else None
    if common is not None and not values.get("PLANRAIL_STATE_DIR"):
        return os.path.join(common, "planrail")
    place = common or (os.path.realpath(root) if root is not None else "")
    return os.path.join(state_folder(values), "ledgers", hash_place(place))


def count_waiting(folder: str) -> int:
    return sum(1 for line in (read_whole(os.path.join(folder, SPOOL)) or b"").split(b"\n") if line.strip())


def is_there(path: str) -> bool:
    """Whether there is such a file or folder. What may not be looked at is not taken for nothing: `ToolFailed`."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        from planrail.store.failures import closed

        raise closed(path, error.strerror or "") from error
    return True


def make_private(folder: str) -> None:
    """Make the folder, for its owner alone."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if os.stat(folder).st_mode & 0o077:
        os.chmod(folder, 0o700)


def hash_place(place: str) -> str:
    """A short name for a place; that of none is `none`."""
    import hashlib

    return hashlib.sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:32] if place else "none"


@contextlib.contextmanager
def locked(path: str, flags: int = os.O_RDWR | os.O_CREAT) -> Iterator[int]:
    """Be the one process that has a file, which is open meanwhile."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def write_synced(path: str, text: str) -> None:
    """Write a file that is on the disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def replace_file(path: str, text: str, crash_point: str = "") -> None:
    """Write a file whose content and existence become visible together, and are on the disk when this returns."""
    temporary = f"{path}.tmp"  # always the same name: what a crash left is overwritten, by the holder of the lock
    try:
        write_synced(temporary, text)
        if crash_point:
            reach(crash_point)
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    sync_folder(os.path.dirname(path))


def sync_folder(folder: str) -> None:
    """Have on the disk which files a folder has."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
