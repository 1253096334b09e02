"""A landing in hand, and what can be answered of it."""

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Candidate, Landing
from planrail.git.checkouts import Checkout, Layout
from planrail.git.git_writing import ask_git
from planrail.git.object_store import empty_tree
from planrail.runs.landing.deciding import WaitOnBranch
from planrail.runs.landing.waiting_branches import put_on_branch

if TYPE_CHECKING:
    from planrail.git.tree_merging import Changes


_HEADS = "refs/heads/"
TAKEN_OVER = "another run has taken over this plan; nothing was landed"


@record
class Move:
    """A target that is to move to a candidate, with all that has to do with it."""

    root: str
    ref: str
    candidate: Candidate
    changes: "Changes"
    layout: Layout
    checkouts: list[Checkout]
    intent_path: str
    waiting_branch: str
    reason: str  # for the reflog
    guard: "Callable[[], bool]"  # whether whoever lands may still do so

    @property
    def old(self) -> str:
        """What a checkout holds before."""
        return self.candidate.onto or empty_tree(self.candidate.commit)

    @property
    def name(self) -> str:
        """The target as people call it."""
        return self.ref.removeprefix(_HEADS)


def landed(move: Move) -> Landing:
    """It is done; submodules are left to a person."""
    commit = move.candidate.commit
    links = [path for path, (_, new) in move.changes.items() if new and new[0] == "160000"]
    command = shlex.join(["git", "submodule", "update", "--", *links]) if links and move.checkouts else ""
    return Landing("landed", commit, move.ref, f"landed on {move.name} as {commit[:12]}", command)


def refused(move: Move) -> Landing:
    """Whoever lands may not do so any more."""
    return Landing("refused", move.candidate.commit, move.ref, TAKEN_OVER)


def elsewhere(move: Move, standing: str) -> Landing:
    """The target stands on neither: it went on from the candidate, moved, or is gone."""
    commit = move.candidate.commit
    if not standing:
        command = shlex.join(["git", "branch", move.name, move.candidate.onto])
        return Landing("refused", commit, move.ref, f"{move.name} was deleted meanwhile", command)
    if ask_git(move.root, "merge-base", "--is-ancestor", commit, standing) is not None:
        return landed(move)
    return Landing("moved", commit, move.ref, f"{move.name} has moved to {standing[:12]} meanwhile")


def wait(move: Move, verdict: WaitOnBranch) -> Landing:
    """Put the work on a branch of its own, and say what a person has to do before it can land."""
    commit = move.candidate.commit
    ref = put_on_branch(move.root, move.layout, move.waiting_branch, commit, move.reason)
    place = move.checkouts[0].folder if move.checkouts else move.root
    where = "" if place == move.root else f" in {place}"
    kept = f"the verified work waits on {ref.removeprefix(_HEADS)}, and {move.name} has not moved"
    return Landing("waiting", commit, ref, f"{verdict.reason}; {kept}. First {verdict.todo}{where}")


def unmoved(move: Move, reason: str) -> ToolFailed:
    """Something failed, and all is as it was."""
    message = f"{reason}; nothing has moved, and the work is kept as {move.candidate.commit[:12]}"
    return ToolFailed(message, remedy="planrail resume")


def half_way(move: Move, reason: str) -> ToolFailed:
    """Something failed, and its checkout has not come along: its index stays locked until it has."""
    message = f"{reason}; {move.name} has the work, and its checkout is half way: nothing of yours was changed"
    return ToolFailed(message, remedy="planrail resume")
