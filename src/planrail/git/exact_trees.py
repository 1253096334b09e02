"""Does a workspace hold exactly a tree? And trees made of two, to try new tests on old code and old tests on new code.

git is asked with planrail's own index of the workspace and the user's repository; what stands in the workspace's own
`.git` has no say.
"""

import os
import tempfile
from collections.abc import Iterable

from planrail.base.run_model import Workspace
from planrail.git.checkouts import locate_home
from planrail.git.git_writing import ask_git, join_paths, run_git

# With the setting, a file that was only touched is read before it is called changed.
_DIFF = (
    *("-c", "diff.autoRefreshIndex=true"),
    *("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"),
)
_MOST = 500  # paths in one command
_CLOCK = 50_000_000  # nanoseconds: a file system's clock ticks slower than ours


def is_pristine(root: str, workspace: Workspace, tree: str) -> bool:
    """Whether every tracked file of the workspace is as the tree has it, and none is missing."""
    return not changed_paths(root, workspace, tree)


def changed_paths(root: str, workspace: Workspace, tree: str) -> list[str]:
    answer = run_git(workspace.path, *_DIFF, tree, "--", index=workspace.index, view=locate_home(root).git_dir)
    return [path for path in answer.split("\0") if path]


def new_files(root: str, workspace: Workspace, since: int) -> list[str]:
    """The files that nobody tracks or ignores and that came or changed after a time in nanoseconds."""
    question = ("ls-files", "-z", "--others", "--exclude-standard")
    answer = ask_git(workspace.path, *question, index=workspace.index, view=locate_home(root).git_dir) or ""
    return [path for path in answer.split("\0") if path and _is_newer(workspace.path, path, since)]


def mix_trees(root: str, tree: str, other: str, paths: Iterable[str]) -> str:
    """The tree in which these files are as another tree has them; those that it does not have are left out."""
    wanted = sorted(paths)
    with tempfile.TemporaryDirectory(prefix="planrail-") as folder:
        index = os.path.join(folder, "index")
        run_git(root, "read-tree", tree, index=index)
        there = [entry for at in range(0, len(wanted), _MOST) for entry in _list(root, other, wanted[at : at + _MOST])]
        data = join_paths([*(f"0 {'0' * len(tree)}\t{path}" for path in wanted), *there])
        run_git(root, "update-index", "-z", "--index-info", index=index, data=data)
        return run_git(root, "write-tree", index=index).strip()


def _list(root: str, tree: str, paths: list[str]) -> list[str]:
    return [entry for entry in run_git(root, "ls-tree", "-r", "-z", tree, "--", *paths).split("\0") if entry]


def _is_newer(folder: str, path: str, since: int) -> bool:
    try:
        return os.lstat(os.path.join(folder, path)).st_ctime_ns >= since - _CLOCK
    except OSError:
        return False
