"""What a snapshot and a comparison say, as values, and reading a snapshot's record."""

from planrail.base.records import record
from planrail.git.snapshots.look import read_values, unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.changes import FileChange, RefChange


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
