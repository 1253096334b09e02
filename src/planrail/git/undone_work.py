"""Was work undone that nobody has committed? Told from the trees that it began and ended with, and the files as now."""

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from planrail.git.git_writing import ask_git, encode_name
from planrail.git.object_store import object_id

_NONE, _LINK, _RUNS = "000000", "120000", "100755"


class TreeChange(NamedTuple):
    """Work that changed a tree into another one. `files` are those that it was about, where that is known."""

    before: str
    after: str
    files: tuple[str, ...] = ()


class _Entry(NamedTuple):
    """A file of a tree; its mode is `_NONE` where the tree has no such file."""

    mode: str
    id: str


def list_undone(root: str, works: Sequence[TreeChange]) -> list[bool]:
    """For each work whether all files that it was about are as they were before it again.

    Where git does not have a tree any more, nothing was undone as far as anyone knows.
    """
    changes = _compare(root, {work[:2] for work in works})
    found = [changes.get(work[:2], {}) for work in works]
    kept = [
        {path: entry for path, entry in changed.items() if not work.files or path in work.files}
        for work, changed in zip(works, found, strict=True)
    ]
    now = _Files(root, sorted({path for before in kept for path in before if before[path].mode != _NONE}))
    return [bool(before) and all(now.is_as(path, before[path]) for path in before) for before in kept]


def _compare(root: str, pairs: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, _Entry]]:
    """What was before, of each file that two trees do not have alike. A pair with a tree that is gone is left out."""
    asked = "".join(f"{before} {after}\n" for before, after in sorted(pairs)).encode()
    options = ("--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev")
    answer = ask_git(root, "diff-tree", *options, data=asked) or ""
    found: dict[tuple[str, str], dict[str, _Entry]] = {}
    changed: dict[str, _Entry] = {}
    parts = iter(answer.split("\0"))
    for part in parts:
        headings, _, change = part.rpartition("\n")
        for line in headings.splitlines():
            before, after = line.split()
            changed = found[before, after] = {}
        if change:
            mode, _, name, _, _ = change.removeprefix(":").split()
            changed[next(parts)] = _Entry(mode, name)
    return found


class _Files:
    """Files of a working tree, as git would keep them."""

    def __init__(self, root: str, paths: Sequence[str]) -> None:
        self._root = root
        plain = [path for path in paths if stat.S_ISREG(self._mode(path))]
        asked = b"".join(encode_name(path) + b"\n" for path in plain if "\n" not in path)
        answer = ask_git(root, "hash-object", "--stdin-paths", data=asked) if asked else ""
        self._ids = dict(zip((path for path in plain if "\n" not in path), (answer or "").split(), strict=False))

    def is_as(self, path: str, entry: _Entry) -> bool:
        mode = self._mode(path)
        if entry.mode == _NONE:
            return not mode
        if entry.mode == _LINK:
            return stat.S_ISLNK(mode) and self._hash_link(path, entry.id) == entry.id
        runs = bool(mode & stat.S_IXUSR) == (entry.mode == _RUNS)
        return stat.S_ISREG(mode) and runs and self._ids.get(path) == entry.id

    def _mode(self, path: str) -> int:
        try:
            return os.lstat(os.path.join(self._root, path)).st_mode
        except OSError:
            return 0

    def _hash_link(self, path: str, like: str) -> str:
        return object_id("blob", os.fsencode(os.readlink(os.path.join(self._root, path))), like=like)
