"""How changes that slipped through while an agent planned are told to people and agents."""

import hashlib

from planrail.repo.snapshot_model import Changes

_MOST = 12


def mark_of(changes: Changes, branch: str) -> str:
    """What tells one set of changes from another."""
    return hashlib.sha256(repr((changes, branch)).encode()).hexdigest()[:16]


def describe(changes: Changes, branch: str) -> str:
    """What changed, where the copy is, and what to do."""
    lines = [f"  {file.kind} {file.path}" for file in changes.files]
    lines += [f"  ref {change.name}" for change in changes.refs]
    lines += [f"  {name}" for name in changes.settings]
    if changes.head:
        lines.append(f"  HEAD: {changes.head.was[:12]} → {changes.head.now[:12]}")
    if changes.index and not changes.files:
        lines.append("  the index (what is staged)")
    if changes.stash:
        lines.append("  the stash")
    more = f"\n  … and {len(lines) - _MOST} more" if len(lines) > _MOST else ""
    parked = f" A copy is parked on the branch {branch}." if branch else ""
    return (
        "planrail: the tree has changed since plan mode was entered:\n"
        + "\n".join(lines[:_MOST])
        + f"{more}\n{parked.strip()} Nothing was undone: if a person made these changes, all is well. If the agent did,"
        " a person can take them back with: planrail undo"
    )
