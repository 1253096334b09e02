"""Agents only read. What changed in the tree all the same is told, with a copy of it parked on a branch."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import clip, name_some, plural, quote
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.snapshots.look import TreeSnapshot, load_snapshot
from planrail.git.snapshots.model import FileChange, RefChange, TreeChanges, snapshots_folder
from planrail.git.snapshots.parking import park
from planrail.git.snapshots.snapshots import compare, drop_snapshot, take_snapshot
from planrail.store.places import ledger_folder
from planrail.tasks.context.context import Context
from planrail.tasks.context.looks import from_here
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.watching.own_changes import OwnWork, foreign_notes, read_commits

Entries = dict[str, list[str]]
_RUNS = "refs/heads/planrail/"  # branches on which runs keep their work
_STASH = "refs/stash"  # it is compared by its log
_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag"}
_MOST_NAMED = 3  # commits and files that are named
_MOST = 6  # changes that are named
_UNABLE = "changes of the tree cannot be detected"
_LOOKS, _PAUSE = 3, 0.4  # seconds between two looks


@record
class ForeignChanges:
    """What is not planrail's own: changes that can be taken back, and in words what can only be told."""

    changes: TreeChanges
    told: Sequence[str] = ()
    is_about_tasks: bool = False  # of documents of tasks


def remember_tree(context: Context, folder: StageFolder, now: float) -> tuple[StageFolder, str]:
    """Keep the state of the tree until it is compared; and what a person should know about that."""
    if folder.text("snapshot"):  # by a call that was killed: what changed since then counts too
        return folder, ""
    name = f"task-{folder.order.number}-{folder.order.stage}-{context.session}"
    about = {"session": name, "agent": folder.text("agent"), "taken_at": now}
    try:
        with _between_landings(context):
            taken = take_snapshot(context.root, snapshots_folder(), name, **about)  # type: ignore[arg-type]
    except (PlanrailError, OSError) as error:  # the stage goes on all the same: the guard holds
        return folder, f"{_UNABLE}: {error}"
    return folder.note(snapshot=taken.name), "; ".join(foreign_notes(context, taken))


def compare_tree(context: Context, folder: StageFolder) -> tuple[StageFolder, list[str]]:
    """What has changed meanwhile, but for what planrail did itself: lines, each told once.

    A snapshot that no file speaks against is let go of; the other one stays, so that a person can undo.
    """
    name, told = folder.text("snapshot"), list[str]()
    if not name:
        return folder, []
    try:
        if os.path.exists(os.path.join(snapshots_folder(), f"{name}.json")):
            snapshot = load_snapshot(snapshots_folder(), name)
            found = _find(context, snapshot)
            if found.changes:
                told.append(_report(context, snapshot, found.changes, name))
            else:
                drop_snapshot(snapshot)
            told += [f"changed meanwhile: {'; '.join(found.told)}"] if found.told else []
    except (PlanrailError, OSError) as error:
        told = [f"the tree could not be compared: {error}"]
    return folder.note(snapshot=""), told


def _find(context: Context, snapshot: TreeSnapshot) -> ForeignChanges:
    """What is not planrail's own. What another of its processes is just writing is known a moment later."""
    found = _look(context, snapshot)
    for _ in range(_LOOKS):
        if not found.is_about_tasks:
            break
        time.sleep(_PAUSE)
        found = _look(context, snapshot)
    return found


def _look(context: Context, snapshot: TreeSnapshot) -> ForeignChanges:
    with _between_landings(context):
        changes = compare(snapshot)
        if not changes:
            return ForeignChanges(changes)
        own = OwnWork(context, snapshot)
        foreign, unsure = own.sort_files(changes.files)
        told = tell_git(own, snapshot, changes)
    if unsure:
        names = ", ".join(_type(context, snapshot, file) for file in unsure[:_MOST])
        told.append(f"{names}, which planrail may have written itself")
    is_about_tasks = any(own.is_document(file.path) for file in (*foreign, *unsure))
    left = replace(changes, files=foreign, refs=[], head=None, index="")
    return ForeignChanges(left, told, is_about_tasks=is_about_tasks)


