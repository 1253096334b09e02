"""Undoing what changed since a snapshot: first decided for each path and ref, then done, each in one step.

A path, a ref, HEAD, the stash or what is staged is touched only where a parked copy holds what is there now. So nothing
is lost, and a run that was killed is simply run again: what it had restored is no change any more.
"""

import os
import stat
from functools import partial

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.whole_files import write_whole
from planrail.git.git_writing import list_tree, run_git
from planrail.git.snapshots.content import describe_now
from planrail.git.snapshots.controls import read_state
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import FileChange, RefChange, TreeChanges
from planrail.git.snapshots.restoring import permissions_at, remove_file, write_entry
from planrail.git.snapshots.signature import file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Entry = tuple[str, str]

GONE = ("", "")
CHANGED_AGAIN = "it has changed since it was parked; to park it as it is now: planrail changes --park"
_LINK = "120000"
_NOT_OURS = "settings, hooks and unfinished operations of git are reported, not restored"


@record
class Undone:
    """What was restored, and what was not, with the reason for each."""

    restored: list[str]
    left: list[tuple[str, str]]

    def note(self, name: str, problem: str) -> None:
        """Say what became of one thing; without a problem it was restored."""
        if problem:
            self.left.append((name, problem))
        else:
            self.restored.append(name)


@record
class Parked:
    """What parked copies hold: the states of paths, the values of refs and HEAD, the digests of index and stash."""

    files: "dict[str, set[Entry]]"
    values: dict[str, set[str]]


def read_parked(snapshot: TreeSnapshot, branches: "Sequence[str]") -> Parked:
    parked = Parked({}, {})
    for branch in branches:
        ref = f"refs/heads/{branch}"
        fields = run_git(snapshot.root, "diff-tree", "-r", "-z", "--no-renames", snapshot.commit, ref).split("\0")
        for about, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, oid, letter = about.split(" ")
            parked.files.setdefault(path, set()).add(GONE if letter == "D" else (mode, oid))
        for line in run_git(snapshot.root, "log", "-1", "--format=%B", ref).splitlines():
            key, _, value = line.partition(": ")
            if key == "Planrail-Ref":
                name, _, now = value.split("\t")
                parked.values.setdefault(name, set()).add("" if now == "-" else now)
            elif key in ("Planrail-Index", "Planrail-Stash"):
                parked.values.setdefault(key, set()).add(value)
    return parked


def undo_changes(snapshot: TreeSnapshot, changes: TreeChanges, branches: "Sequence[str]") -> Undone:
    """Restore what the parked branches cover; list the rest."""
    parked = read_parked(snapshot, branches)
    result = Undone([], [(name, _NOT_OURS) for name in changes.settings])
    if changes.refs or changes.head or changes.index or changes.stash:
        _undo_state(snapshot, changes, parked, result)
    _undo_files(snapshot, changes.files, parked, result)
    return result


# ------------------------------------------------------------------------------------------------------------ git's own


def _undo_state(snapshot: TreeSnapshot, changes: TreeChanges, parked: Parked, result: Undone) -> None:
    """Bring back HEAD, the refs, the stash and the index, as far as a parked copy holds what they are now."""
    now, then = read_state(snapshot), snapshot.state

    def attempt(name: str, key: str, values: tuple[str, str], act: "Callable[[], None]") -> None:
        result.note(name, decide_value(*values, parked.values.get(key, set())) or _try(act))

    for change in (*((changes.head,) if changes.head else ()), *changes.refs):
        value = now["head"] if change.name == "HEAD" else now["refs"].get(change.name, "")
        attempt(change.name, change.name, (value, change.was), partial(_move, snapshot.root, change, value))
    if changes.stash:
        values = (now["stash"] or "empty", then["stash"] or "empty")
        attempt("stash", "Planrail-Stash", values, partial(_restore_stash, snapshot))
    if changes.index:
        attempt("index", "Planrail-Index", (now["index"], then["index"]), partial(_restore_index, snapshot))


def decide_value(now: str, was: str, parked: "set[str]") -> str:
    """Why a ref, HEAD, the index or the stash must not be brought back; "" where it may be."""
    return "" if now == was or now in parked else CHANGED_AGAIN


