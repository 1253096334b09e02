"""Which repository would git find in a folder, and could its settings make git run a program?

Whoever runs git in a repository runs what its settings and hooks name: `git status` alone follows `core.fsmonitor` and
the hook `post-index-change`. The project's own repository is its owner's. Any other one that lies about (a folder with
HEAD, objects and refs that a tree carries, a nested clone, a package) has to have settings that name no program.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 1 << 26  # bytes of an index; of settings a thousandth
_FOREIGN = (
    "git would use the repository at {place}, which is not the project's own, and {why}, so that git may run a program "
    "for it; read its files without git"
)
_ADDRESS = "it says where to connect to"
_MODULE = (
    "the submodule at {place} has a repository of its own among the files, whose settings may name programs that git "
    "runs; read without git"
)


class Repositories:
    """What git would find on this disk, for an agent that plans in the project at `root`.

    `module` names a submodule of the project that is not to be trusted (see `git.embedded`), "" where there is none.
    """

    def __init__(self, root: str, module: "Callable[[], str]") -> None:
        self._root = root
        self._module = module
        self.search_path = os.environ.get("CDPATH", "")

    def resolve(self, path: str) -> str:
        """The path without links."""
        return os.path.realpath(path)

    def refuse(self, folder: str, *, connects: bool = False) -> str:
        """Why git must not run in a folder; "" where it may. To connect, it has to be the project's own repository.

        Every repository from there upwards is looked at: which of them git takes depends on more than is seen here.
        """
        own, place = own_repository(self._root), os.path.realpath(folder)
        while True:
            found = [other for other in (repository_at(place), place if _is_bare(place) else "") if other]
            for other in found:
                why = "" if is_own(other, own) else _describe_danger(other) or (_ADDRESS if connects else "")
                if why:
                    return _FOREIGN.format(place=place, why=why)
            if any(is_own(other, own) for other in found):
                return _MODULE.format(place=self._module()) if self._module() else ""
            if place == "/":
                return ""
            place = os.path.dirname(place)


def _describe_danger(found: str) -> str:
    from planrail.guard.foreign import describe_danger

    return describe_danger(found)


def own_repository(root: str) -> str:
    """The folder with the settings of the project's own repository; "" where it has none."""
    place = os.path.realpath(root)
    while True:
        found = repository_at(place)
        if found:
            return common_of(found)
        if place == "/":
            return ""
        place = os.path.dirname(place)


def is_own(found: str, own: str) -> bool:
    """Whether a repository is the project's: the same one, or inside it, as those of work trees and submodules are."""
    return own != "" and (found == own or found.startswith((f"{own}/worktrees/", f"{own}/modules/")))


def repository_at(folder: str) -> str:
    """The repository that a folder's `.git` is or names; "" where there is none that git would take for one."""
    path = f"{folder}/.git"
    if os.path.isdir(path):
        return os.path.realpath(path) if os.path.lexists(f"{path}/HEAD") else ""
    if not os.path.isfile(path):
        return ""
    text = read_file(path, LARGEST)
    named = _read_name(path, text.removeprefix(b"gitdir: "))
    return os.path.realpath(os.path.join(folder, named)) if text.startswith(b"gitdir: ") else ""


def _is_bare(folder: str) -> bool:
    """With a file `commondir`, git looks for the rest, and for the settings, where that says."""
    if not os.path.lexists(f"{folder}/HEAD"):
        return False
    return os.path.lexists(f"{folder}/commondir") or all(
        os.path.isdir(f"{folder}/{name}") for name in ("objects", "refs")
    )


def common_of(found: str) -> str:
    """The folder with the settings of a repository: of a work tree, the one that its file `commondir` names."""
    path = f"{found}/commondir"
    named = _read_name(path, read_file(path, LARGEST))
    return os.path.realpath(os.path.join(found, named)) if named else found


def _read_name(path: str, text: bytes) -> str:
    """The name of a folder in a file of git's, which takes every byte of it but line ends behind it."""
    named = os.fsdecode(text.rstrip(b"\r\n"))
    if named != named.strip() or not named.isprintable():
        raise OSError(22, "a name that versions of git may read differently", path)
    return named


def read_file(path: str, most: int) -> bytes:
    """A file's bytes; nothing where there is none. What is no plain file could be one that never ends."""
    if not os.path.lexists(path):
        return b""
    if not os.path.isfile(path) or os.path.getsize(path) > most:
        raise OSError(22, "no plain file, or one that is too large", path)
    with open(path, "rb") as file:
        return file.read(most)