def _between_landings(context: Context) -> AbstractContextManager[None]:
    """While this is open nothing lands: half of a landing would look like the work of an agent."""
    return hold(os.path.join(ledger_folder(context.root), "repository.lock"))


def _report(context: Context, snapshot: TreeSnapshot, changes: TreeChanges, label: str) -> str:
    branch, _ = park(snapshot, changes, label)
    parked = f"; a copy is parked on the branch {branch}" if branch else ""
    listed = [f"{file.kind} {_type(context, snapshot, file)}" for file in changes.files]
    listed += [*map(str, changes.settings), *(["the stash"] if changes.stash else [])]
    undo = f"planrail undo --session {quote(snapshot.session)}"
    return (
        f"the tree has changed since the stage began: {name_some(listed, _MOST)}{parked}. "
        f"If a person made these changes, all is well; else they can be taken back: {undo}"
    )


def _type(context: Context, snapshot: TreeSnapshot, file: FileChange) -> str:
    return from_here(context, os.path.join(snapshot.root, file.path))


def tell_git(own: OwnWork, snapshot: TreeSnapshot, changes: TreeChanges) -> list[str]:
    told = [text for ref in changes.refs if (text := _tell_ref(own, snapshot.root, ref))]
    if changes.head is not None:
        told.append(f"HEAD is on {changes.head.now.removeprefix('ref: ').removeprefix('refs/heads/')} now")
    if changes.index:
        staged = find_staged(snapshot, is_elsewhere=changes.head is not None)
        told += [f"staged otherwise: {name_some(staged, _MOST_NAMED)}"] if staged else []
    return told


def _tell_ref(own: OwnWork, root: str, ref: RefChange) -> str:
    if ref.name.startswith(_RUNS) or ref.name == _STASH:
        return ""
    kind = next((beginning for beginning in _KINDS if ref.name.startswith(beginning)), "")
    name = f"the {_KINDS[kind]} {ref.name.removeprefix(kind)}" if kind else ref.name
    if not ref.was or not ref.now:
        return f"{name} is {'gone' if ref.was else 'new'}"
    is_forward = kind == "refs/heads/" and ask_git(root, "merge-base", "--is-ancestor", ref.was, ref.now) is not None
    if not is_forward:
        return f"{name} was moved"
    commits = read_commits(root, ref.was, ref.now)
    if commits is None:
        return f"many commits on {name}"
    foreign = [commit for commit in commits if not own.is_own(commit)]
    named = [f"{commit.id[:8]} {clip(commit.message.partition(chr(10))[0], 60)}" for commit in foreign]
    return f"{plural(len(foreign), 'commit')} on {name} ({name_some(named, _MOST_NAMED)})" if foreign else ""


def find_staged(snapshot: TreeSnapshot, *, is_elsewhere: bool) -> list[str]:
    """The files whose entries in the index have changed, but for those that a commit has changed along with them.

    `is_elsewhere`: another branch was checked out, and with it all that is committed there.
    """
    root, before = snapshot.root, snapshot.head
    then, now = _read_index(root, snapshot.users_index), _read_index(root)
    tree: Entries = {}
    for about, path in _rows(ask_git(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD") or ""):
        mode, _, name = about.split(" ")
        tree[path] = [f"H {mode} {name} 0"]
    since = ("diff-tree", "-r", "--name-only", "-z", before, "HEAD")
    committed = (ask_git(root, *since) or "").split("\0") if before else [*tree]
    changed = [path for path in sorted({*then, *now}) if then.get(path) != now.get(path)]
    with_commit = [path for path in changed if is_elsewhere or path in committed]
    return [path for path in changed if path not in with_commit or now.get(path, []) != tree.get(path, [])]


def _read_index(root: str, index: str | None = None) -> Entries:
    found: Entries = {}
    for about, path in _rows(run_git(root, "ls-files", "-z", "--stage", "-v", index=index)):
        found.setdefault(path, []).append(about)
    return found


def _rows(said: str) -> Iterator[tuple[str, str]]:
    for line in said.split("\0"):
        about, _, path = line.partition("\t")
        if path:
            yield about, path
