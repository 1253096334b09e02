"""Undoing what changed since a snapshot: first decided for each path and ref, then done, each in one step.

A path is touched only where a parked copy holds what is there now. So nothing is lost, and a run that was killed is
simply run again: what it had restored is no change any more.
"""

import os
import stat

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import run_git
from planrail.git.snapshots.content import describe_now
from planrail.git.snapshots.look import Snapshot
from planrail.git.snapshots.model import Changes, FileChange
from planrail.git.snapshots.parked import CHANGED_AGAIN, GONE, Parked, Undone, read_parked
from planrail.git.snapshots.restoring import permissions_at, remove_file, write_file, write_link
from planrail.git.snapshots.signature import file_status
from planrail.git.snapshots.undo_refs import undo_refs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Entry = tuple[str, str]

_LINK = "120000"
_NOT_OURS = "settings, hooks and unfinished operations of git are reported, not restored"


@record
class Step:
    """Bring one path to the state it had; `status` is what it looked like when that was decided, None if gone."""

    path: str
    mode: str
    oid: str
    status: list[int] | None


def undo_changes(snapshot: Snapshot, changes: Changes, branches: "Sequence[str]") -> Undone:
    """Restore what the parked branches cover; list the rest."""
    parked = read_parked(snapshot, branches)
    result = Undone([], [(name, _NOT_OURS) for name in changes.settings])
    undo_refs(snapshot, changes, parked, result)
    _undo_files(snapshot, changes.files, parked, result)
    return result


def decide_file(change: FileChange, was: "Entry", now: "Entry | None", parked: "set[Entry]") -> str:
    """Why a path must not be restored; "" where it may be."""
    if change.reason:
        return change.reason
    if now is None:
        return "it cannot be read"
    if now in (GONE, was) or now in parked:
        return ""
    return CHANGED_AGAIN


def _undo_files(snapshot: Snapshot, files: "Sequence[FileChange]", parked: Parked, result: Undone) -> None:
    root = snapshot.root
    paths = [file.path for file in files if not file.reason]
    looks = {path: file_status(os.path.join(root, path)) for path in paths}
    now, _ = describe_now(root, paths, keep=False)
    then = _read_tree(snapshot, paths)
    steps = []
    for file in files:
        was = then.get(file.path, GONE)
        problem = decide_file(file, was, now.get(file.path), parked.files.get(file.path, set()))
        if problem:
            result.left.append((file.path, problem))
        else:
            steps.append(Step(file.path, *was, looks[file.path] if now.get(file.path) != GONE else None))
    for step in _in_order(steps):
        _attempt(snapshot, step, result)


def _read_tree(snapshot: Snapshot, paths: "Sequence[str]") -> "dict[str, Entry]":
    if not paths:
        return {}
    found = {}
    for entry in run_git(snapshot.root, "ls-tree", "-r", "-z", "--full-tree", snapshot.commit).split("\0"):
        about, _, path = entry.partition("\t")
        if path:
            mode, _, oid = about.split(" ")
            found[path] = (mode, oid)
    return found


def _in_order(steps: "Iterable[Step]") -> list[Step]:
    """Removals first, so that nothing stands in the way; then what says how files are written; then the files."""
    return sorted(steps, key=lambda step: (bool(step.mode), not step.path.endswith(".gitattributes"), step.path))


def _attempt(snapshot: Snapshot, step: Step, result: Undone) -> None:
    now = file_status(os.path.join(snapshot.root, step.path))
    if now not in (step.status, None) and not (step.status is None and stat.S_ISDIR(now[0])):
        result.left.append((step.path, CHANGED_AGAIN))
        return
    try:
        _restore(snapshot, step)
    except (OSError, ToolFailed) as error:
        reason = error.message if isinstance(error, ToolFailed) else error.strerror or str(error)
        result.left.append((step.path, reason))
    else:
        result.restored.append(step.path)


def _restore(snapshot: Snapshot, step: Step) -> None:
    root, workshop = snapshot.root, os.path.join(snapshot.git_dir, "planrail")
    if not step.mode:
        remove_file(root, step.path)
        return
    is_exact = step.path in snapshot.perms or step.mode == _LINK
    how = ("blob",) if is_exact else ("--filters", f"--path={step.path}")
    data = os.fsencode(run_git(root, "cat-file", *how, step.oid))
    if step.mode == _LINK:
        write_link(root, step.path, data, workshop)
    else:
        perm = snapshot.perms.get(step.path)
        if perm is None:
            perm = permissions_at(root, step.path, is_program=step.mode == "100755")
        write_file(root, step.path, data, perm, workshop)
