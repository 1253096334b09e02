"""Files that no commit holds and a workspace needs all the same (`.env`, local settings): copied where declared.

They are declared by `.worktreeinclude` of the base commit and by the settings, in the language of `.gitignore`, and
must be ignored: what is not would look like a part of the work. Regular files below the root only, and no link.
"""

import os
import stat
from collections.abc import Sequence

from planrail.git.checkouts import locate_home
from planrail.git.git_writing import ask_git, join_paths, run_git
from planrail.git.workspaces.workspace_git import agents_index

INCLUDE_FILE = ".worktreeinclude"
LARGEST_SUM = 1024 * 1024 * 1024
_LONGEST_LIST = 64 * 1024
_CHUNK = 1 << 20


def copy_declared(root: str, path: str, include: Sequence[str]) -> tuple[list[str], str]:
    """Copy the declared files from the user's checkout into a workspace: which were copied, and what went wrong."""
    patterns = [*_declared(path), *include]
    copied: list[str] = []
    left = LARGEST_SUM
    for name in _find(root, path, patterns) if patterns else ():
        try:
            size = _copy(os.path.realpath(root), path, name, left)
        except OSError as error:
            return copied, f"{name} cannot be copied: {error.strerror}"
        if size is not None:
            left -= size
            copied.append(name)
        if left < 0:
            return (
                copied,
                f"the files that {INCLUDE_FILE} and the settings declare have more than {LARGEST_SUM:,} bytes",
            )
    return copied, ""


def _declared(path: str) -> list[str]:
    """The patterns that the base commit has; its file is in the workspace, where nobody has been yet."""
    try:
        descriptor = os.open(
            os.path.join(path, INCLUDE_FILE), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        )
    except OSError:
        return []
    with open(descriptor, "rb") as file:
        lines = os.fsdecode(file.read(_LONGEST_LIST)).splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _find(root: str, path: str, patterns: Sequence[str]) -> list[str]:
    """The files of the checkout that match, are not tracked, and are ignored by the rules of the base."""
    options = [f"--exclude={pattern}" for pattern in patterns]
    found = run_git(root, "ls-files", "-z", "--others", "--ignored", *options).split("\0")
    names = join_paths(name for name in found if name and not name.endswith("/"))
    if not names:
        return []
    view, index = locate_home(root).git_dir, agents_index(path)
    ignored = ask_git(path, "check-ignore", "-z", "--stdin", index=index, view=view, data=names) or ""
    return [name for name in ignored.split("\0") if name]


def _copy(root: str, path: str, name: str, most: int) -> int | None:
    """Copy one file; its size, or None where it is no plain file, or would go out of the root or the workspace."""
    source, target = os.path.join(root, name), os.path.join(path, name)
    is_plain = os.path.realpath(source) == source and os.path.isfile(source)
    if not is_plain or os.path.lexists(target):
        return None
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.realpath(os.path.dirname(target)) != os.path.dirname(target):
        return None
    status = os.lstat(source)
    if status.st_size <= most:
        _copy_bytes(source, target, stat.S_IMODE(status.st_mode))
    return status.st_size


def _copy_bytes(source: str, target: str, mode: int) -> None:
    """Written under another name first: a copy that is there is whole."""
    temporary = f"{target}.{os.getpid()}~"
    reading = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(reading, "rb") as original:
        writing = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, mode | 0o200)
        with open(writing, "wb") as copy:
            while chunk := original.read(_CHUNK):
                copy.write(chunk)
    os.replace(temporary, target)
