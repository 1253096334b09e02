"""Bringing back what git itself keeps: HEAD, refs, the stash, what was staged; each only from a parked value."""

import os
from functools import partial

from planrail.base.errors import ToolFailed
from planrail.base.whole_files import write_whole
from planrail.git.git_writing import run_git
from planrail.git.snapshots.controls import read_state
from planrail.git.snapshots.look import Snapshot
from planrail.git.snapshots.model import Changes, RefChange
from planrail.git.snapshots.parked import CHANGED_AGAIN, Parked, Undone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO


def undo_refs(snapshot: Snapshot, changes: Changes, parked: Parked, result: Undone) -> None:
    """Bring back HEAD, the refs, the stash and the index, as far as a parked copy holds what they are now."""
    if not (changes.refs or changes.head or changes.index or changes.stash):
        return
    now, then = read_state(snapshot), snapshot.state
    for change in (*((changes.head,) if changes.head else ()), *changes.refs):
        value = now["head"] if change.name == "HEAD" else now["refs"].get(change.name, "")
        problem = decide_value(value, change.was, _held(parked, change.name))
        _note(result, change.name, problem or _try(partial(_move, snapshot, change, value)))
    if changes.stash:
        problem = decide_value(now["stash"] or "empty", then["stash"] or "empty", _held(parked, "Planrail-Stash"))
        _note(result, "stash", problem or _try(partial(_restore_stash, snapshot)))
    if changes.index:
        problem = decide_value(now["index"], then["index"], _held(parked, "Planrail-Index"))
        _note(result, "index", problem or _try(partial(_restore_index, snapshot)))


def decide_value(now: str, was: str, parked: "set[str]") -> str:
    """Why a ref, HEAD, the index or the stash must not be brought back; "" where it may be."""
    return "" if now == was or now in parked else CHANGED_AGAIN


def _held(parked: Parked, key: str) -> set[str]:
    return parked.values.get(key, set())


def _note(result: Undone, name: str, problem: str) -> None:
    if problem:
        result.left.append((name, problem))
    else:
        result.restored.append(name)


def _try(act: "Callable[[], None]") -> str:
    try:
        act()
    except ToolFailed as error:
        return error.message
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _move(snapshot: Snapshot, change: RefChange, value: str) -> None:
    """Bring a ref back, only where it still is what was decided upon."""
    root = snapshot.root
    if value == change.was:
        return
    if change.name == "HEAD" and change.was.startswith("ref: "):
        run_git(root, "symbolic-ref", "-m", "planrail undo", "HEAD", change.was.removeprefix("ref: "))
    elif change.name == "HEAD":
        run_git(root, "update-ref", "--no-deref", "-m", "planrail undo", "HEAD", change.was)
    elif change.was.startswith("refs/"):
        run_git(root, "symbolic-ref", "-m", "planrail undo", change.name, change.was)
    elif not change.was:
        expected = () if value.startswith("refs/") else (value,)
        run_git(root, "update-ref", "--no-deref", "-d", change.name, *expected)
    else:
        expected = () if value.startswith("refs/") else (value,)
        run_git(root, "update-ref", "--no-deref", "-m", "planrail undo", change.name, change.was, *expected)


def _restore_stash(snapshot: Snapshot) -> None:
    """The entries of the stash are the lines of its log; the ref itself is restored with the others."""
    place = os.path.join(snapshot.common_dir, "logs/refs/stash")
    if snapshot.stash_log:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        write_whole(place, os.fsencode(snapshot.stash_log), mode=0o666)
    elif os.path.exists(place):
        os.unlink(place)


def _restore_index(snapshot: Snapshot) -> None:
    """Put the index of the entry back, under git's own lock."""
    place = os.path.join(snapshot.git_dir, "index")
    try:
        descriptor = os.open(f"{place}.lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    except FileExistsError:
        raise ToolFailed(f"{place}.lock is there: another git is at work, or was killed", remedy="try again") from None
    try:
        with open(descriptor, "wb") as lock:
            if os.path.exists(snapshot.users_index):
                _fill_index(lock, snapshot.users_index)
        if os.path.exists(snapshot.users_index):
            os.replace(f"{place}.lock", place)
        elif os.path.exists(place):
            os.unlink(place)
    finally:
        if os.path.exists(f"{place}.lock"):
            os.unlink(f"{place}.lock")


def _fill_index(lock: "BinaryIO", source: str) -> None:
    """Copy an index, its time included.

    git reads again the files that are as young as the index. Were it younger than at entry, git would take a file that
    was changed in the second in which it was staged, to as many bytes, for one that is as staged.
    """
    with open(source, "rb") as copy:
        lock.write(copy.read())
        status = os.fstat(copy.fileno())
    lock.flush()
    os.utime(lock.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
    os.fsync(lock.fileno())
