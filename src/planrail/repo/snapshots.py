"""A working tree at the moment planning begins, and what has changed in it since.

`take_snapshot` touches nothing of the user's. `compare` costs little more than one `git status`: stat data decides
where nothing has changed, and content is looked at only where it does not. To answer "nothing" takes few imports.
"""

from planrail.repo.git_writing import ask_status
from planrail.repo.snapshot_model import FOLDER, GIT, OFF, Changes, Snapshot, load_snapshot
from planrail.repo.snapshot_signature import file_status, is_as_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Changes", "Snapshot", "compare", "drop_snapshot", "load_snapshot", "take_snapshot"]

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


def take_snapshot(
    root: str, folder: str, name: str, *, session: str = "", agent: str = "", taken_at: float = 0.0
) -> Snapshot:
    """Keep the state of a working tree, restorable, as `folder/NAME.json` and a ref of planrail's own.

    Outside git only names and digests are kept: changes are reported and cannot be restored. Where even that is too
    much, the snapshot says that comparison is off.
    """
    import os

    from planrail.repo.snapshot_controls import locate_git

    _check_name(name)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    place = locate_git(root)
    top = place[0] if place else os.path.realpath(root)
    about = {"session": session, "agent": agent, "taken_at": taken_at}
    if place is None:
        from planrail.repo.snapshot_folder import take_folder_snapshot

        return take_folder_snapshot(Snapshot(name, os.path.abspath(folder), top, FOLDER, **about))  # type: ignore[arg-type]
    from planrail.repo.snapshot_taking import take_git_snapshot

    draft = Snapshot(name, os.path.abspath(folder), top, GIT, **about, git_dir=place[1], common_dir=place[2])  # type: ignore[arg-type]
    return take_git_snapshot(draft)


def compare(root: str, snapshot: Snapshot, exempt: "Sequence[str]" = ()) -> Changes:
    """All that differs from the snapshot, but for `exempt`: resolved paths that the session may write."""
    if snapshot.kind == OFF:
        return Changes([], [], notes=snapshot.notes)
    if snapshot.kind == FOLDER:
        from planrail.repo.snapshot_comparing import compare_outside_git

        return compare_outside_git(snapshot, exempt)
    is_quiet = is_as_seen(snapshot.git_dir, snapshot.common_dir, snapshot.seen)
    entries = ask_status(snapshot.root, snapshot.index)
    if is_quiet and _says_nothing(entries, frozenset(snapshot.ignored), snapshot.unread) and _unread_are_same(snapshot):
        return Changes([], [], notes=snapshot.notes)
    from planrail.repo.snapshot_comparing import compare_closely

    return compare_closely(snapshot, entries, exempt, is_quiet=is_quiet)


def _says_nothing(entries: "Sequence[str]", ignored: "Collection[str]", unread: "Collection[str]") -> bool:
    """Whether every file is as the index describes it, ignored as it was, or known by its status alone."""
    for entry in entries:
        letter, path = entry[:1], entry[2:]
        is_quiet = not letter or (letter == "1" and entry[3] == ".")  # the index and HEAD may differ as they like
        if not is_quiet and not (letter == "!" and path in ignored) and not (letter == "?" and path in unread):
            return False
    return True


def _unread_are_same(snapshot: Snapshot) -> bool:
    return all(file_status(f"{snapshot.root}/{path}") == status for path, status in snapshot.unread.items())


def drop_snapshot(snapshot: Snapshot) -> None:
    """Forget a snapshot: its ref and its files. What was parked stays."""
    import os

    if snapshot.kind == GIT:
        from planrail.repo.git_writing import ask_git
        from planrail.repo.snapshot_taking import SNAPSHOT_REFS

        ask_git(snapshot.root, "update-ref", "-d", SNAPSHOT_REFS + snapshot.name)
    for path in (snapshot.path, snapshot.index, f"{snapshot.index}.lock", snapshot.users_index, snapshot.seen):
        if os.path.exists(path):
            os.unlink(path)


def _check_name(name: str) -> None:
    if not name or name[0] in ".-" or ".." in name or name.endswith((".", ".lock")) or not _SAFE.issuperset(name):
        from planrail.errors import UsageError

        raise UsageError(f"{name!r} cannot name a snapshot", remedy="use letters, digits, - and _")
