"""Taking a snapshot of a working tree of git, without touching its index, its stash, its refs or a file.

The files that no commit holds (changed, or untracked and not ignored) go into the object store through an index file of
planrail's own, which is kept: `git status` against that index tells later what has changed since. A ref of planrail's
own, `refs/planrail/snapshots/NAME`, keeps the content from being collected.
"""

import os

from planrail.base.errors import ToolFailed
from planrail.base.whole_files import read_whole
from planrail.git.git_writing import ask_git, ask_status, join_paths, run_git
from planrail.git.loose_objects import write_commit
from planrail.git.snapshots.content import describe_now, write_tree
from planrail.git.snapshots.controls import LIST_INDEX, read_state
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import save_snapshot
from planrail.git.snapshots.signature import Watch, file_status
from planrail.git.status import Row, parse_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

SNAPSHOT_REFS = "refs/planrail/snapshots/"
STAGED = "what was staged\n"
VIEW_FILES = ("HEAD", "commondir")
_TRIES = 3


def take_git_snapshot(draft: TreeSnapshot) -> TreeSnapshot:
    """Fill in a draft that says where the repository is, and keep it. A tree that does not hold still is retried."""
    for turn in range(_TRIES):
        try:
            return _take(draft)
        except ToolFailed:
            if turn == _TRIES - 1:
                raise
    raise AssertionError("unreachable")


def _take(draft: TreeSnapshot) -> TreeSnapshot:
    root, index, at = draft.root, draft.index, int(draft.taken_at)
    watch = Watch(draft.git_dir, draft.common_dir, draft.seen)
    _copy_index(draft)
    listed = run_git(root, *LIST_INDEX, index=index)
    draft.state = read_state(draft, listed)
    _forget_flags(root, index, listed)
    rest = _list_differences(root, index)
    changed = [difference.path for difference in rest if difference.later != "!"]
    entries, kinds = describe_now(root, [path.rstrip("/") for path in changed])
    _bring_up_to_date(root, index, changed, dict(kinds.unread))
    staged = run_git(root, "write-tree", index=index).strip()  # the index has the trees then that status compares by
    tree = _with_copy(index, lambda copy: write_tree(root, copy, entries)) if entries else staged
    message = f"the working tree when planning began\n\nPlanrail-Snapshot: {draft.name}\n"
    draft.commit = write_commit(draft.common_dir, tree, [draft.head] if draft.head else [], message, at)
    if changed:
        # Whatever the index still does not describe could not be taken: it is known by its status alone.
        rest = _list_differences(root, index)
        kept = commit_index(draft, draft.users_index)
    else:
        kept = [write_commit(draft.common_dir, staged, [draft.commit], STAGED, at)] if listed else []
    left = [difference.path for difference in rest if difference.later != "!"]
    unread = {path: file_status(os.path.join(root, path)) for path in left}
    draft.perms = kinds.perms
    draft.unread = {path: status for path, status in unread.items() if status is not None}
    draft.ignored = [difference.path for difference in rest if difference.later == "!"]
    draft.view = _make_view(draft)
    draft.stash_log, draft.excludes = (
        os.fsdecode(read_whole(os.path.join(draft.common_dir, name)) or b"")
        for name in ("logs/refs/stash", "info/exclude")
    )
    draft.notes = [f"{path} was not copied: {kinds.unread.get(path.rstrip('/'), 'it was changing')}" for path in left]
    _keep(draft, tree, kept)
    save_snapshot(draft)
    watch.remember()
    return draft


def _list_differences(root: str, index: str) -> list[Row]:
    return [row for row in parse_status(ask_status(root, index)) if row.later != "."]


def _copy_index(draft: TreeSnapshot) -> None:
    """Copy the user's index, its time included: git judges by it which files it cannot trust to be unchanged."""
    users = os.path.join(draft.git_dir, "index")
    for copy in (draft.index, draft.users_index):
        if os.path.exists(users):
            _copy(users, copy)
        elif os.path.exists(copy):
            os.unlink(copy)
    if os.path.exists(f"{draft.index}.lock"):
        os.unlink(f"{draft.index}.lock")  # of a snapshot that was killed; the name is planrail's own


