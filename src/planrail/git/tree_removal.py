"""Removing folders that an agent has had: read-only ones too, never through a link, and again if it died half way."""

import errno
import os
import stat
from collections.abc import Callable, Iterable

from planrail.base.errors import ToolFailed

_TRIES = 5  # another process may still write there
_GONE = (errno.ENOENT, errno.ENOTDIR)


def remove_tree(path: str) -> None:
    """Remove a file, a link or a folder with all that is in it. Nothing there is nothing to do."""
    remove_except(path, ())


def remove_except(path: str, keep: Iterable[str]) -> None:
    """The same, but for these paths and what is in them."""
    kept = frozenset(os.path.normpath(place) for place in keep)
    above = frozenset(folder for place in kept for folder in _folders_above(place))
    for turn in range(_TRIES):
        try:
            _remove(os.path.normpath(path), kept, above)
            return
        except RecursionError:
            _remove_deep(path, keeps=bool(kept))
            return
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                _remove_deep(path, keeps=bool(kept))
                return
            if turn == _TRIES - 1:
                raise ToolFailed(f"{path} cannot be removed: {error.strerror}", remedy=f"remove {path}") from error


def _remove(path: str, kept: frozenset[str], above: frozenset[str]) -> None:
    if path in kept:
        return
    try:
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError as error:
        if error.errno in _GONE:
            return
        raise
    if not is_folder:
        _with_rights(os.unlink, path)
        return
    for name in _list(path):
        _remove(f"{path}/{name}", kept, above)
    if path not in above:
        _with_rights(os.rmdir, path)


def _remove_deep(path: str, *, keeps: bool) -> None:
    """Folders in folders in folders, past what a path can name: a program that walks them is asked."""
    import subprocess  # a job of an agent comes here too, and starts without it

    if keeps or subprocess.run(["rm", "-rf", "--", path], capture_output=True).returncode:
        raise ToolFailed(f"{path} cannot be removed: its folders are too deep", remedy=f"remove {path}")


def _list(path: str) -> list[str]:
    try:
        return os.listdir(path)
    except PermissionError:
        _open_up(path)
        return os.listdir(path)
    except FileNotFoundError:
        return []


def _with_rights(remove: Callable[[str], None], path: str) -> None:
    try:
        remove(path)
    except FileNotFoundError:
        return
    except PermissionError:
        _open_up(os.path.dirname(path))
        remove(path)


def _open_up(folder: str) -> None:
    os.chmod(folder, stat.S_IMODE(os.stat(folder).st_mode) | 0o700)


def open_folders(path: str) -> None:
    """Let every folder below a path be written to; a git that checks out cannot help itself."""
    for folder, folders, _ in os.walk(path):
        for name in folders:
            place = os.path.join(folder, name)
            status = os.lstat(place)
            if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o700 != 0o700:
                os.chmod(place, stat.S_IMODE(status.st_mode) | 0o700)


def is_real_folder(root: str, folder: str, known: dict[str, bool]) -> bool:
    """Whether a folder is there, and no link stands in for it or for one above it, up to the root."""
    if not folder:
        return True
    if folder not in known:
        try:
            is_folder = stat.S_ISDIR(os.lstat(os.path.join(root, folder)).st_mode)
        except OSError:
            is_folder = False
        known[folder] = is_folder and is_real_folder(root, os.path.dirname(folder), known)
    return known[folder]


def _folders_above(path: str) -> list[str]:
    found = []
    while (parent := os.path.dirname(path)) != path:
        found.append(parent)
        path = parent
    return found
