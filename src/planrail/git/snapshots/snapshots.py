"""A working tree at the moment planning begins, and what has changed in it since.

`take_snapshot` touches nothing of the user's. `compare` costs little more than one `git status`: stat data decides
where nothing has changed, and content is looked at only where it does not. To answer "nothing" takes few imports.
"""

from planrail.git.snapshots.look import FOLDER, GIT, OFF, TreeSnapshot, load_snapshot, says_nothing, take_look
from planrail.git.snapshots.model import TreeChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.git.snapshots.look import Look

__all__ = ["TreeChanges", "TreeSnapshot", "compare", "drop_snapshot", "load_snapshot", "take_snapshot"]

_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


def take_snapshot(
    root: str, folder: str, name: str, *, session: str = "", agent: str = "", taken_at: float = 0.0
) -> TreeSnapshot:
    """Keep the state of a working tree, restorable, as `folder/NAME.json` and a ref of planrail's own.

    Outside git only names and digests are kept: changes are reported and cannot be restored. Where even that is too
    much, the snapshot says that comparison is off.
    """
    import os

    from planrail.git.snapshots.controls import locate_git

    if not name or name[0] in ".-" or ".." in name or name.endswith((".", ".lock")) or not _SAFE.issuperset(name):
        from planrail.base.errors import UsageError

        raise UsageError(f"{name!r} cannot name a snapshot", remedy="use letters, digits, - and _")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    place = locate_git(root)
    top = place[0] if place else os.path.realpath(root)
    about = {"session": session, "agent": agent, "taken_at": taken_at}
    if place is None:
        from planrail.git.snapshots.folder import take_folder_snapshot

        return take_folder_snapshot(TreeSnapshot(name, os.path.abspath(folder), top, FOLDER, **about))
    from planrail.git.snapshots.taking import take_git_snapshot

    draft = TreeSnapshot(name, os.path.abspath(folder), top, GIT, **about, git_dir=place[1], common_dir=place[2])
    return take_git_snapshot(draft)


def compare(snapshot: TreeSnapshot, exempt: "Sequence[str]" = (), look: "Look | None" = None) -> TreeChanges:
    """All that differs from the snapshot, but for `exempt`: resolved paths that the session may write.

    A caller that has taken a first look already hands it in.
    """
    if snapshot.kind == OFF:
        return TreeChanges([], [], notes=snapshot.notes)
    if snapshot.kind == FOLDER:
        from planrail.git.snapshots.comparing import compare_outside_git

        return compare_outside_git(snapshot, exempt)
    look = look or take_look(snapshot)
    if says_nothing(look, snapshot, exempt):
        return TreeChanges([], [], notes=snapshot.notes)
    from planrail.git.snapshots.comparing import compare_closely

    return compare_closely(snapshot, look, exempt)


def drop_snapshot(snapshot: TreeSnapshot) -> None:
    """Forget a snapshot: its ref and its files. What was parked stays."""
    import os

    from planrail.git.git_writing import ask_git
    from planrail.git.snapshots.taking import SNAPSHOT_REFS, VIEW_FILES

    if snapshot.kind == GIT:
        ask_git(snapshot.root, "update-ref", "-d", SNAPSHOT_REFS + snapshot.name)
    beside = (snapshot.index, f"{snapshot.index}.lock", snapshot.users_index, snapshot.seen, snapshot.told)
    within = (f"{snapshot.view}/{name}" for name in VIEW_FILES) if snapshot.view else ()
    for path in (snapshot.path, *beside, *within):
        if os.path.exists(path):
            os.unlink(path)
    if snapshot.view and os.path.isdir(snapshot.view):
        os.rmdir(snapshot.view)
