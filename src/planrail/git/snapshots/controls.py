"""What git's own files mean: where HEAD is, the refs, what is staged, the stash, the settings and the hooks."""

import os
import stat

from planrail.base.errors import ToolFailed
from planrail.base.projects import find_above
from planrail.git.git_writing import ask_git, run_git
from planrail.git.snapshots.signature import OPERATIONS, UNWATCHED_REFS, file_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from planrail.git.snapshots.look import GitState, TreeSnapshot

_SETTINGS = ("config", "info/exclude", "info/attributes", "info/grafts")
LIST_INDEX = ("ls-files", "-z", "--stage", "-v")
_OF_WORKTREE = "config.worktree"
_NOTED_IN = ("config", ".gitconfig", _OF_WORKTREE)


def read_state(snapshot: "TreeSnapshot", listed: str | None = None) -> "GitState":
    """What the files of a snapshot's git mean now; `listed` is what its index holds, where that was asked already."""
    root, git_dir, common_dir = snapshot.root, snapshot.git_dir, snapshot.common_dir
    places = {**{name: f"{git_dir}/{name}" for name in OPERATIONS}, **locate_settings(git_dir, common_dir)}
    digests = {name: digest(place) for name, place in sorted(places.items())}
    lines = run_git(root, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)").splitlines()
    refs = (line.split("\0") for line in lines)
    return {
        "head": _read_head(root, git_dir),
        "refs": {name: symref or oid for name, oid, symref in refs if not name.startswith(UNWATCHED_REFS)},
        "index": hash_bytes(os.fsencode(run_git(root, *LIST_INDEX) if listed is None else listed)),
        "stash": digest(os.path.join(common_dir, "logs/refs/stash")),
        "settings": {name: digest for name, digest in digests.items() if digest},
    }


def _read_head(root: str, git_dir: str) -> str:
    """What HEAD says. From its file: the format is git's promise, and a process is saved."""
    with open(os.path.join(git_dir, "HEAD"), "rb", 0) as file:
        head = os.fsdecode(file.read()).strip()
    if not head.endswith("/.invalid"):  # that one stands where refs are kept in tables
        return head
    name = ask_git(root, "symbolic-ref", "-q", "HEAD")
    return f"ref: {name.strip()}" if name else run_git(root, "rev-parse", "--verify", "HEAD").strip()


def locate_settings(git_dir: str, common_dir: str) -> dict[str, str]:
    """Where the settings and the hooks of a repository are, by short names: what an agent could plant there."""
    places = {name: os.path.join(common_dir, name) for name in _SETTINGS}
    places |= {_OF_WORKTREE: os.path.join(git_dir, _OF_WORKTREE)}
    hooks = os.path.join(common_dir, "hooks")
    if os.path.isdir(hooks):
        places |= {f"hooks/{name}": os.path.join(hooks, name) for name in os.listdir(hooks)}
    return places


def digest(path: str) -> str:
    """A digest of a file's content and mode; of a folder, that it is there; "" where there is nothing."""
    status = file_status(path)
    if status is None:
        return ""
    if stat.S_ISDIR(status[0]):
        return "folder"
    leads = f" {os.readlink(path)}" if stat.S_ISLNK(status[0]) else ""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)  # a pipe would be waited for
            return f"{status[0] & 0o111:o}{leads} {hash_bytes(_meaning(path, file.read())) if is_file else 'no file'}"
    except OSError as error:
        return f"unreadable: {error.strerror}{leads}"


def _meaning(path: str, content: bytes) -> bytes:
    """A file's content; of git's settings without what git notes about branches whenever one is pushed."""
    if os.path.basename(path) not in _NOTED_IN:
        return content
    from planrail.git.outside_names import describe_settings

    return os.fsencode(describe_settings(os.fsdecode(content)))


def hash_bytes(data: bytes) -> str:
    """The SHA-256 of some bytes, where possible without `hashlib`: that loads OpenSSL, which costs more than git."""
    if not _hashes:
        try:
            from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]  # since Python 3.12
        except ImportError:
            try:
                from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore]
            except ImportError:
                from hashlib import sha256
        _hashes.append(sha256)
    return str(_hashes[0](data).hexdigest())


_hashes: "list[Any]" = []  # to look for a module that is not there costs more than a hash


def locate_git(root: str) -> tuple[str, str, str] | None:
    """The top of the working tree, its git directory and the one it shares; None outside of git."""
    answer = ask_git(root, "rev-parse", "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    if answer is None:
        if find_above(os.path.realpath(root), ".git"):
            raise ToolFailed(f"git cannot read the repository at {root}", remedy=f"git -C {root} status")
        return None
    lines = answer.splitlines()
    if len(lines) != 3:
        raise ToolFailed(f"the path of the repository at {root} has a line end in it", remedy="rename the folder")
    return lines[0], lines[1], os.path.realpath(os.path.join(root, lines[2]))
