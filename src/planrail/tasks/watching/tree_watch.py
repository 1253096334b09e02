"""Agents only read. What changed in the tree all the same is told, with a copy of it parked on a branch."""

import os
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager

from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.base.wording import clip, name_some, plural, quote
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.snapshots.look import Snapshot, load_snapshot
from planrail.git.snapshots.model import Changes, FileChange, RefChange
from planrail.git.snapshots.parking import park_changes
from planrail.git.snapshots.snapshots import compare, drop_snapshot, take_snapshot
from planrail.store.places import ledger_folder
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.looks import from_here
from planrail.tasks.stage_folders import StageFolder
from planrail.tasks.watching.own_changes import OwnWork, foreign_notes, head_of, read_commits

Entries = dict[str, list[str]]
_RUNS = "refs/heads/planrail/"  # branches on which runs keep their work
_STASH = "refs/stash"  # it is compared by its log
_KINDS = {"refs/heads/": "branch", "refs/tags/": "tag"}
_MOST_NAMED = 3  # commits and files that are named
_MOST = 6  # changes that are named
_UNABLE = "changes of the tree cannot be detected"
_LOOKS, _PAUSE = 3, 0.4  # seconds between two looks


@record
class Found:
    """What is not planrail's own: changes that can be taken back, and in words what can only be told."""

    changes: Changes
    told: Sequence[str] = ()
    is_about_tasks: bool = False  # of documents of tasks


def remember_tree(desk: Desk, folder: StageFolder, now: float) -> tuple[StageFolder, str]:
    """Keep the state of the tree until it is compared; and what a person should know about that."""
    if folder.text("snapshot"):  # by a call that was killed: what changed since then counts too
        return folder, ""
    name = f"task-{folder.order.number}-{folder.order.stage}-{desk.session}"
    about = {"session": name, "agent": folder.text("agent"), "taken_at": now}
    try:
        with _between_landings(desk):
            taken = take_snapshot(desk.root, _place(), name, **about)  # type: ignore[arg-type]
    except (PlanrailError, OSError) as error:  # the stage goes on all the same: the guard holds
        return folder, f"{_UNABLE}: {error}"
    return folder.note(snapshot=taken.name), "; ".join(foreign_notes(desk, taken))


def compare_tree(desk: Desk, folder: StageFolder) -> tuple[StageFolder, list[str]]:
    """What has changed meanwhile, but for what planrail did itself: lines, each told once."""
    told = _compare(desk, folder)
    return (folder.note(snapshot="") if folder.text("snapshot") else folder), told


def _compare(desk: Desk, folder: StageFolder) -> list[str]:
    """A snapshot that no file speaks against is let go of; the other one stays, so that a person can undo."""
    name = folder.text("snapshot")
    if not name or not os.path.exists(os.path.join(_place(), f"{name}.json")):
        return []
    try:
        snapshot = load_snapshot(_place(), name)
        found = _find(desk, snapshot)
        told = [_report(desk, snapshot, found.changes, name)] if found.changes else []
        if not found.changes:
            drop_snapshot(snapshot)
        return [*told, *([f"changed meanwhile: {'; '.join(found.told)}"] if found.told else [])]
    except (PlanrailError, OSError) as error:
        return [f"the tree could not be compared: {error}"]


def _find(desk: Desk, snapshot: Snapshot) -> Found:
    """What is not planrail's own. What another of its processes is just writing is known a moment later."""
    found = _look(desk, snapshot)
    for _ in range(_LOOKS):
        if not found.is_about_tasks:
            break
        time.sleep(_PAUSE)
        found = _look(desk, snapshot)
    return found


def _look(desk: Desk, snapshot: Snapshot) -> Found:
    with _between_landings(desk):
        changes = compare(snapshot.root, snapshot)
        if not changes:
            return Found(changes)
        own = OwnWork(desk, snapshot)
        files = own.sort_files(changes.files)
        told = tell_git(own, snapshot, changes)
    if files.unsure:
        names = ", ".join(_type(desk, snapshot, file) for file in files.unsure[:_MOST])
        told.append(f"{names}, which planrail may have written itself")
    is_about_tasks = any(own.places.is_document(file.path) for file in (*files.foreign, *files.unsure))
    left = replace(changes, files=files.foreign, refs=[], head=None, index="")
    return Found(left, told, is_about_tasks=is_about_tasks)


