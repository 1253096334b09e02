"""Agents only read. What changed in the tree all the same is told, with a copy of it parked on a branch."""

import os

from planrail.cli.tasking.stages.own_changes import foreign_notes, without_own
from planrail.errors import PlanrailError
from planrail.ledger.places import ledger_folder
from planrail.repo.repository_lock import hold
from planrail.state_folder import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.stages.folders import StageFolder
    from planrail.repo.snapshot_model import Changes, Snapshot

_MOST = 6  # changes that are named
_UNABLE = "changes of the tree cannot be detected"


def remember_tree(desk: "Desk", folder: "StageFolder", now: float) -> "tuple[StageFolder, str]":
    """Keep the state of the tree until it is compared; and what a person should know about that."""
    from planrail.repo.snapshots import take_snapshot

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


def compare_tree(desk: "Desk", folder: "StageFolder") -> "tuple[StageFolder, list[str]]":
    """What has changed meanwhile, but for what planrail did itself: lines, each told once."""
    told = _compare(desk, folder)
    return (folder.note(snapshot="") if folder.text("snapshot") else folder), [told] if told else []


def _compare(desk: "Desk", folder: "StageFolder") -> str:
    """A snapshot that nothing speaks against is let go of; the other one stays, so that a person can undo."""
    from planrail.repo.snapshot_model import load_snapshot
    from planrail.repo.snapshots import compare, drop_snapshot

    name = folder.text("snapshot")
    if not name or not os.path.exists(os.path.join(_place(), f"{name}.json")):
        return ""
    try:
        snapshot = load_snapshot(_place(), name)
        with _between_landings(desk):
            changes = without_own(desk, snapshot, compare(snapshot.root, snapshot))
        if not changes:
            drop_snapshot(snapshot)
            return ""
        return _report(snapshot, changes, name)
    except (PlanrailError, OSError) as error:
        return f"the tree could not be compared: {error}"


def _between_landings(desk: "Desk") -> "AbstractContextManager[None]":
    """While this is open nothing lands: half of a landing would look like the work of an agent."""
    return hold(os.path.join(ledger_folder(desk.root), "repository.lock"))


def _report(snapshot: "Snapshot", changes: "Changes", label: str) -> str:
    from planrail.cli.screen import quote
    from planrail.repo.parking import park_changes

    branch, _ = park_changes(snapshot, changes, label)
    parked = f"; a copy is parked on the branch {branch}" if branch else ""
    command = f"planrail undo --session {quote(snapshot.session)}"
    return (
        f"the tree has changed since the stage began: {_describe(changes)}{parked}. "
        f"If a person made these changes, all is well; else they can be taken back: {command}"
    )


def _describe(changes: "Changes") -> str:
    listed = [f"{file.kind} {file.path}" for file in changes.files] + [str(name) for name in changes.settings]
    listed += ["the stash"] if changes.stash else []
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    return ", ".join(listed[:_MOST]) + more


def _place() -> str:
    return os.path.join(state_folder(), "snapshots")
