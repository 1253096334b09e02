"""Snapshots outside git: the name, status and digest of each file. Changes can be told, and not undone."""

import os
import stat

from planrail.base.whole_files import read_whole
from planrail.git.snapshots.controls import hash_bytes
from planrail.git.snapshots.look import OFF, TreeSnapshot
from planrail.git.snapshots.model import ADDED, DELETED, MODE, MODIFIED, TYPE, FileChange, save_snapshot
from planrail.git.snapshots.signature import file_status

MOST_FILES = 20_000
MOST_BYTES = 512 * 1024 * 1024
LARGEST_FILE = 32 * 1024 * 1024  # beyond this the status alone has to do
_SKIPPED = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"))
_NO_COPY = "outside git no copy is kept"


class _TooMuch(Exception):
    """The folder is too large to be compared each time."""


def take_folder_snapshot(draft: TreeSnapshot) -> TreeSnapshot:
    """Fill in and keep a draft; where the folder is too large, one that says that comparison is off."""
    try:
        manifest = _list(draft.root)
        size = sum(status[1] for status in manifest.values() if status[1] <= LARGEST_FILE)
        if size > MOST_BYTES:
            raise _TooMuch(f"more than {MOST_BYTES:,} bytes")
    except _TooMuch as reason:
        note = f"comparison is off: {draft.root} is no git repository and holds {reason}"
        draft.kind, draft.notes = OFF, [note]
    else:
        known: dict[str, list[object]] = {
            path: [status, digest_file(os.path.join(draft.root, path), status)] for path, status in manifest.items()
        }
        skipped = ", ".join(sorted(_SKIPPED))
        note = f"{draft.root} is no git repository: changes are reported and cannot be undone; not looked at: {skipped}"
        draft.manifest, draft.notes = known, [note]
    save_snapshot(draft)
    return draft


def compare_folder(snapshot: TreeSnapshot) -> list[FileChange]:
    """What differs from the manifest. Content is read only where the status is another, or too young to trust."""
    try:
        now = _list(snapshot.root)
    except _TooMuch as reason:
        return [FileChange(".", ADDED, f"the folder now holds {reason}; it was not compared")]
    found = [FileChange(path, ADDED, _NO_COPY) for path in now if path not in snapshot.manifest]
    for path, (was, digest) in snapshot.manifest.items():
        assert isinstance(was, list)
        kind = _kind(os.path.join(snapshot.root, path), was, now.get(path), digest, snapshot.taken_at)
        if kind:
            found.append(FileChange(path, kind, _NO_COPY))
    return found


def _kind(path: str, was: list[int], now: list[int] | None, digest: object, taken_at: float) -> str:
    if now is None:
        return DELETED
    if stat.S_IFMT(was[0]) != stat.S_IFMT(now[0]):
        return TYPE
    is_young = was[3] > (taken_at - 2) * 1e9 or not taken_at
    if (was != now or is_young) and digest_file(path, now) != digest:
        return MODIFIED
    return MODE if was[0] != now[0] else ""


def digest_file(path: str, status: list[int]) -> str:
    """What a file holds, or where a link leads; of a large or unreadable one, its status."""
    if stat.S_ISLNK(status[0]):
        return f"link {os.readlink(path)}"
    is_read = status[1] <= LARGEST_FILE and stat.S_ISREG(status[0])
    data = read_whole(path) if is_read else None
    return f"status {status[1:]}" if data is None else hash_bytes(data)


def _list(root: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and name not in links)
        for name in sorted([*names, *links]):
            place = os.path.join(folder, name)
            status = file_status(place)
            if status is not None:
                found[os.path.relpath(place, root)] = status
        if len(found) > MOST_FILES:
            raise _TooMuch(f"more than {MOST_FILES:,} files")
    return found
