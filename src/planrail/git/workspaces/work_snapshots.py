"""The work of an agent as a commit in the user's object store, taken from the files alone and kept by a ref.

What the agent committed, staged, ignored by its own settings or configured in its clone does not matter: planrail asks
git with an index of its own and the user's repository as the git directory. Only what changed is staged.
"""

import os
import stat
import time
from collections.abc import Iterable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Finding, Snapshot, Workspace
from planrail.base.values import value
from planrail.git.checkouts import Home, locate_home
from planrail.git.git_writing import ask_git, encode_name, hold, join_paths, run_git
from planrail.git.loose_objects import read_tree_name, write_commit
from planrail.git.status import SUBMODULE, Row, parse_status
from planrail.git.tree_removal import is_real_folder, remove_tree
from planrail.git.workspaces.workspace_git import check_place, make_view

LARGEST_FILE = 50 * 1024 * 1024
_TICK = 0.05  # seconds by which a file system's clock may be behind
_SECONDS = 1800  # for filters that talk to a server
_OWN_REFS = "refs/planrail/"
# Without the lock git leaves the index as it is: what it knows of a file is what planrail itself wrote or staged.
_STATUS = (
    *("--no-optional-locks", "status", "--porcelain=v2", "-z"),
    *("--untracked-files=all", "--no-renames", "--ignore-submodules=dirty"),
)


@value
class WorkSnapshot(Snapshot):
    """A snapshot, and what of the work is not in it."""

    commit: str
    tree: str
    base: str
    paths: tuple[str, ...]
    findings: tuple[Finding, ...] = ()


@record
class _WorkspaceGit:
    """A workspace, and how git is asked about it."""

    home: Home
    workspace: Workspace
    view: str

    def ask(self, *arguments: str, data: bytes = b"") -> str:
        """What git says, with planrail's own index and the user's settings."""
        where = self.workspace
        return run_git(where.path, *arguments, index=where.index, view=self.view, data=data, seconds=_SECONDS)


@record
class _Staged:
    tree: str
    paths: tuple[str, ...]
    findings: tuple[Finding, ...]


def take_snapshot(
    root: str,
    workspace: Workspace,
    ref: str,
    message: str,
    *,
    leave_out: Sequence[str] = (),
    largest: int = LARGEST_FILE,
    at: int = 0,
) -> WorkSnapshot:
    """Keep the files of a workspace as a commit on its base under `ref`. The same files give the same commit.

    `leave_out` are paths that planrail itself put there. Files that are too large, that are no files, and repositories
    inside of the workspace are not taken, and told. `at` is the time of the commit: none is taken from the clock.
    """
    home = locate_home(root)
    check_place(workspace.path)
    with hold(f"{workspace.index}.hold"):
        # The locks of a git that was killed on what is planrail's own; a live one would hold the lock of the workspace.
        remove_tree(f"{workspace.index}.lock")
        if ref.startswith(_OWN_REFS):
            remove_tree(os.path.join(home.common, f"{ref}.lock"))
        git = _WorkspaceGit(home, workspace, make_view(home, workspace.index, workspace.base))
        staged = _stage(git, leave_out, largest)
        reach("snapshot.staged")
        commit = write_commit(home.common, staged.tree, (workspace.base,), message, at)
        reach("snapshot.committed")
        run_git(root, "update-ref", "--no-deref", ref, commit)
        reach("snapshot.kept")
    return WorkSnapshot(commit, staged.tree, workspace.base, staged.paths, staged.findings)


def tree_of(root: str, commit: str) -> str:
    """The tree of a commit; a tree is its own."""
    known = read_tree_name(locate_home(root).common, commit)
    return known or run_git(root, "rev-parse", "--verify", f"{commit}^{{tree}}").strip()


