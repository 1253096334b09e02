"""Which tree is this? The files of a working tree as one hash, taken with an index of planrail's own.

Tracked files and those that git does not ignore count; the plan's own file does not, since planrail marks it. The
user's index is neither read nor touched: what is hidden there (`--assume-unchanged`) is seen here all the same.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import ask_git, run_git
from planrail.git.working_files import open_folder
from planrail.store.places import common_directory, ledger_folder, make_private

_FOLDER = "session"


@record
class Tree:
    """A working tree at a moment. `id` is a git tree where there is a repository; else `files` has each file's hash."""

    id: str
    files: Mapping[str, str] = {}


def take_tree(root: str, plan: str) -> Tree:
    """The working tree below a root as it is now, without the plan's file (a path, absolute)."""
    inside = name_inside(root, plan)
    if common_directory(root) is None:
        files = {name: _digest(os.path.join(root, name)) for name in open_folder(root).files() if name != inside}
        whole = "\n".join(f"{digest} {name!r}" for name, digest in sorted(files.items()))
        return Tree(f"files:{hashlib.sha256(whole.encode('utf-8', 'surrogateescape')).hexdigest()}", files)
    with _own_index(root) as index:
        run_git(root, "add", "--all", "--", ".", index=index)
        if inside:
            run_git(root, "update-index", "--force-remove", "--", inside, index=index)
        return Tree(run_git(root, "write-tree", index=index).strip())


def compare_trees(root: str, before: Tree, after: Tree) -> tuple[list[str], list[str]]:
    """What is different between two looks at the same working tree: files that are other or gone, and new ones."""
    if before.id == after.id:
        return [], []
    if before.files or after.files:
        gone = [path for path, digest in before.files.items() if after.files.get(path) != digest]
        return sorted(gone), sorted(after.files.keys() - before.files.keys())
    answer = run_git(root, "diff-tree", "-r", "-z", "--no-renames", "--name-status", before.id, after.id).split("\0")
    found = list(zip(answer[0:-1:2], answer[1::2], strict=False))
    return [path for status, path in found if status != "A"], [path for status, path in found if status == "A"]


def tree_of_head(root: str, head: str) -> str:
    """The tree of a commit; the empty one where there is none yet."""
    if head:
        return run_git(root, "rev-parse", f"{head}^{{tree}}").strip()
    return run_git(root, "hash-object", "-t", "tree", "-w", "--stdin").strip()


def find_head(root: str) -> str:
    """The commit that a working tree stands on; "" where there is none."""
    return (ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()


def name_inside(root: str, path: str) -> str:
    """The name of a file from a root on; "" where it lies elsewhere."""
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return "" if name.startswith("..") else name


def session_folder(root: str) -> str:
    folder = os.path.join(ledger_folder(root), _FOLDER)
    make_private(folder)
    return folder


@contextlib.contextmanager
def _own_index(root: str) -> Iterator[str]:
    """An index of this process that holds HEAD, with what was known of the files from the last time."""
    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    kept = os.path.join(session_folder(root), f"{name}.index")
    mine = f"{kept}.{os.getpid()}"
    try:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(kept, mine)  # with its time: git compares that with those of the files
        if ask_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{tree}") is None:
            run_git(root, "read-tree", "--empty", index=mine)
        elif not os.path.exists(mine) or ask_git(root, "read-tree", "-m", "HEAD", index=mine) is None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(mine)
            run_git(root, "read-tree", "HEAD", index=mine)
        yield mine
        os.replace(mine, kept)
    except OSError as error:
        raise ToolFailed(
            f"{kept} cannot be written: {error.strerror or error}", remedy="make room on that disk, then try again"
        ) from error
    finally:
        for left in (mine, f"{mine}.lock"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(left)


def _digest(path: str) -> str:
    found = hashlib.sha256(b"x" if os.access(path, os.X_OK) else b"-")
    try:
        if os.path.islink(path):
            found.update(os.fsencode(os.readlink(path)))
        elif os.path.isfile(path):
            with open(path, "rb") as file:
                while chunk := file.read(1 << 20):
                    found.update(chunk)
    except OSError:
        return "unreadable"
    return found.hexdigest()
