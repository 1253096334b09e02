"""Where the work waits that cannot land now: a branch of planrail's own, with what a person can type."""

from collections.abc import Iterable

from planrail.base.errors import ToolFailed
from planrail.git.checkouts import Layout, find_checkouts, find_obstacle, read_ref
from planrail.git.git_writing import ask_git, run_git
from planrail.git.object_store import null_id
from planrail.git.trailers import EVIDENCE, read_trailers

_HEADS = "refs/heads/"
_MOST = 100
# git's words where somebody's work is in the way of a checkout (its `unpack-trees`, and `read-tree` itself).
_REFUSALS = (
    "would be overwritten by",
    "would be removed by",
    "not uptodate",
    "not up to date and",
    "would lose untracked files",
    "unmerged; will not remove",
    "unmerged and were left",
    "already present; will not overwrite",
    "already present and thus not updated",
    "Refusing to remove",
    "overlaps with",
    "cannot checkout new HEAD",
    "Cannot update submodule",
    "resolve your current index first",
)


def is_work_in_the_way(message: str) -> bool:
    """Whether git refuses a checkout because of what lies there, and not because it cannot do it."""
    return any(words in message for words in _REFUSALS)


def put_on_branch(root: str, layout: Layout, branch: str, commit: str, reason: str) -> str:
    """The ref on which the commit waits now. A branch that is not planrail's own work on this phase is left alone."""
    short = branch.removeprefix(_HEADS)
    for number in range(1, _MOST):
        ref = f"{_HEADS}{short}" + (f"-{number}" if number > 1 else "")
        standing = read_ref(layout, root, ref)
        if standing == commit:
            return ref
        if not standing or _may_replace(root, layout, ref, standing, commit):
            return _set(root, ref, commit, standing, reason)
    raise ToolFailed(f"there are {_MOST} branches named like {branch}", remedy="git branch --list 'planrail/*'")


def take_away(root: str, layout: Layout, refs: Iterable[str], commit: str) -> None:
    """Delete those of the branches that have nothing but an earlier form of the work that landed as this commit."""
    ours = _identity(root, commit)
    for ref in refs:
        standing = read_ref(layout, root, ref)
        is_free = not find_checkouts(layout, ref) and not find_obstacle(layout, ref)
        if standing and is_free and ours and _identity(root, standing) == ours:
            ask_git(root, "update-ref", "-d", ref, standing)  # one that stays does no harm


def _set(root: str, ref: str, commit: str, standing: str, reason: str) -> str:
    """Set the branch; where a branch named `planrail` rules that out, one with a hyphen instead of the slash."""
    old = standing or null_id(commit)
    flat = _HEADS + ref.removeprefix(_HEADS).replace("/", "-")
    try:
        run_git(root, "update-ref", "-m", reason, "--create-reflog", ref, commit, old)
        return ref
    except ToolFailed:
        if standing or flat == ref:
            raise
    if ask_git(root, "rev-parse", "-q", "--verify", flat) != f"{commit}\n":
        run_git(root, "update-ref", "-m", reason, "--create-reflog", flat, commit, old)
    return flat


def _may_replace(root: str, layout: Layout, ref: str, standing: str, commit: str) -> bool:
    """Whether nothing is lost: it is older work that the new contains, or an earlier form of the same phase."""
    if find_checkouts(layout, ref) or find_obstacle(layout, ref):
        return False  # moving it would turn what is checked out there into a change
    if ask_git(root, "merge-base", "--is-ancestor", standing, commit) is not None:
        return True
    ours, theirs = (_identity(root, each) for each in (commit, standing))
    return bool(ours) and ours == theirs


def _identity(root: str, commit: str) -> list[tuple[str, str]]:
    """Which plan and phase a commit is, by its own word."""
    message = ask_git(root, "log", "-1", "--format=%B", "--encoding=UTF-8", commit, "--") or ""
    found = [trailer for trailer in read_trailers(message) if trailer[0].startswith("Planrail-")]
    return [trailer for trailer in found if trailer[0] != EVIDENCE]
