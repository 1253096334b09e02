"""Three-way merging of trees: what two sides made of a base, path by path. Pure; contents are merged by others. What
differs between trees: any number of comparisons by one git.

Nobody's change is preferred. What cannot be kept from both sides is a conflict, and a person decides.
"""

from collections.abc import Mapping, Sequence

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import run_git

Entry = tuple[str, str]  # the mode and the object
Changes = dict[str, tuple[Entry | None, Entry | None]]  # each path: what it was, what it is

_FILES = ("100644", "100755")


@record
class Side:
    """What one side changed since the base, and what it renamed."""

    changes: Changes
    renames: Mapping[str, str]


@record
class Blend:
    """A file that both sides changed: its contents have to be merged."""

    path: str
    mode: str
    base: str
    ours: str
    theirs: str


@record
class Merging:
    """What has to change in our tree so that it has their work as well."""

    entries: dict[str, Entry | None]
    blends: list[Blend]
    conflicts: dict[str, str]  # path and reason


def needs_renames(ours: Changes, theirs: Changes) -> bool:
    """Whether renames matter: only where one side has taken away what the other has changed or taken away too."""
    both = ours.keys() & theirs.keys()
    return any(ours[path][1] is None or theirs[path][1] is None for path in both)


def merge_changes(ours: Side, theirs: Side) -> Merging:
    merging = Merging({}, [], {})
    settled = _follow_renames(ours, theirs, merging)
    for path, (was, wanted) in theirs.changes.items():
        if path in settled:
            continue
        standing = ours.changes[path][1] if path in ours.changes else was
        if standing == was:
            merging.entries[path] = wanted
        elif standing != wanted:
            _merge_file(path, was, standing, wanted, merging)
    return merging


def _follow_renames(ours: Side, theirs: Side, merging: Merging) -> set[str]:
    """Merge what one side renamed and the other changed. Returns the paths that are settled by that."""
    settled: set[str] = set()
    for old in ours.changes.keys() & theirs.changes.keys():
        ours_to, theirs_to = ours.renames.get(old), theirs.renames.get(old)
        if ours_to is None and theirs_to is None:
            continue
        settled |= {path for path in (old, ours_to, theirs_to) if path is not None}
        reason = _why_not_both(ours, theirs, old)
        if reason:
            merging.conflicts[old] = reason
            continue
        new = theirs_to or ours_to or old
        merging.entries[old] = None
        mine, yours = (side.changes[new if old in side.renames else old][1] for side in (ours, theirs))
        _merge_file(new, ours.changes[old][0], mine, yours, merging)
    return settled


def _why_not_both(ours: Side, theirs: Side, old: str) -> str:
    ours_to, theirs_to = ours.renames.get(old), theirs.renames.get(old)
    if ours_to and theirs_to:
        return "" if ours_to == theirs_to else f"renamed to {ours_to} on the target and to {theirs_to} in the phase"
    if theirs_to and ours.changes[old][1] is None:
        return f"removed on the target and renamed to {theirs_to} in the phase"
    if ours_to and theirs.changes[old][1] is None:
        return f"renamed to {ours_to} on the target and removed in the phase"
    if theirs_to in ours.changes or ours_to in theirs.changes:
        return f"{theirs_to or ours_to} is new on both sides"
    return ""


def _merge_file(path: str, was: Entry | None, mine: Entry | None, yours: Entry | None, merging: Merging) -> None:
    """A path that both sides changed, each in its own way."""
    if was is None:
        merging.conflicts[path] = "new on both sides, and not the same"
    elif mine is None or yours is None:
        where = ("removed on the target and changed in the phase", "changed on the target and removed in the phase")
        merging.conflicts[path] = where[yours is None]
    elif any(entry[0] not in _FILES for entry in (was, mine, yours)):
        merging.conflicts[path] = "a link or a submodule that both sides changed"
    else:
        mode = yours[0] if mine[0] == was[0] else mine[0]
        if mine[1] not in (was[1], yours[1]) and yours[1] != was[1]:
            merging.blends.append(Blend(path, mode, was[1], mine[1], yours[1]))
        else:
            # At most one side has changed the content.
            merging.entries[path] = (mode, yours[1] if mine[1] in (was[1], yours[1]) else mine[1])


# The user or an agent may have told git to show one object in place of another; what lands is the object itself.
_QUESTION = (
    *("--no-replace-objects", "diff-tree", "--stdin", "--always", "--root"),
    *("-r", "-z", "--raw", "--no-abbrev", "--format=commit %T %P"),
)
_PLAIN = ("--no-renames", "--ignore-submodules=none", "--no-ext-diff")
_RENAMES = ("-M50%", "-l1000", "--no-rename-empty", "--ignore-submodules=none", "--no-ext-diff")
_HEADER = "commit "


@record
class Diff:
    """From a commit's parent, or from another commit, to a commit. `renames` are old names with their new ones."""

    tree: str
    parents: list[str]
    changes: Changes
    renames: dict[str, str]


def read_diffs(root: str, pairs: Sequence[tuple[str, str]], *, with_renames: bool = False) -> list[Diff]:
    """For each pair of commits what leads from the first to the second. "" as the first: the second's own parent."""
    asked = "".join(f"{new} {old}".rstrip() + "\n" for old, new in pairs)
    how = _RENAMES if with_renames else _PLAIN
    fields = run_git(root, *_QUESTION, *how, data=asked.encode()).split("\0")
    found: list[Diff] = []
    place = 0
    while place < len(fields) - 1:
        field = fields[place].removeprefix("\n")
        if field.startswith(_HEADER):
            tree, *parents = field.removeprefix(_HEADER).split()
            found.append(Diff(tree, parents, {}, {}))
            place += 1
        elif field.startswith(":"):
            place += _take(found[-1], field, fields[place + 1 : place + 3])
        else:
            break  # git repeats what it does not know
    if len(found) != len(pairs):
        raise ToolFailed("a commit is not in the repository any more", remedy="git fsck")
    return found


def _take(diff: Diff, field: str, paths: Sequence[str]) -> int:
    """Put one row into the diff; how many fields it had."""
    old_mode, new_mode, old_oid, new_oid, kind = field.removeprefix(":").split(" ")
    old, new = _entry(old_mode, old_oid), _entry(new_mode, new_oid)
    if kind[0] == "R":
        diff.changes[paths[0]], diff.changes[paths[1]] = (old, None), (None, new)
        diff.renames[paths[0]] = paths[1]
        return 3
    diff.changes[paths[0]] = (old, new)
    return 2


def _entry(mode: str, oid: str) -> Entry | None:
    return None if mode == "000000" else (mode, oid)
