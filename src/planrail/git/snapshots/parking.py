"""A copy of what changed while an agent planned, on a branch of its own, and its undoing on a person's approval.

A parked commit stands on the snapshot's, so `git show BRANCH` shows the changes and nothing else. Its message names all
that is no file: refs, HEAD, what was staged. Nothing in it comes from the clock, so the same changes give the same
commit, and are parked once.
"""

import os

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.git.git_writing import ask_git, run_git
from planrail.git.loose_objects import write_commit
from planrail.git.snapshots.content import describe_now, write_tree
from planrail.git.snapshots.look import GIT, TreeSnapshot
from planrail.git.snapshots.model import TreeChanges
from planrail.git.snapshots.taking import commit_index, stash_entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.undo import Undone

PARKED = "refs/heads/planrail/parked/"
KEPT = "refs/planrail/kept/"
_MOST_BRANCHES = 10_000
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def park(snapshot: TreeSnapshot, changes: TreeChanges, label: str) -> tuple[str, str]:
    """Copy the changes to a new branch `planrail/parked/LABEL-N`; the same changes again give the same branch.

    Returns the branch and the commit that it stands on, which is another for other changes. Neither the index nor HEAD
    nor a file is touched. Outside git there is nowhere to park: twice "".
    """
    if snapshot.kind != GIT or not changes:
        return "", ""
    commit = _write_parked(snapshot, changes)
    for name, oid, _ in _list_parked(snapshot.root):
        if oid == commit:
            return name, commit
    safe = "".join(sign if sign in _SAFE else "-" for sign in label) or "x"
    return _create_branch(snapshot.root, safe, commit), commit


def parked_branches(snapshot: TreeSnapshot) -> list[str]:
    if snapshot.kind != GIT:
        return []
    return [name for name, _, parent in _list_parked(snapshot.root) if parent == snapshot.commit]


def undo(snapshot: TreeSnapshot, changes: TreeChanges) -> "Undone":
    """Restore what changed to its state at entry, as far as a parked copy holds what is there now.

    What has changed again since, or cannot be restored, is left as it is and listed with the reason. Killed at any
    instant and run again, it finishes.
    """
    from planrail.git.snapshots.undo import Undone, undo_changes

    if snapshot.kind != GIT:
        return Undone([], [(file.path, file.reason) for file in changes.files])
    branches = parked_branches(snapshot)
    if changes and not branches:
        raise PlanrailError("nothing is undone before it is parked", remedy="planrail changes")
    return undo_changes(snapshot, changes, branches)


def _write_parked(snapshot: TreeSnapshot, changes: TreeChanges) -> str:
    root = snapshot.root
    paths = [file.path for file in changes.files if not file.path.endswith("/")]
    entries, kinds = describe_now(root, paths)
    temporary = f"{snapshot.index}.{os.getpid()}.park~"
    try:
        run_git(root, "read-tree", snapshot.commit, index=temporary)
        tree = write_tree(root, temporary, entries)
    finally:
        for left in (temporary, f"{temporary}.lock"):
            if os.path.exists(left):
                os.unlink(left)
    parents = [snapshot.commit, *_new_commits(snapshot, changes)]
    message = render_message(snapshot, changes, kinds.unread)
    return write_commit(snapshot.common_dir, tree, dict.fromkeys(parents), message, int(snapshot.taken_at))


def _new_commits(snapshot: TreeSnapshot, changes: TreeChanges) -> list[str]:
    """What refs stand on now, and what is staged: held by the parked commit, so that undoing loses none of it."""
    moved = [*changes.refs, *([changes.head] if changes.head else [])]
    oids = [change.now for change in moved if change.now and not change.now.startswith("ref")]
    kept = [oid for oid in oids if (ask_git(snapshot.root, "cat-file", "-t", oid) or "").strip() == "commit"]
    for oid in set(oids) - set(kept):
        run_git(snapshot.root, "update-ref", f"{KEPT}{oid}", oid)  # a tag's own object: no commit can hold it
    if changes.stash:
        kept += stash_entries(snapshot.common_dir)
    if changes.index:
        kept += commit_index(snapshot, os.path.join(snapshot.git_dir, "index"))
    return kept


def render_message(snapshot: TreeSnapshot, changes: TreeChanges, unread: dict[str, str]) -> str:
    """What was parked, for people; and in trailers, for undoing, what is no file."""
    count = len(changes.files)
    lines = [f"parked by planrail: {count} path{'' if count == 1 else 's'} changed while planning", ""]
    for file in changes.files:
        name, reason = file.path if file.path.isprintable() else ascii(file.path), unread.get(file.path, file.reason)
        lines.append(f"{file.kind:<9} {name}" + (f" (not copied: {reason})" if reason else ""))
    lines += [f"settings  {name} (not copied)" for name in changes.settings]
    lines += ["", f"Planrail-Snapshot: {snapshot.name}"]
    moved = (*changes.refs, *((changes.head,) if changes.head else ()))
    lines += [f"Planrail-Ref: {ref.name}\t{ref.was or '-'}\t{ref.now or '-'}" for ref in moved]
    lines += [f"Planrail-Index: {changes.index}"] if changes.index else []
    lines += [f"Planrail-Stash: {changes.stash}"] if changes.stash else []
    return "\n".join(lines) + "\n"


def _list_parked(root: str) -> "Sequence[tuple[str, str, str]]":
    """Each parked branch: its name, its commit, and the commit of the snapshot it stands on."""
    lines = run_git(root, "for-each-ref", "--format=%(refname) %(objectname) %(parent)", PARKED).splitlines()
    fields = (line.split(" ") for line in lines)
    return [(name.removeprefix("refs/heads/"), oid, *parents[:1]) for name, oid, *parents in fields if parents]  # type: ignore[misc]


def _create_branch(root: str, label: str, commit: str) -> str:
    """A new branch: created only where there is none of the name, also while another process creates one."""
    for number in range(1, _MOST_BRANCHES):
        name, problem = f"{PARKED}{label}-{number}", None
        try:
            run_git(root, "update-ref", name, commit, "")
        except ToolFailed as error:
            problem = error
        standing = (ask_git(root, "rev-parse", "-q", "--verify", name) or "").strip()
        if standing == commit:
            return name.removeprefix("refs/heads/")
        if problem and not standing:
            raise problem
    raise ToolFailed(f"there are {_MOST_BRANCHES:,} parked branches", remedy="git branch --list 'planrail/parked/*'")
