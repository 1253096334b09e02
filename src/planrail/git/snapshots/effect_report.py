"""How changes that slipped through while an agent planned are parked, and told to people and agents."""

from planrail.git.snapshots.look import load_snapshot
from planrail.git.snapshots.snapshots import compare, drop_snapshot
from planrail.plans.files.plan_files import family_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from planrail.git.snapshots.look import Look
    from planrail.git.snapshots.model import TreeChanges

    Remember = Callable[[dict[str, str], Sequence[str]], None]

NOTHING = {"mark": "", "report": "", "branch": "", "commit": ""}
_MOST = 12
_LEFT_ALONE = (
    " Nothing was undone: if a person made these changes, all is well. If the agent did, a person can take them back"
    " with: planrail undo"
)


def report_changes(
    request: "dict[str, str]", look: "Look | None", remember: "Remember | None", *, is_private: bool
) -> dict[str, str]:
    """Compare closely, given a first look where git could be asked. What changed is parked, and told.

    What was told is remembered; in a private workspace the changes are taken back at once instead.
    """
    snapshot = load_snapshot(f"{request['folder']}/snapshots", request["snapshot"])
    changes = compare(snapshot, family_of(request["plan"]) if request["plan"] else (), look)
    if not changes:
        if request["is_leaving"]:
            drop_snapshot(snapshot)
        return NOTHING
    from planrail.git.snapshots.parking import park, undo
    from planrail.hook.sessions.store import file_name

    branch, commit = park(snapshot, changes, file_name(request["label"]).replace("%", "x"))
    told = {"mark": f"{branch} {commit}", "report": describe(changes, branch), "branch": branch, "commit": commit}
    if not commit:  # which else tells one set of changes from another
        from planrail.git.snapshots.controls import hash_bytes

        told["mark"] = hash_bytes(repr(changes).encode())[:16]
    if is_private:
        undone = undo(snapshot, changes)
        left = "".join(f" Left: {path} ({reason})." for path, reason in undone.left)
        done = f" This is a private workspace: {len(undone.restored)} of them were taken back at once."
        told["report"] += f"{done}{left}"
        return told
    told["report"] += _LEFT_ALONE
    if remember:
        remember(told, changes.settings)
    return told


def describe(changes: "TreeChanges", branch: str) -> str:
    """What changed, where the copy is, and what to do."""
    found = [f"{file.kind} {file.path}" for file in changes.files]
    found += [f"ref {change.name}" for change in changes.refs]
    found += list(changes.settings)
    if changes.head:
        found.append(f"HEAD: {changes.head.was[:12]} → {changes.head.now[:12]}")
    if changes.index and not changes.files:
        found.append("the index (what is staged)")
    if changes.stash:
        found.append("the stash")
    more = f", … and {len(found) - _MOST} more" if len(found) > _MOST else ""
    parked = f"A copy is parked on the branch {branch}." if branch else ""
    listed = ", ".join(found[:_MOST])
    return f"planrail: the tree has changed since plan mode was entered:\n  {listed}{more}\n{parked}"