def _copy(source: str, target: str) -> None:
    import shutil  # dearer than all else here, and not needed to park

    shutil.copy2(source, target)


def _forget_flags(root: str, index: str, listed: str) -> None:
    """In planrail's copy no file is taken for unchanged, or left out, on the strength of a flag."""
    entries = listed.split("\0")
    flagged = [entry.partition("\t")[2] for entry in entries if entry[:1].islower() or entry[:1] == "S"]
    for option in ("--no-assume-unchanged", "--no-skip-worktree") if flagged else ():
        run_git(root, "update-index", option, "-z", "--stdin", index=index, data=join_paths(flagged))


def _bring_up_to_date(root: str, index: str, changed: list[str], unread: dict[str, str]) -> None:
    taken = [path.rstrip("/") for path in changed if path.rstrip("/") not in unread]
    taken += [path for path, _ in unread.items() if _has_commit(root, path)]
    left = [path for path in unread if path not in taken]
    for option, paths in (("--force-remove", left), ("--replace", taken)):
        if paths:
            options = ("--add", "--remove", option)
            run_git(root, "update-index", *options, "-z", "--stdin", index=index, data=join_paths(paths))


def _has_commit(root: str, path: str) -> bool:
    """Whether a path is a repository of its own that stands on a commit: then the commit stands for it."""
    place = os.path.join(root, path)
    if not os.path.exists(os.path.join(place, ".git")):
        return False
    return ask_git(place, "rev-parse", "-q", "--verify", "HEAD^{commit}") is not None


def _with_copy(index: str, ask: "Callable[[str], T]") -> "T":
    """What is found out with a copy of an index, which may be changed by that."""
    temporary = f"{index}.{os.getpid()}~"
    _copy(index, temporary)
    try:
        return ask(temporary)
    finally:
        os.unlink(temporary)


def _make_view(draft: TreeSnapshot) -> str:
    """A git directory as that of a linked working tree, in which HEAD is the snapshot; "" where it would not do."""
    if any(os.path.exists(place) for place in (f"{draft.git_dir}/config.worktree", f"{draft.common_dir}/reftable")):
        return ""  # settings for this working tree alone, and refs that are not in files, are not found from there
    view = f"{draft.folder}/{draft.name}.git"
    os.makedirs(view, mode=0o700, exist_ok=True)
    for name, text in zip(VIEW_FILES, (draft.commit, draft.common_dir), strict=True):
        with open(f"{view}/{name}", "wb") as file:
            file.write(os.fsencode(f"{text}\n"))
    return view


def commit_index(snapshot: TreeSnapshot, users: str) -> list[str]:
    """A commit of what an index holds, so that it is not collected. None in the middle of a conflict."""
    if not os.path.exists(users):
        return []
    tree = _with_copy(users, lambda copy: ask_git(snapshot.root, "write-tree", index=copy))
    at = int(snapshot.taken_at)
    return [write_commit(snapshot.common_dir, tree.strip(), [snapshot.commit], STAGED, at)] if tree else []


def _keep(draft: TreeSnapshot, tree: str, staged: list[str]) -> None:
    """One ref holds on to the files, to what was staged, and to all that a branch or the stash stood on."""
    refs, head = draft.state["refs"].items(), draft.state["head"]
    tips = [oid for name, oid in refs if name.startswith("refs/heads/") and not oid.startswith("refs/")]
    tips += [*stash_entries(draft.common_dir), *([] if head.startswith("ref: ") else [head])]
    parents = dict.fromkeys((draft.commit, *staged, *tips))
    message = f"planrail snapshot {draft.name}\n"
    keeper = write_commit(draft.common_dir, tree, parents, message, int(draft.taken_at))
    run_git(draft.root, "update-ref", SNAPSHOT_REFS + draft.name, keeper)


def stash_entries(common_dir: str) -> list[str]:
    """The commits of the stash, which are in its log alone but for the newest."""
    lines = (read_whole(os.path.join(common_dir, "logs/refs/stash")) or b"").splitlines()
    return [line.split(b" ")[1].decode() for line in lines if line.count(b" ") > 1]
