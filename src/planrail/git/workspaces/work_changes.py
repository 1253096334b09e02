"""What an agent changed in its workspace, and what of it can be kept: files and links, and nothing else."""

import os
import stat
from collections.abc import Iterable, Sequence

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.git.status import SUBMODULE, Row
from planrail.git.tree_removal import is_real_folder


@record
class Sorting:
    """Paths by what is done with them: staged as they are, taken out, or left where they are and told about."""

    taken: list[str]
    gone: list[str]
    findings: list[Finding]

    @property
    def left(self) -> frozenset[str]:
        """The paths that are told about."""
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
