"""The content of files as they are on disk, byte for byte, in git's object store.

git's own way into the store would convert line ends and call filters, and what comes out again need not be what went
in. So content is hashed as it is; how much of it is bounded.
"""

import os
import stat

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import join_paths, run_git
from planrail.git.snapshots.signature import file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LARGEST_FILE = 32 * 1024 * 1024
LARGEST_SUM = 512 * 1024 * 1024
_TRIES = 3


@record
class Sorted:
    """Paths by what can be done with them: `unread` are those whose content is not taken, with the reason."""

    regular: list[str]
    links: list[str]
    gone: list[str]
    unread: dict[str, str]
    perms: dict[str, int]


def sort_paths(root: str, paths: "Iterable[str]") -> Sorted:
    """Look at each path once, without following a link."""
    result = Sorted([], [], [], {}, {})
    parents: dict[str, bool] = {}
    total = 0
    for path in paths:
        status = _status_inside(root, path, parents)
        is_folder = status is not None and stat.S_ISDIR(status[0])
        if status is None or (is_folder and not os.path.lexists(os.path.join(root, path, ".git"))):
            result.gone.append(path)  # to git, which knows no folders, a file is gone whose place a folder has taken
        elif stat.S_ISLNK(status[0]):
            result.links.append(path)
        else:
            total += status[1]
            _sort_one(root, path, status, result, is_full=total > LARGEST_SUM)
    return result


def _sort_one(root: str, path: str, status: list[int], result: Sorted, *, is_full: bool) -> None:
    mode, size = status[:2]
    reason = ""
    if not stat.S_ISREG(mode):
        reason = "a repository of its own" if stat.S_ISDIR(mode) else "not a regular file"
    elif size > LARGEST_FILE or is_full:
        reason = f"too large to keep a copy of ({size:,} bytes)"
    elif not os.access(os.path.join(root, path), os.R_OK):
        reason = "not readable"
    if reason:
        result.unread[path] = reason
        return
    result.regular.append(path)
    result.perms[path] = stat.S_IMODE(mode)


def _status_inside(root: str, path: str, parents: dict[str, bool]) -> list[int] | None:
    """The status of a path; None where it is gone, or behind a link, which is the same to git."""
    parent = os.path.dirname(path.rstrip("/"))
    if parent not in parents:
        place = os.path.join(root, parent) if parent else root
        parents[parent] = os.path.realpath(place) == place
    return file_status(os.path.join(root, path)) if parents[parent] else None


def describe_now(root: str, paths: "Sequence[str]", *, keep: bool = True) -> tuple[dict[str, tuple[str, str]], Sorted]:
    """The mode and object of each path as it is now ("", "" where it is gone); kept in the store where wanted.

    A file may vanish between two looks: then it is looked at again.
    """
    for turn in range(_TRIES):
        kinds = sort_paths(root, paths)
        try:
            oids = _hash(root, kinds.regular, keep=keep)
        except ToolFailed:
            if turn == _TRIES - 1:
                raise
            continue
        found = dict.fromkeys(kinds.gone, ("", ""))
        for path, oid in zip(kinds.regular, oids, strict=True):
            found[path] = ("100755" if kinds.perms[path] & 0o100 else "100644", oid)
        for path in kinds.links:
            target, options = os.fsencode(os.readlink(os.path.join(root, path))), ("-w",) if keep else ()
            found[path] = ("120000", run_git(root, "hash-object", *options, "--stdin", data=target).strip())
        return found, kinds
    raise AssertionError("unreachable")


def write_tree(root: str, index: str, entries: dict[str, tuple[str, str]]) -> str:
    """The tree of an index file of planrail's own, after these entries were put in (or out: "", "")."""
    gone = [path for path, (mode, _) in entries.items() if not mode]
    if gone:
        run_git(root, "update-index", "--force-remove", "-z", "--stdin", index=index, data=join_paths(gone))
    lines = [f"{mode} {oid}\t{path}" for path, (mode, oid) in entries.items() if mode]
    if lines:
        run_git(root, "update-index", "--replace", "-z", "--index-info", index=index, data=join_paths(lines))
    return run_git(root, "write-tree", index=index).strip()


def _hash(root: str, paths: "Sequence[str]", *, keep: bool) -> list[str]:
    if not paths:
        return []
    names = b"".join(_quote(os.fsencode(path)) + b"\n" for path in paths)
    return run_git(root, "hash-object", *(("-w",) if keep else ()), "--no-filters", "--stdin-paths", data=names).split()


def _quote(name: bytes) -> bytes:
    """A name for `--stdin-paths`, which reads lines, and takes one in quotes for one in C's quotes."""
    if not any(sign in name for sign in b'\n\r"\\'):
        return name
    return b'"' + b"".join(b"\\%03o" % sign if sign in b'\n\r"\\' else b"%c" % sign for sign in name) + b'"'
