"""Agents only read. What changed in the tree all the same is told, with a copy of it parked on a branch."""

import os

from planrail.errors import PlanrailError
from planrail.records import replace
from planrail.state_folder import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.stages.folders import StageFolder
    from planrail.repo.snapshot_model import Changes

_UNABLE = "changes of the tree cannot be detected"


def remember_tree(desk: "Desk", folder: "StageFolder", now: float) -> "tuple[StageFolder, str]":
    """Keep the state of the tree until it is compared; and what a person should know about that."""
    from planrail.repo.snapshots import take_snapshot

    if folder.text("snapshot"):  # by a call that was killed: what changed since then counts too
        return folder, ""
    name = f"task-{folder.order.number}-{folder.order.stage}-{desk.session}"
    about = {"session": name, "agent": folder.text("agent"), "taken_at": now}
    try:
        taken = take_snapshot(desk.root, _place(), name, **about)  # type: ignore[arg-type]
    except (PlanrailError, OSError) as error:  # the stage goes on all the same: the guard holds
        return folder, f"{_UNABLE}: {error}"
    return folder.note(snapshot=taken.name), "; ".join(taken.notes)


def compare_tree(desk: "Desk", folder: "StageFolder") -> "tuple[StageFolder, str]":
    """What has changed meanwhile, but for the documents of tasks; "" where nothing has. It is told once."""
    told = _compare(desk, folder)
    return (folder.note(snapshot="") if folder.text("snapshot") else folder), told


def _compare(desk: "Desk", folder: "StageFolder") -> str:
    """A snapshot that nothing speaks against is let go of; the other one stays, so that a person can undo."""
    from planrail.repo.snapshot_model import load_snapshot
    from planrail.repo.snapshots import compare, drop_snapshot

    name = folder.text("snapshot")
    if not name or not os.path.exists(os.path.join(_place(), f"{name}.json")):
        return ""
    try:
        snapshot = load_snapshot(_place(), name)
        changes = _by_agents(compare(snapshot.root, snapshot), desk.folder)
        if not changes:
            drop_snapshot(snapshot)
            return ""
        return _report(snapshot, changes, name)
    except (PlanrailError, OSError) as error:
        return f"the tree could not be compared: {error}"


def _by_agents(changes: "Changes", folder: str) -> "Changes":
    """Without what planrail does itself meanwhile, for this task or another one: its documents, their commits.

    A commit moves a branch and the index. What else it had changed would be a change of a file.
    """
    files = [file for file in changes.files if not file.path.startswith(f"{folder}/")]
    return replace(changes, files=files, refs=[], head=None, index="")


def _report(snapshot: object, changes: "Changes", label: str) -> str:
    from planrail.cli.effect_report import describe
    from planrail.repo.parking import park_changes

    branch, _ = park_changes(snapshot, changes, label)  # type: ignore[arg-type]
    told = describe(changes, branch).removeprefix("planrail: ").replace("plan mode was entered", "the stage began")
    return f"{told} If a person made these changes, all is well; else they can be taken back: planrail undo"


def _place() -> str:
    return os.path.join(state_folder(), "snapshots")
