"""The repositories that the service of this user serves: `STATE/service/repositories.json`, written whole under a lock.

A repository is known by its git common directory, so that its linked worktrees are one. One that is gone stays in the
list, and is skipped: a disk that is not mounted today may be there tomorrow.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from shlex import quote

from planrail.base.errors import ToolFailed, UsageError
from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.base.whole_files import write_whole
from planrail.store.places import common_directory, locked, make_private

_FILE, _LOCK = "repositories.json", "lock"
PUBLIC, PRIVATE = 0o644, 0o600


@record
class Registered:
    """A repository of the service: its main working tree, and the git directory that it is known by."""

    root: str
    common: str

    @property
    def is_there(self) -> bool:
        """Whether the same repository is still in its place."""
        return common_directory(self.root) == self.common


def list_repositories(environment: Mapping[str, str] | None = None) -> list[str]:
    """The working trees that are to be served, without those that are gone."""
    return [known.root for known in read_registry(environment) if known.is_there]


def read_registry(environment: Mapping[str, str] | None = None) -> list[Registered]:
    """All that were registered, in the order of their registration. Raises `ToolFailed` where that is damaged."""
    place = os.path.join(_folder(environment), _FILE)
    data = read_file(place)
    if data is None:
        return []
    try:
        return [Registered(str(entry["root"]), str(entry["common"])) for entry in json.loads(data)["repositories"]]
    except (ValueError, KeyError, TypeError):
        raise ToolFailed(
            f"{place} is damaged: it holds no list of repositories",
            remedy=f"remove it, and register them again: rm {quote(place)}; planrail service add PATH",
        ) from None


def add_repository(root: str, environment: Mapping[str, str] | None = None) -> tuple[Registered, bool]:
    """Register the repository around a folder; what is registered, and whether that is new."""
    wanted = identify(root)
    with _exclusive(environment):
        known = read_registry(environment)
        same = next((entry for entry in known if entry.common == wanted.common), None)
        if same is not None and same.is_there:
            return same, False
        moved = [wanted if entry is same else entry for entry in known]  # its working tree may have
        _write(moved if same is not None else [*known, wanted], environment)
    return wanted, True


def remove_repository(root: str, environment: Mapping[str, str] | None = None) -> Registered | None:
    """Take a repository out of the list; None where it is not in it. One that is gone is named by its old path."""
    place = os.path.realpath(root)
    around = _find_root(place) if os.path.isdir(place) else None  # a gone one may lie in another repository
    common = common_directory(around) if around is not None else None
    with _exclusive(environment):
        known = read_registry(environment)
        named = [entry for entry in known if entry.root == place]
        found = next(iter(named or [entry for entry in known if entry.common == common]), None)
        if found is not None:
            _write([entry for entry in known if entry is not found], environment)
    return found


def forget_repositories(environment: Mapping[str, str] | None = None) -> int:
    """Forget all of them; how many there were."""
    with _exclusive(environment):
        known = read_registry(environment)
        _write([], environment)
    return len(known)


def identify(folder: str) -> Registered:
    """The repository around a folder, by its main working tree. Raises `UsageError` where there is none."""
    place = os.path.realpath(folder)
    if not os.path.isdir(place):
        raise UsageError(f"{folder} is no folder", remedy="planrail service add PATH   (of a git repository)")
    root = _find_root(place)
    if root is None:
        text = f"{place} is in no git repository, and the service serves repositories"
        raise UsageError(text, remedy=f"git init {quote(place)}, or name another folder: planrail service add PATH")
    common = common_directory(root) or ""
    main = os.path.dirname(common)
    return Registered(main if common_directory(main) == common else root, common)


def _find_root(place: str) -> str | None:
    while common_directory(place) is None:
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above
    return place


@contextlib.contextmanager
def _exclusive(environment: Mapping[str, str] | None) -> Iterator[None]:
    folder = _folder(environment)
    try:
        make_private(folder)
        with locked(os.path.join(folder, _LOCK)):
            yield
    except OSError as error:
        remedy = f"make {quote(folder)} writable for you, or set PLANRAIL_STATE_DIR"
        raise ToolFailed(f"{folder} cannot be written: {error.strerror}", remedy=remedy) from error


def _write(known: list[Registered], environment: Mapping[str, str] | None) -> None:
    entries = [{"root": entry.root, "common": entry.common} for entry in known]
    data = json.dumps({"version": 1, "repositories": entries}, indent=1).encode("ascii") + b"\n"
    write_file(ServiceFile(os.path.join(_folder(environment), _FILE), data, PRIVATE))


def _folder(environment: Mapping[str, str] | None) -> str:
    return os.path.join(state_folder(environment), "service")


@record
class ServiceFile:
    """A file that `install` writes: where, what, and which users may read it."""

    path: str
    data: bytes
    mode: int = PUBLIC


def read_file(path: str) -> bytes | None:
    """What a file holds; None where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ToolFailed(f"{path} cannot be read: {error.strerror}", remedy=f"ls -l {quote(path)}") from error


def write_file(file: ServiceFile) -> bool:
    """Write a file in one step; whether that changed anything. What is so already is not touched."""
    is_same = read_file(file.path) == file.data and not os.path.islink(file.path)
    if is_same and os.stat(file.path).st_mode & 0o777 == file.mode:
        return False
    try:
        os.makedirs(os.path.dirname(file.path), mode=0o700, exist_ok=True)
        write_whole(file.path, file.data, mode=file.mode)
        os.chmod(file.path, file.mode)  # whatever the user lets new files have
    except OSError as error:
        raise ToolFailed(
            f"{file.path} could not be written: {error.strerror}; it is as it was",
            remedy=f"make {quote(os.path.dirname(file.path))} writable for you, then give the command again",
        ) from error
    return True


def remove_file(path: str) -> bool:
    """Remove a file; whether there was one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise ToolFailed(f"{path} could not be removed: {error.strerror}", remedy=f"rm {quote(path)}") from error
    return True
