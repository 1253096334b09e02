"""Where the work waits that cannot land now: a branch of planrail's own, with what a person can type."""

from planrail.errors import ToolFailed
from planrail.repo.checkouts import Layout, find_checkouts, find_obstacle, read_ref
from planrail.repo.git_writing import ask_git, run_git
from planrail.repo.object_store import null_id
from planrail.repo.trailers import EVIDENCE, read_trailers

_HEADS = "refs/heads/"
_MOST = 100


def put_on_branch(root: str, layout: Layout, branch: str, commit: str, reason: str) -> str:
    """The ref on which the commit waits now. A branch that is not planrail's own work on this phase is left alone."""
    problem: ToolFailed | None = None
    for name in _names(branch.removeprefix(_HEADS)):
        ref = f"{_HEADS}{name}"
        standing = read_ref(layout, root, ref)
        if standing == commit:
            return ref
        if standing and not _may_replace(root, layout, ref, standing, commit):
            continue
        try:
            run_git(root, "update-ref", "-m", reason, "--create-reflog", ref, commit, standing or null_id(commit))
        except ToolFailed as error:
            problem = problem or error
            continue
        return ref
    raise problem or ToolFailed(f"there are {_MOST} branches named like {branch}", remedy="git branch --list")


def _names(branch: str) -> list[str]:
    """The name that is wanted, and others: a foreign branch may have it, or a branch `planrail` rule it out."""
    numbered = [branch, *(f"{branch}-{number}" for number in range(2, _MOST))]
    return [*numbered, branch.replace("/", "-")]


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
