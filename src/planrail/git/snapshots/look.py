"""The first look at a tree: one `git status`, and how git's own files look. Most often it says that nothing changed.

Apart from the model, since to build its records costs a fifth of what `git status` does in a small repository.
"""

from planrail.base.decoding import decode
from planrail.git.git_writing import ask_status
from planrail.git.snapshots.signature import Watch, file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any, Protocol

    class Kept(Protocol):
        """A snapshot, as far as a first look needs it: the record's file, or the whole model."""

        @property
        def root(self) -> str: ...
        @property
        def kind(self) -> str: ...
        @property
        def git_dir(self) -> str: ...
        @property
        def common_dir(self) -> str: ...
        @property
        def ignored(self) -> Sequence[str]: ...
        @property
        def unread(self) -> Mapping[str, list[int]]: ...
        @property
        def index(self) -> str: ...
        @property
        def view(self) -> str: ...
        @property
        def seen(self) -> str: ...
        @property
        def told(self) -> str: ...


VERSION = 1
GIT, FOLDER, OFF = "git", "folder", "off"


class KeptRecord:
    """The record of a snapshot, with no more of it taken apart than a first look needs."""

    def __init__(self, folder: str, name: str, values: "Mapping[str, Any]") -> None:
        self.root: str = values["root"]
        self.kind: str = values["kind"]
        self.git_dir: str = values["git_dir"]
        self.common_dir: str = values["common_dir"]
        self.ignored: Sequence[str] = values["ignored"]
        self.unread: Mapping[str, list[int]] = values["unread"]
        self.index, self.seen, self.told = (f"{folder}/{name}.{kind}" for kind in ("index", "seen", "told"))
        self.view: str = values.get("view", "")


class Look:
    """What one look found: `noise` are the entries of `git status` that may be changes."""

    __slots__ = ("is_quiet", "noise", "watch")

    def __init__(self, watch: Watch, noise: list[str]) -> None:
        self.watch = watch
        self.is_quiet = watch.is_as_seen()  # whether git's own files mean what they meant at entry
        self.noise = noise


def load_record(folder: str, name: str) -> KeptRecord:
    """The record of this name. Raises `PlanrailError` where there is none, or none that can be understood."""
    try:
        return KeptRecord(folder, name, read_values(folder, name))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise unreadable(folder, name, error) from error


def read_values(folder: str, name: str) -> "dict[str, Any]":
    """What the record says, as it stands there."""
    with open(f"{folder}/{name}.json", "rb", 0) as file:
        values = decode(file.read().decode("utf-8"))
    if not isinstance(values, dict) or values.pop("version") != VERSION:
        raise ValueError("written by another version of planrail")
    return values


def unreadable(folder: str, name: str, error: Exception) -> Exception:
    """The error of a record that cannot be read; its module is loaded only where there is one."""
    from planrail.base.errors import PlanrailError

    message = f"the snapshot {folder}/{name}.json cannot be read: {error}"
    return PlanrailError(message, remedy="leave plan mode and enter it again")


def take_look(kept: "Kept") -> Look:
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


def says_nothing(look: Look, kept: "Kept", exempt: "Collection[str]") -> bool:
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
