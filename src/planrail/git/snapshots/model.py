"""What a snapshot and a comparison say, as values; the records of snapshots on disk."""

import os

from planrail.base.decoding import encode
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.base.whole_files import write_whole
from planrail.git.snapshots.look import VERSION, read_values, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ADDED, MODIFIED, DELETED, MODE, TYPE = "added", "modified", "deleted", "mode", "type"


@record
class GitState:
    """What git itself keeps: where HEAD is, the refs, and digests of the index, the stash and the settings."""

    head: str  # "ref: refs/heads/main", or a commit
    refs: dict[str, str]
    index: str
    stash: str
    settings: dict[str, str]


@record
class Snapshot:
    """A working tree at one moment. `commit` holds its files; `perms` are of those that no commit held before."""

    name: str
    folder: str
    root: str
    kind: str
    session: str = ""
    agent: str = ""
    taken_at: float = 0.0
    git_dir: str = ""
    common_dir: str = ""
    commit: str = ""
    state: GitState = GitState("", {}, "", "", {})
    perms: dict[str, int] = {}  # noqa: RUF012 - a field, never changed
    unread: dict[str, list[int]] = {}  # noqa: RUF012 - paths whose content was not taken, by their status
    manifest: dict[str, list[object]] = {}  # noqa: RUF012 - outside git: status and digest of each file
    ignored: list[str] = []  # noqa: RUF012 - files and folders that were ignored
    stash_log: str = ""
    excludes: str = ""  # the user's own list of what to ignore
    notes: list[str] = []  # noqa: RUF012
    view: str = ""  # a git directory of planrail's own, in which HEAD is this snapshot

    @property
    def path(self) -> str:
        """The record itself."""
        return f"{self.folder}/{self.name}.json"

    @property
    def index(self) -> str:
        """The index file, planrail's own, that describes the whole tree as it was."""
        return f"{self.folder}/{self.name}.index"

    @property
    def users_index(self) -> str:
        """A copy of the user's index as it was."""
        return f"{self.folder}/{self.name}.users-index"

    @property
    def seen(self) -> str:
        """The file that says how git's own files looked when they last meant what they meant at entry."""
        return f"{self.folder}/{self.name}.seen"

    @property
    def told(self) -> str:
        """The file that says what was last told of the tree, and after what look."""
        return f"{self.folder}/{self.name}.told"


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
class Changes:
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


def load_snapshot(folder: str, name: str) -> Snapshot:
    """The snapshot of this name. Raises `PlanrailError` where there is none, or none that can be understood."""
    try:
        values = read_values(folder, name)
        values["state"] = GitState(**values["state"])
        return Snapshot(**{**values, "folder": folder})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unreadable(folder, name, error) from error


def save_snapshot(snapshot: Snapshot) -> None:
    """Write the record in one step: it is there whole, or not at all."""
    values = {name: getattr(snapshot, name) for name in snapshot.__slots__ if name != "folder"}  # type: ignore[attr-defined]
    values["state"] = {name: getattr(snapshot.state, name) for name in snapshot.state.__slots__}  # type: ignore[attr-defined]
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
