"""What an agent changed in its workspace, and what of it can be kept: files and links, and nothing else."""

import os
import stat
from collections.abc import Iterable, Sequence

from planrail.base.records import record
from planrail.base.run_model import Finding
from planrail.git.tree_removal import is_real_folder

_LINK_TO_COMMIT = "160000"


@record
class Change:
    """A path that is not as in the base (`staged`), or not as in planrail's index (`later`); "." says it is."""

    path: str
    staged: str
    later: str
    is_repository: bool = False


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


def parse_changes(answer: str) -> list[Change]:
    """What `git status --porcelain=v2 -z --no-renames` prints, as values."""
    found = []
    for entry in answer.split("\0"):
        if entry.startswith("? "):
            found.append(Change(entry[2:].rstrip("/"), ".", "?", entry.endswith("/")))
        elif entry.startswith("1 "):
            _, states, _, _, _, now, _, _, path = entry.split(" ", 8)
            found.append(Change(path, states[0], states[1], states[1] in "MT" and now == _LINK_TO_COMMIT))
    return found


def sort_changes(path: str, changes: Iterable[Change], leave_out: Sequence[str], largest: int) -> Sorting:
    """Look at each path that is not staged yet, without following a link."""
    result = Sorting([], [], [])
    parents: dict[str, bool] = {}
    for change in changes:
        if change.later == "." or _is_below(change.path, leave_out):
            continue
        if not is_real_folder(path, os.path.dirname(change.path), parents):
            result.gone.append(change.path)
        elif problem := _problem_of(path, change, largest):
            result.findings.append(problem)
        else:
            result.taken.append(change.path)
    return result


def _problem_of(root: str, change: Change, largest: int) -> Finding | None:
    if change.is_repository:
        text = f"{change.path} is a git repository of its own: its files are not part of the work"
        return Finding("embedded_repository", text, change.path)
    try:
        status = os.lstat(os.path.join(root, change.path))
    except OSError:
        return None  # it is gone, and that is a change too
    if stat.S_ISREG(status.st_mode):
        return _problem_of_file(root, change.path, status.st_size, largest)
    if stat.S_ISLNK(status.st_mode) or stat.S_ISDIR(status.st_mode):
        return None
    return Finding("not_a_file", f"{change.path} is neither a file nor a link", change.path)


def _problem_of_file(root: str, path: str, size: int, largest: int) -> Finding | None:
    if size > largest:
        text = f"{path} has {size:,} bytes; more than {largest:,} are not taken (ignore it, or make it smaller)"
        return Finding("too_large", text, path)
    if not os.access(os.path.join(root, path), os.R_OK):
        return Finding("unreadable", f"{path} cannot be read", path)
    return None


def _is_below(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder.rstrip("/") or path.startswith(folder.rstrip("/") + "/") for folder in folders)
