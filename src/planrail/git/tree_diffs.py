"""What differs between trees: any number of comparisons by one git."""

from collections.abc import Sequence

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import run_git
from planrail.git.tree_merging import Changes, Entry

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
