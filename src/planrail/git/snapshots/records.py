"""The records of snapshots on disk: written in one step, listed."""

import os

from planrail.base.decoding import encode
from planrail.base.errors import PlanrailError
from planrail.base.whole_files import write_whole
from planrail.git.snapshots.look import VERSION
from planrail.git.snapshots.model import Snapshot, load_snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_STATE_FIELDS = ("head", "refs", "index", "stash", "settings")
_FIELDS = (
    *("name", "root", "kind", "session", "agent", "taken_at", "git_dir", "common_dir", "commit"),
    *("perms", "unread", "manifest", "ignored", "excludes", "stash_log", "notes", "view"),
)


def save_snapshot(snapshot: Snapshot) -> None:
    """Write the record in one step: it is there whole, or not at all."""
    values = {name: getattr(snapshot, name) for name in _FIELDS}
    values["state"] = {name: getattr(snapshot.state, name) for name in _STATE_FIELDS}
    write_whole(snapshot.path, encode({"version": VERSION, **values}))


def list_snapshots(folder: str) -> "Sequence[Snapshot]":
    """All snapshots in a folder, the oldest first; those that cannot be read are left out."""
    found = []
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if file.endswith(".json") and not file.startswith("."):
            try:
                found.append(load_snapshot(folder, file.removesuffix(".json")))
            except PlanrailError:
                continue
    return sorted(found, key=lambda snapshot: snapshot.taken_at)