def _try(act: "Callable[[], None]") -> str:
    try:
        act()
    except ToolFailed as error:
        return error.message
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _move(root: str, change: RefChange, value: str) -> None:
    """Bring a ref back, only where it still is what was decided upon."""
    if value == change.was:
        return
    expected = () if value.startswith("refs/") or change.name == "HEAD" else (value,)
    reason = ("-m", "planrail undo")
    if change.was.startswith("ref: ") or (change.name != "HEAD" and change.was.startswith("refs/")):
        run_git(root, "symbolic-ref", *reason, change.name, change.was.removeprefix("ref: "))
    elif change.name != "HEAD" and not change.was:
        run_git(root, "update-ref", "--no-deref", "-d", change.name, *expected)
    else:
        run_git(root, "update-ref", "--no-deref", *reason, change.name, change.was, *expected)


def _restore_stash(snapshot: TreeSnapshot) -> None:
    """The entries of the stash are the lines of its log; the ref itself is restored with the others."""
    place = os.path.join(snapshot.common_dir, "logs/refs/stash")
    if snapshot.stash_log:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        write_whole(place, os.fsencode(snapshot.stash_log), mode=0o666)
    elif os.path.exists(place):
        os.unlink(place)


def _restore_index(snapshot: TreeSnapshot) -> None:
    """Put the index of the entry back, under git's own lock, its time included.

    git reads again the files that are as young as the index. Were it younger than at entry, git would take a file that
    was changed in the second in which it was staged, to as many bytes, for one that is as staged.
    """
    place, source = os.path.join(snapshot.git_dir, "index"), snapshot.users_index
    try:
        descriptor = os.open(f"{place}.lock", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
    except FileExistsError:
        raise ToolFailed(f"{place}.lock is there: another git is at work, or was killed", remedy="try again") from None
    try:
        with open(descriptor, "wb") as lock:
            if os.path.exists(source):
                with open(source, "rb") as copy:
                    lock.write(copy.read())
                    status = os.fstat(copy.fileno())
                lock.flush()
                os.utime(lock.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
                os.fsync(lock.fileno())
        if os.path.exists(source):
            os.replace(f"{place}.lock", place)
        elif os.path.exists(place):
            os.unlink(place)
    finally:
        if os.path.exists(f"{place}.lock"):
            os.unlink(f"{place}.lock")


# ---------------------------------------------------------------------------------------------------------------- files


@record
class Restoration:
    """Bring one path to the state it had; `status` is what it looked like when that was decided, None if gone."""

    path: str
    mode: str
    oid: str
    status: list[int] | None


def decide_file(change: FileChange, was: "Entry", now: "Entry | None", parked: "set[Entry]") -> str:
    """Why a path must not be restored; "" where it may be."""
    if change.reason:
        return change.reason
    if now is None:
        return "it cannot be read"
    return "" if now in (GONE, was) or now in parked else CHANGED_AGAIN


def _undo_files(snapshot: TreeSnapshot, files: "Sequence[FileChange]", parked: Parked, result: Undone) -> None:
    root = snapshot.root
    paths = [file.path for file in files if not file.reason]
    looks = {path: file_status(os.path.join(root, path)) for path in paths}
    now, _ = describe_now(root, paths, keep=False)
    then = list_tree(root, snapshot.commit) if paths else {}
    steps = []
    for file in files:
        was = then.get(file.path, GONE)
        problem = decide_file(file, was, now.get(file.path), parked.files.get(file.path, set()))
        if problem:
            result.left.append((file.path, problem))
        else:
            steps.append(Restoration(file.path, *was, looks[file.path] if now.get(file.path) != GONE else None))
    # Removals first, so that nothing stands in the way; then what says how files are written; then the files.
    steps.sort(key=lambda step: (bool(step.mode), not step.path.endswith(".gitattributes"), step.path))
    for step in steps:
        result.note(step.path, _attempt(snapshot, step))


def _attempt(snapshot: TreeSnapshot, step: Restoration) -> str:
    now = file_status(os.path.join(snapshot.root, step.path))
    if now not in (step.status, None) and not (step.status is None and stat.S_ISDIR(now[0])):
        return CHANGED_AGAIN
    return _try(partial(_restore, snapshot, step))


def _restore(snapshot: TreeSnapshot, step: Restoration) -> None:
    root, workshop = snapshot.root, os.path.join(snapshot.git_dir, "planrail")
    if not step.mode:
        remove_file(root, step.path)
        return
    is_exact = step.path in snapshot.perms or step.mode == _LINK
    how = ("blob",) if is_exact else ("--filters", f"--path={step.path}")
    data = os.fsencode(run_git(root, "cat-file", *how, step.oid))
    perm = None if step.mode == _LINK else snapshot.perms.get(step.path)
    if perm is None and step.mode != _LINK:
        perm = permissions_at(root, step.path, is_program=step.mode == "100755")
    write_entry(root, step.path, data, perm, workshop)
