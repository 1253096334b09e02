"""Which repository would git find in a folder, and could its settings make git run a program?

To run git in a repository is to run what its settings and hooks name: `git status` alone follows `core.fsmonitor` and
the hook `post-index-change`. The project's own repository is its owner's. Any other one that lies about (a folder with
HEAD, objects and refs that a tree carries, a nested clone, a package) has to have settings that name no program.
"""

import os

from planrail.guard.shell.words import name_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LARGEST = 1 << 26  # bytes of an index; of settings a thousandth
_FOREIGN = (
    "git would use the repository at {place}, which is not the project's own, and {why}, so that git may run a program "
    "for it; read its files without git"
)
_ADDRESS = "it says where to connect to"
_MODULE = (
    "the submodule at {place} has a repository of its own among the files, whose settings may name programs that git "
    "runs; read without git"
)

_GITLINK = b"\x00\x00\xe0\x00"  # the mode of a submodule in an index
# Sections and keys that name no program, in small letters. `remote.x.url` is written as `remote.url`.
_PLAIN = frozenset(
    f"{section}.{key}"
    for section, keys in (
        ("core", "repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf"
         " eol safecrlf sharedrepository compression abbrev quotepath untrackedcache preloadindex longpaths"),
        ("extensions", "objectformat refstorage preciousobjects relativeworktrees"),
        ("remote", "url pushurl fetch push tagopt mirror prune gh-resolved"),
        ("branch", "remote merge rebase pushremote description autosetuprebase gh-merge-base vscode-merge-base"),
        ("submodule", "url active branch"),
        ("user", "name email"),
        ("init", "defaultbranch"),
        ("pull", "rebase ff"),
        ("push", "default autosetupremote followtags"),
        ("gc", "auto"),
        ("color", "ui"),
        ("lfs", "repositoryformatversion access"),
    )
    for key in keys.split()
)  # fmt: skip
# Hooks of commands that write. `post-index-change` is not among them.
_WRITING_HOOKS = name_set(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg"
    " post-commit pre-rebase post-checkout post-merge pre-push post-rewrite"
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
        return os.path.realpath(path)

    def refuse(self, folder: str, *, connects: bool = False) -> str:
        """Why git must not run in a folder; "" where it may. To connect, it has to be the project's own repository.

        Every repository from there upwards is looked at: which of them git takes depends on more than is seen here.
        """
        own = own_repository(self._root)
        for place in _upwards(folder):
            found = [other for other in (repository_at(place), place if _is_bare(place) else "") if other]
            for other in found:
                why = "" if is_own(other, own) else describe_danger(other) or (_ADDRESS if connects else "")
                if why:
                    return _FOREIGN.format(place=place, why=why)
            if any(is_own(other, own) for other in found):
                return _MODULE.format(place=self._module()) if self._module() else ""
        return ""


def _upwards(folder: str) -> "Iterator[str]":
    place = os.path.realpath(folder)
    while place != "/":
        yield place
        place = os.path.dirname(place)
    yield place


def own_repository(root: str) -> str:
    """The folder with the settings of the project's own repository; "" where it has none."""
    found = next(filter(None, map(repository_at, _upwards(root))), "")
    return _common_of(found) if found else ""


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
    text = _read_file(path, _LARGEST)
    named = _read_name(path, text.removeprefix(b"gitdir: "))
    return os.path.realpath(os.path.join(folder, named)) if text.startswith(b"gitdir: ") else ""


def _is_bare(folder: str) -> bool:
    """With a file `commondir`, git looks for the rest, and for the settings, where that says."""
    if not os.path.lexists(f"{folder}/HEAD"):
        return False
    parts = (f"{folder}/objects", f"{folder}/refs")
    return os.path.lexists(f"{folder}/commondir") or all(map(os.path.isdir, parts))


def _common_of(found: str) -> str:
    """The folder with the settings of a repository: of a work tree, the one that its file `commondir` names."""
    path = f"{found}/commondir"
    named = _read_name(path, _read_file(path, _LARGEST))
    return os.path.realpath(os.path.join(found, named)) if named else found


def _read_name(path: str, text: bytes) -> str:
    """The name of a folder in a file of git's, which takes every byte of it but line ends behind it."""
    named = os.fsdecode(text.rstrip(b"\r\n"))
    if named != named.strip() or not named.isprintable():
        raise OSError(22, "a name that versions of git may read differently", path)
    return named


def _read_file(path: str, most: int) -> bytes:
    """A file's bytes; nothing where there is none. What is no plain file could be one that never ends."""
    if not os.path.lexists(path):
        return b""
    if not os.path.isfile(path) or os.path.getsize(path) > most:
        raise OSError(22, "no plain file, or one that is too large", path)
    with open(path, "rb") as file:
        return file.read(most)


def describe_danger(found: str) -> str:
    """What could make git run a program for a repository; "" where nothing can."""
    try:
        common = _common_of(found)
        odd = odd_setting(_read_file(f"{common}/config", _LARGEST >> 10))
        hooks = [name for name in _names(f"{common}/hooks") if not name.endswith(".sample")]
        hook = next((name for name in hooks if name not in _WRITING_HOOKS), "")
        indexes = [name for name in _names(found) if name == "index" or name.startswith("sharedindex.")]
        has_modules = any(_has_modules(_read_file(f"{found}/{name}", _LARGEST)) for name in indexes)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    if odd or hook:
        return f"its settings hold {odd}" if odd else f"it has the hook {hook}"
    return "it has submodules" if has_modules else ""


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _has_modules(index: bytes) -> bool:
    """Whether an index lists a submodule. Its entries are aligned, but for those of version 4."""
    is_aligned = index[4:8] in (b"\x00\x00\x00\x02", b"\x00\x00\x00\x03")
    at = index.find(_GITLINK)
    while at >= 0:
        if not is_aligned or at % 8 == 4:
            return True
        at = index.find(_GITLINK, at + 1)
    return False


def odd_setting(data: bytes) -> str:
    """The first line of a repository's settings that is not known to name no program; "" where all are."""
    section = ""
    for raw in data.decode("utf-8", "replace").split("\n"):
        line = raw.strip(" \t\r")
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section, line = _section(line)
            if not line and section:
                continue
        key = line.partition("=")[0].strip(" \t").lower()
        if f"{section}.{key}" not in _PLAIN or "\\" in line or not line.isprintable():
            return f"`{(section + '.' + key)[:60]}`"
    return ""


def _section(line: str) -> tuple[str, str]:
    """The name of a section, without its second part, and what follows on the line; "" for one that is odd."""
    inside, closed, rest = line[1:].partition("]")
    name, quote, second = inside.partition('"')
    is_plain = name.strip(" \t").isalnum() and (not quote or (second.endswith('"') and '"' not in second[:-1]))
    if not closed or not is_plain or "\\" in inside:
        return "", line
    return name.strip(" \t").lower(), rest.strip(" \t")
