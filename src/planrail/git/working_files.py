"""The working tree of a repository, as rules see it: names and texts, bounded, never outside the root."""

import os
import re
import stat

from planrail.git.git import find_words, list_files, top_level

MAX_BYTES = 1024 * 1024  # a larger file is data; nobody cites a line of it
MAX_FILES = 200_000  # of a folder outside git, where nothing says what to leave out
MAX_SEARCHED = 20 * 1024 * 1024  # characters of a folder outside git, where Python has to search
_BINARY_SNIFF = 8192  # characters without a NUL that make a text; git looks at as many
_SKIPPED = frozenset((".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"))


class RepositoryTree:
    """The files below one folder, asked about at the first question, and once."""

    def __init__(self, root: str, *, is_repository: bool | None = None) -> None:
        self.root = root
        self._known = is_repository
        self._files: list[str] | None = None

    @property
    def _is_repository(self) -> bool:
        if self._known is None:
            self._known = top_level(self.root) is not None
        return self._known

    def files(self) -> list[str]:
        """Paths relative to the root of all files that git does not ignore, those of submodules included."""
        if self._files is None:
            self._files = _list(self.root) if self._is_repository else _walk(self.root)
        return self._files

    def read(self, path: str) -> str | None:
        """The text of a file; None where it is missing, large, binary, or a link out of the tree."""
        full = os.path.join(self.root, path)
        try:
            if os.path.isabs(path) or ".." in path.split("/"):
                return None
            if not _is_readable(full, self.root):
                return None
            with open(full, "rb") as file:
                data = file.read(MAX_BYTES)
        except (OSError, ValueError):
            return None
        return None if b"\x00" in data[:_BINARY_SNIFF] else data.decode("utf-8", "replace")

    def find_words(self, expression: str, *, excluding: str) -> set[str] | None:
        """The distinct whole words in the texts that match; None where the search was given up."""
        if not self._is_repository:
            return self._search(expression, excluding)
        found = find_words(self.root, expression)
        return {word for word, paths in found.items() if paths != {excluding}} if found is not None else None

    def _search(self, expression: str, excluding: str) -> set[str] | None:
        pattern = re.compile(rf"\b(?:{expression})\b")
        found: set[str] = set()
        size = 0
        for path in self.files():
            text = self.read(path) if path != excluding else None
            size += len(text or "")
            if size > MAX_SEARCHED:
                return None
            found.update(match[0] for match in pattern.finditer(text or ""))
        return found


def open_tree(start_path: str) -> RepositoryTree | None:
    """The working tree that a file or folder lies in; None where there is no repository or no git."""
    root = top_level(start_path)
    return RepositoryTree(root, is_repository=True) if root is not None else None


def open_folder(root: str) -> RepositoryTree:
    """The tree below exactly this folder, whether a repository, a part of one, or neither."""
    return RepositoryTree(root)


def _list(root: str) -> list[str]:
    """What git lists. A folder in that list is a submodule, or a repository of its own inside this one."""
    names = list_files(root)
    has_submodules = ".gitmodules" in names
    found: list[str] = []
    for name in names:
        if name.endswith("/") or (has_submodules and os.path.isdir(os.path.join(root, name))):
            inner = os.path.join(root, name.rstrip("/"))
            is_there = top_level(inner) == os.path.realpath(inner)  # else a submodule that is not checked out
            found += [f"{name.rstrip('/')}/{path}" for path in _list(inner)] if is_there else []
        else:
            found.append(name)
    return found


def _walk(root: str) -> list[str]:
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        below = os.path.relpath(folder, root).replace(os.sep, "/")
        found += names if below == "." else [f"{below}/{name}" for name in names]
        if len(found) > MAX_FILES:
            break
    return sorted(found[:MAX_FILES])


def _is_readable(path: str, root: str) -> bool:
    status = os.lstat(path)
    if stat.S_ISLNK(status.st_mode):
        real_root = os.path.realpath(root)
        if os.path.commonpath([os.path.realpath(path), real_root]) != real_root:
            return False
        status = os.stat(path)
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