def read_diff(root: str, base: str, commit: str) -> str:
    """What changed between two commits, as text: by no program of the user's, with no guess about renames."""
    options = ("-p", "-r", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--no-commit-id")
    return run_git(root, "diff-tree", *options, base, commit, "--")


def changed_paths(root: str, base: str, commit: str) -> list[str]:
    options = ("-r", "-z", "--name-only", "--no-renames", "--no-commit-id")
    return [path for path in run_git(root, "diff-tree", *options, base, commit, "--").split("\0") if path]


def read_file(root: str, commit: str, path: str) -> bytes | None:
    """A file as a commit has it, of a link its target; None where there is none."""
    if not path or path.startswith(("/", "./", "../")):
        return None
    text = ask_git(root, "cat-file", "blob", f"{commit}:{path}")
    return encode_name(text) if text is not None else None


def drop_refs(root: str, prefix: str) -> None:
    """Let go of all that is kept under a prefix of planrail's own refs."""
    if not prefix.startswith(_OWN_REFS):
        raise ValueError(f"{prefix} is not planrail's own")
    names = run_git(root, "for-each-ref", "--format=%(refname)", prefix).split()
    if names:
        lines = b"".join(b"delete " + encode_name(name) + b"\0\0" for name in names)
        run_git(root, "update-ref", "--no-deref", "-z", "--stdin", data=lines)


def _stage(git: _WorkspaceGit, leave_out: Sequence[str], largest: int) -> _Staged:
    changes = parse_status(git.ask(*_STATUS).split("\0"))
    if any(change.staged != "." for change in changes):
        # An earlier snapshot is forgotten first: what it took may be ignored by now.
        git.ask("read-tree", "--reset", "--no-recurse-submodules", git.workspace.base)
        changes = parse_status(git.ask(*_STATUS).split("\0"))
    sorting = sort_changes(git.workspace.path, changes, leave_out, largest)
    if sorting.gone:
        git.ask("update-index", "--force-remove", "-z", "--stdin", data=join_paths(sorting.gone))
    refused = _add(git, sorting.taken) if sorting.taken else []
    _outlast_this_second(git.workspace.path, sorting.taken)
    tree = git.ask("write-tree").strip()
    if git.home.has_tables:  # there git compares with another commit than the base
        paths = tuple(changed_paths(git.home.root, git.workspace.base, tree))
    else:
        told = {finding.place for finding in refused}
        paths = tuple(sorted({*sorting.taken, *sorting.gone} - told, key=encode_name))
    return _Staged(tree, paths, (*sorting.findings, *refused))


def _add(git: _WorkspaceGit, paths: Sequence[str], *, is_second_look: bool = False) -> list[Finding]:
    """Stage these paths. Those that git does not take for their name or state are found by halves, and told."""
    options = ("--add", "--remove", "--replace", "--verbose", "-z", "--stdin")
    try:
        said = git.ask("update-index", *options, data=join_paths(paths))
    except ToolFailed as error:
        if len(paths) == 1 and is_second_look:
            return [_refusal(git, paths[0], error)]
        if len(paths) == 1:
            remove_tree(f"{git.workspace.index}.lock")  # a git that was killed says nothing about the file
            return _add(git, paths, is_second_look=True)
        middle = len(paths) // 2
        return [*_add(git, paths[:middle]), *_add(git, paths[middle:])]
    if said == "".join(f"add '{path}'\n" for path in paths):
        return []
    passed_over = [path for path in paths if f"add '{path}'\n" not in said]  # git takes no `.GIT`, and goes on
    return [Finding("not_taken", f"{path} is a name that git does not take", path) for path in passed_over]


def _outlast_this_second(path: str, taken: Sequence[str]) -> None:
    """git counts in seconds. A file whose time was set back could be edited again in this very second, to as many
    bytes and with the same time, and would look untouched; so where there is one, the second is waited out."""
    now = time.time()
    if any(_is_set_back(os.path.join(path, name), int(now - _TICK)) for name in taken):
        time.sleep(1 - now % 1 + _TICK)


def _is_set_back(place: str, second: int) -> bool:
    try:
        status = os.lstat(place)
    except OSError:
        return False
    return int(status.st_ctime) >= second > int(status.st_mtime)


def _refusal(git: _WorkspaceGit, path: str, error: ToolFailed) -> Finding:
    """A file that git does not take, if it takes others; where the disk is full the file is not to blame."""
    git.ask("hash-object", "-w", "--stdin", data=encode_name(path))
    return Finding("not_taken", f"{path} is not taken by git ({error.message})", path)


@record
class Sorting:
    """Paths by what is done with them: staged as they are, taken out, or left where they are and told about."""

    taken: list[str]
    gone: list[str]
    findings: list[Finding]

    @property
    def left(self) -> frozenset[str]:
        return frozenset(finding.place for finding in self.findings)


def sort_changes(path: str, changes: Iterable[Row], leave_out: Sequence[str], largest: int) -> Sorting:
    """Look at each path that is not staged yet, without following a link."""
    result = Sorting([], [], [])
    parents: dict[str, bool] = {}
    for change in changes:
        name = change.path.rstrip("/")
        if change.later == "." or _is_below(name, leave_out):
            continue
        if not is_real_folder(path, os.path.dirname(name), parents):
            result.gone.append(name)
        elif problem := _problem_of(path, name, change, largest):
            result.findings.append(problem)
        else:
            result.taken.append(name)
    return result


def _problem_of(root: str, path: str, change: Row, largest: int) -> Finding | None:
    if change.path.endswith("/") or (change.later in "MT" and change.mode == SUBMODULE):
        text = f"{path} is a git repository of its own: its files are not part of the work"
        return Finding("embedded_repository", text, path)
    try:
        status = os.lstat(os.path.join(root, path))
    except OSError:
        return None  # it is gone, and that is a change too
    if stat.S_ISREG(status.st_mode):
        if status.st_size > largest:
            size = f"{status.st_size:,} bytes; more than {largest:,} are not taken"
            return Finding("too_large", f"{path} has {size} (ignore it, or make it smaller)", path)
        is_readable = os.access(os.path.join(root, path), os.R_OK)
        return None if is_readable else Finding("unreadable", f"{path} cannot be read", path)
    if stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return None
    return Finding("not_a_file", f"{path} is neither a file nor a link", path)


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder.rstrip("/") or path.startswith(folder.rstrip("/") + "/") for folder in folders)
