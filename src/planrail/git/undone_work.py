"""Was work undone that nobody has committed? Told from the trees that it began and ended with, and the files as now."""

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from planrail.git.git_writing import ask_git, encode_name
from planrail.git.object_store import object_id

_NONE, _LINK, _RUNS = "000000", "120000", "100755"
_MOST = 2000  # commits in which work is looked for


class TreeChange(NamedTuple):
    """Work that changed a tree into another one, on a commit. `files`: those that it was about, where that is known."""

    before: str
    after: str
    commit: str = ""
    files: tuple[str, ...] = ()


class _Entry(NamedTuple):
    """A file before the work, and its content after it; `_NONE` is the mode of a file that is not there."""

    mode: str
    id: str
    after: str


def list_undone(root: str, works: Sequence[TreeChange]) -> list[bool]:
    """For each work, the oldest first, whether a file that it was about is as it was before again; of work that was
    about none in particular, whether all are.

    What a later work was about is its own. What was committed since is history, whatever became of it. Where git does
    not have a tree any more, nothing was undone as far as anyone knows.
    """
    changes = _compare(root, {work[:2] for work in works})
    found = [changes.get(work[:2], {}) for work in works]
    own = [set(work.files) or set(changed) for work, changed in zip(works, found, strict=True)]
    mine = [paths.difference(*own[number:]) for number, paths in enumerate(own, 1)]
    kept = [
        {path: entry for path, entry in changed.items() if path in paths}
        for paths, changed in zip(mine, found, strict=True)
    ]
    now = _Files(root, sorted({path for before in kept for path in before if before[path].mode != _NONE}))
    back = [[before[path] for path in before if now.is_as(path, before[path])] for before in kept]
    return [
        bool(gone) and (bool(work.files) or len(gone) == len(before)) and not _is_committed(root, work.commit, gone)
        for work, before, gone in zip(works, kept, back, strict=True)
    ]


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
            mode, _, name, became, _ = change.removeprefix(":").split()
            changed[next(parts)] = _Entry(mode, name, became)
    return found


def _is_committed(root: str, commit: str, gone: Sequence[_Entry]) -> bool:
    """Whether files were committed, since a commit, as the work left them."""
    if not commit:
        return False
    options = ("--raw", "--no-abbrev", "--no-renames", "-m", "--format=", f"--max-count={_MOST}")
    told = ask_git(root, "log", *options, f"{commit}..HEAD") or ""
    became = {line.split()[3] for line in told.splitlines() if line.startswith(":")}
    return {entry.after for entry in gone} <= became


class _Files:
    """Files of a working tree, as git would keep them."""

    def __init__(self, root: str, paths: Sequence[str]) -> None:
        self._root = root
        plain = [path for path in paths if "\n" not in path and stat.S_ISREG(self._mode(path))]
        asked = b"".join(encode_name(path) + b"\n" for path in plain)
        answer = ask_git(root, "hash-object", "--stdin-paths", data=asked) if asked else ""
        self._ids = dict(zip(plain, (answer or "").split(), strict=False))

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
