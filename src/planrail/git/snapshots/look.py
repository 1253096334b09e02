"""A snapshot, and the first look at its tree: one `git status`, and how git's own files look.

Most often that says that nothing changed. Apart from the model, since to build records costs a fifth of what `git
status` does in a small repository.
"""

from planrail.base.decoding import decode
from planrail.git.git_writing import ask_status
from planrail.git.snapshots.signature import Watch, file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import TypedDict

    class GitState(TypedDict):
        """What git itself keeps: where HEAD is, the refs, and digests of the index, the stash and the settings."""

        head: str  # "ref: refs/heads/main", or a commit
        refs: dict[str, str]
        index: str
        stash: str
        settings: dict[str, str]


VERSION = 1
GIT, FOLDER, OFF = "git", "folder", "off"
_BESIDE = ("json", "index", "users-index", "seen", "told")


class TreeSnapshot:
    """A working tree at one moment. `commit` holds its files; `perms` are of those that no commit held before.

    Beside its record (`path`) lie an `index` of planrail's own that describes the whole tree, a copy of the user's, how
    git's own files looked when they last meant what they meant at entry (`seen`), and what was last `told`.
    """

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
    state: "GitState" = {"head": "", "refs": {}, "index": "", "stash": "", "settings": {}}  # noqa: RUF012
    perms: dict[str, int] = {}  # noqa: RUF012 - a field, never changed
    unread: dict[str, list[int]] = {}  # noqa: RUF012 - paths whose content was not taken, by their status
    manifest: dict[str, list[object]] = {}  # noqa: RUF012 - outside git: status and digest of each file
    ignored: list[str] = []  # noqa: RUF012 - files and folders that were ignored
    stash_log: str = ""
    excludes: str = ""  # the user's own list of what to ignore
    notes: list[str] = []  # noqa: RUF012
    view: str = ""  # a git directory of planrail's own, in which HEAD is this snapshot

    def __init__(self, name: str, folder: str, root: str, kind: str, **more: object) -> None:
        self.name, self.folder, self.root, self.kind = name, folder, root, kind
        self.path, self.index, self.users_index, self.seen, self.told = (f"{folder}/{name}.{end}" for end in _BESIDE)
        self.__dict__.update(more)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSnapshot) and self.values() == other.values()

    @property
    def head(self) -> str:
        """The commit that HEAD stood on; "" where there was none."""
        said = self.state["head"]
        return self.state["refs"].get(said[5:], "") if said.startswith("ref: ") else said

    def values(self) -> "dict[str, object]":
        return {name: getattr(self, name) for name in TreeSnapshot.__annotations__ if name != "folder"}


def load_snapshot(folder: str, name: str) -> TreeSnapshot:
    """The snapshot of this name. Raises `PlanrailError` where there is none, or none that can be understood."""
    try:
        with open(f"{folder}/{name}.json", "rb", 0) as file:
            values = decode(file.read().decode("utf-8"))
        if not isinstance(values, dict) or values.pop("version") != VERSION:
            raise ValueError("written by another version of planrail")
        return TreeSnapshot(**{**values, "folder": folder})
    except (OSError, ValueError, TypeError, KeyError) as error:
        from planrail.base.errors import PlanrailError

        message = f"the snapshot {folder}/{name}.json cannot be read: {error}"
        raise PlanrailError(message, remedy="leave plan mode and enter it again") from error


class Look:
    """What one look found: `noise` are the entries of `git status` that may be changes."""

    __slots__ = ("is_quiet", "noise", "watch")

    def __init__(self, watch: Watch, noise: list[str]) -> None:
        self.watch = watch
        self.is_quiet = watch.is_as_seen()  # whether git's own files mean what they meant at entry
        self.noise = noise


def take_look(kept: TreeSnapshot) -> Look:
    """Look at git's own files first, so that whatever changes after that is seen the next time."""
    watch = Watch(kept.git_dir, kept.common_dir, kept.seen)
    return Look(watch, find_noise(ask_status(kept.root, kept.index, kept.view), frozenset(kept.ignored)))


def find_noise(entries: "Sequence[str]", ignored: "Collection[str]") -> list[str]:
    """The entries of files that are not as the index describes them. The index and HEAD may differ as they like."""
    return [
        entry
        for entry in entries
        if entry and not (entry[0] == "1" and entry[3] == ".") and not (entry[0] == "!" and entry[2:] in ignored)
    ]


def says_nothing(look: Look, kept: TreeSnapshot, exempt: "Collection[str]") -> bool:
    """Whether every file is as it was, known by a status that is as it was, or one that the session may write."""
    if not look.is_quiet:
        return False
    for entry in look.noise:
        path = path_of(entry)
        if f"{kept.root}/{path}" not in exempt and not (entry[0] == "?" and path in kept.unread):
            return False
    return all(file_status(f"{kept.root}/{path}") == status for path, status in kept.unread.items())


def path_of(entry: str) -> str:
    """The path in an entry of `git status --porcelain=v2 -z --no-renames`."""
    return entry.split(" ", {"1": 8, "u": 10}.get(entry[0], 1))[-1]
