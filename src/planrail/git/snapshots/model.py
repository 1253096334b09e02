"""What a comparison says, as values; the records of snapshots on disk."""

import os

from planrail.base.decoding import encode
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import write_whole
from planrail.git.snapshots.look import VERSION, TreeSnapshot, load_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

AGENT = "run"  # in the place of the agent that plans, where a phase of a run works in a checkout itself
UNDO = "planrail undo"
ADDED, MODIFIED, DELETED, MODE, TYPE = "added", "modified", "deleted", "mode", "type"


@record
class FileChange:
    """A path that is not as it was. `reason` says why it cannot be restored; "" where it can."""

    path: str
    kind: str
    reason: str = ""


@record
class RefChange:
    """A ref that was created (`was` is empty), deleted (`now` is empty) or moved."""

    name: str
    was: str
    now: str


@record
class TreeChanges:
    """All that differs from a snapshot. `notes` say what could not be compared."""

    files: "Sequence[FileChange]"
    refs: "Sequence[RefChange]"
    head: "RefChange | None" = None
    index: str = ""  # the digest of the index as it is now, where it differs in meaning
    stash: str = ""
    settings: "Sequence[str]" = ()  # git's settings, hooks and unfinished operations
    notes: "Sequence[str]" = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.refs or self.head or self.index or self.stash or self.settings)


def save_snapshot(snapshot: TreeSnapshot) -> None:
    """Write the record in one step: it is there whole, or not at all."""
    write_whole(snapshot.path, encode({"version": VERSION, **snapshot.values()}))


def list_snapshots(folder: str) -> "Sequence[TreeSnapshot]":
    """All snapshots in a folder, the oldest first; those that cannot be read are left out."""
    found = []
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if file.endswith(".json") and not file.startswith("."):
            try:
                found.append(load_snapshot(folder, file.removesuffix(".json")))
            except PlanrailError:
                continue
    return sorted(found, key=lambda snapshot: snapshot.taken_at)


def snapshots_folder() -> str:
    return os.path.join(state_folder(), "snapshots")


def undo_command(snapshot: TreeSnapshot) -> str:
    """What a person types to take back all that changed in the checkout since a phase began there."""
    return f"{UNDO} --session {snapshot.session}"


def find_left(root: str, run: str = "") -> TreeSnapshot | None:
    """The snapshot of a run that has worked in a checkout, the newest where none is named, and has not landed that."""
    top = os.path.realpath(root)
    found = [one for one in list_snapshots(snapshots_folder()) if one.agent == AGENT and one.root == top]
    return next((one for one in reversed(found) if run in ("", one.session)), None)
