"""What state a repository is in, by git's own word: what is under way, in conflict, uncommitted, or out of reach."""

import os
from collections.abc import Iterable

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.whole_files import read_whole
from planrail.git.checkouts import Home, locate_home
from planrail.git.git_writing import ask_git, list_tree, run_git
from planrail.git.status import SUBMODULE, parse_status

_STATUS = ("--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=dirty")
_PICKED = "pre-cherry-pick"  # a stash that the predecessor's landing left behind
_NO_COMMIT = "(initial)"
_DETACHED = "(detached)"


@record
class GitState:
    """A repository, as a run finds it. `branch` is "" where HEAD is detached, `head` where there is no commit yet."""

    operation: str  # merge, rebase, am, cherry-pick, revert, bisect; "" for none
    conflicts: tuple[str, ...]
    branch: str
    head: str
    staged: tuple[str, ...]
    unstaged: tuple[str, ...]
    untracked: tuple[str, ...]
    stashes: tuple[str, ...]  # the messages of those that a broken landing left
    submodules: tuple[str, ...]
    has_lfs: bool

    @property
    def dirty(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.conflicts, *self.staged, *self.unstaged, *self.untracked)))


def read_state(root: str, target: str = "HEAD") -> GitState:
    """The state of the working tree at `root`, and what the tree of `target` holds that needs more than git."""
    home = locate_home(root)
    answer = ask_git(root, "status", *_STATUS)
    is_bare = answer is None and (ask_git(root, "rev-parse", "--is-bare-repository") or "").strip() == "true"
    if answer is None and not is_bare:
        raise ToolFailed(f"git cannot read the repository at {root}", remedy=f"git -C {root} status")
    entries = [entry for entry in (answer or "").split("\0") if entry]
    rows = parse_status(entries)
    head = _header(entries, "# branch.oid ", _NO_COMMIT)
    submodules, has_lfs = _look_into(root, target) if head or target != "HEAD" else ((), False)
    return GitState(
        _operation(home, root),
        tuple(row.path for row in rows if row.later == "U"),
        _header(entries, "# branch.head ", _DETACHED),
        head,
        tuple(row.path for row in rows if row.staged not in ".U"),
        tuple(row.path for row in rows if row.later not in ".U?"),
        tuple(row.path for row in rows if row.later == "?"),
        _stashes(home, root),
        submodules,
        has_lfs,
    )


def _operation(home: Home, root: str) -> str:
    """As `git status` tells it, which looks at the same files of the same git directory."""

    def has(name: str) -> bool:
        return os.path.lexists(os.path.join(home.git_dir, name))

    if has("MERGE_HEAD"):
        return "merge"
    if has("rebase-apply"):
        return "am" if has("rebase-apply/applying") else "rebase"
    if has("rebase-merge"):
        return "rebase"
    for name, operation in (("CHERRY_PICK_HEAD", "cherry-pick"), ("REVERT_HEAD", "revert")):
        if has(name) or (home.has_tables and ask_git(root, "rev-parse", "-q", "--verify", name) is not None):
            return operation
    # Between two picks of a series no file but this one says that there are more to come.
    first = (read_whole(os.path.join(home.git_dir, "sequencer/todo")) or b"").split(maxsplit=1)[:1]
    if first:
        return "revert" if first[0] == b"revert" else "cherry-pick"
    return "bisect" if has("BISECT_LOG") else ""


def _header(entries: Iterable[str], name: str, nothing: str) -> str:
    found = next((entry.removeprefix(name) for entry in entries if entry.startswith(name)), "")
    return "" if found == nothing else found


def _stashes(home: Home, root: str) -> tuple[str, ...]:
    if home.has_tables:
        messages = (ask_git(root, "stash", "list", "--format=%gs") or "").splitlines()
    else:
        lines = os.fsdecode(read_whole(os.path.join(home.common, "logs/refs/stash")) or b"").splitlines()
        messages = [line.partition("\t")[2] for line in lines]
    return tuple(message for message in messages if _PICKED in message)


def _look_into(root: str, target: str) -> tuple[tuple[str, ...], bool]:
    files = list_tree(root, target)
    submodules = tuple(path for path, (mode, _) in files.items() if mode == SUBMODULE)
    oids = [oid for path, (_, oid) in files.items() if os.path.basename(path) == ".gitattributes"]
    if not oids:
        return submodules, False
    text = run_git(root, "cat-file", "--batch", data="".join(f"{oid}\n" for oid in oids).encode())
    return submodules, any("filter=lfs" in line.split("#")[0].split() for line in text.splitlines())