def _between_landings(desk: Desk) -> AbstractContextManager[None]:
    """While this is open nothing lands: half of a landing would look like the work of an agent."""
    return hold(os.path.join(ledger_folder(desk.root), "repository.lock"))


def _report(desk: Desk, snapshot: Snapshot, changes: Changes, label: str) -> str:
    branch, _ = park_changes(snapshot, changes, label)
    parked = f"; a copy is parked on the branch {branch}" if branch else ""
    command = f"planrail undo --session {quote(snapshot.session)}"
    return (
        f"the tree has changed since the stage began: {_describe(desk, snapshot, changes)}{parked}. "
        f"If a person made these changes, all is well; else they can be taken back: {command}"
    )


def _describe(desk: Desk, snapshot: Snapshot, changes: Changes) -> str:
    listed = [f"{file.kind} {_type(desk, snapshot, file)}" for file in changes.files]
    listed += [str(name) for name in changes.settings]
    listed += ["the stash"] if changes.stash else []
    return name_some(listed, _MOST)


def _type(desk: Desk, snapshot: Snapshot, file: FileChange) -> str:
    return from_here(desk, os.path.join(snapshot.root, file.path))


def _place() -> str:
    return os.path.join(state_folder(), "snapshots")


def tell_git(own: OwnWork, snapshot: Snapshot, changes: Changes) -> list[str]:
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
    name = _name(ref.name)
    if not ref.was or not ref.now:
        return f"{name} is {'gone' if ref.was else 'new'}"
    if not ref.name.startswith("refs/heads/") or not (
        ask_git(root, "merge-base", "--is-ancestor", ref.was, ref.now) is not None
    ):
        return f"{name} was moved"
    commits = read_commits(root, ref.was, ref.now)
    if commits is None:
        return f"many commits on {name}"
    foreign = [commit for commit in commits if not own.is_own(commit)]
    named = [f"{commit.id[:8]} {clip(commit.subject, 60)}" for commit in foreign]
    listed = name_some(named, _MOST_NAMED)
    return f"{plural(len(foreign), 'commit')} on {name} ({listed})" if foreign else ""


def _name(ref: str) -> str:
    for beginning, kind in _KINDS.items():
        if ref.startswith(beginning):
            return f"the {kind} {ref.removeprefix(beginning)}"
    return ref


def find_staged(snapshot: Snapshot, *, is_elsewhere: bool) -> list[str]:
    """The files whose entries in the index have changed, but for those that a commit has changed along with them.

    `is_elsewhere`: another branch was checked out, and with it all that is committed there.
    """
    then, now = _read_index(snapshot.root, snapshot.users_index), _read_index(snapshot.root)
    changed = [path for path in sorted({*then, *now}) if then.get(path) != now.get(path)]
    before, tree = head_of(snapshot), _read_tree(snapshot.root)
    since = ("diff-tree", "-r", "--name-only", "-z", before, "HEAD")
    asked = since if before else ("ls-tree", "-r", "--name-only", "-z", "--full-tree", "HEAD")
    committed = (ask_git(snapshot.root, *asked) or "").split("\0")
    return [
        path
        for path in changed
        if not ((is_elsewhere or path in committed) and now.get(path, []) == tree.get(path, []))
    ]


def _read_index(root: str, index: str | None = None) -> Entries:
    found: Entries = {}
    for line in run_git(root, "ls-files", "-z", "--stage", "-v", index=index).split("\0"):
        about, _, path = line.partition("\t")
        if path:
            found.setdefault(path, []).append(about)
    return found


def _read_tree(root: str) -> Entries:
    found: Entries = {}
    for line in (ask_git(root, "ls-tree", "-r", "-z", "--full-tree", "HEAD") or "").split("\0"):
        about, _, path = line.partition("\t")
        if path:
            mode, _, name = about.split(" ")
            found[path] = [f"H {mode} {name} 0"]
    return found
