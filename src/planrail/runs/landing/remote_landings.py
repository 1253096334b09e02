"""Landing on a branch of a remote: it moves by compare-and-swap, together with the fence of the plan, all or none.

What git says about a push that failed decides nothing: the remote is looked at again, and what it has by then does.
So a run that was killed around the push, or that lost the answer to it, does this again and hears the truth.
"""

from collections.abc import Callable

from planrail.base.crash_points import reach
from planrail.base.errors import ToolFailed
from planrail.base.records import record
from planrail.base.run_model import Candidate, Landing
from planrail.git.git_writing import ask_git
from planrail.git.remotes.pushing import RefMove, explain_push, fetch_ref, holds, push_together, read_remote
from planrail.git.remotes.request_values import PushFailed
from planrail.runs.landing.fences import FenceState, Fencing, is_passing, load_fence, move_fence, pause, refuses
from planrail.runs.landing.landing_moves import TAKEN_OVER

_HEADS = "refs/heads/"
_MOST_TRIES = 12
_FENCE_GONE = "; its fence was gone from there, and was put there anew"


@record
class Goal:
    """What is to land where, and for which run. `creates`: the branch may not be there yet, as for a pull request."""

    remote: str
    branch: str
    candidate: Candidate
    fencing: Fencing
    creates: bool = False
    otherwise: str = ""  # what a person can type where the remote will not have it

    @property
    def ref(self) -> str:
        return f"{_HEADS}{self.branch}"

    @property
    def name(self) -> str:
        return f"{self.remote}/{self.branch}"


@record
class Sight:
    """The remote at one instant: where the branch is ("": not there), whether that has the candidate, and the fence."""

    at: str
    has_candidate: bool
    standing: FenceState


def land_on_remote(root: str, goal: Goal, guard: Callable[[], bool] = lambda: True) -> Landing:
    """Move the remote's branch to the candidate, if it is exactly where that was built and the plan is still ours.

    `landed`, also where the remote has it already; `moved` where the branch is elsewhere by now; `refused` where
    another run has taken over, `guard` says no, or the remote will not have it. Raises `ToolFailed` where the remote
    cannot be reached; called again, it goes on.
    """
    answer = ""
    for number in range(_MOST_TRIES):
        sight = look(root, goal)
        decided = decide(sight, goal) or (_explain(answer, goal) if answer else None)
        if decided is not None:
            return decided
        if ask_git(root, "cat-file", "-e", goal.candidate.commit) is None:
            return Landing(
                "moved",
                goal.candidate.commit,
                goal.ref,
                "the work was put together on another machine, and is to be built anew",
            )
        if not guard():
            return Landing("refused", goal.candidate.commit, goal.ref, TAKEN_OVER)
        if answer:
            pause(number)
        reach("remote.sending")
        moves = [RefMove(goal.ref, goal.candidate.commit, sight.at)]
        moves += [move_fence(root, sight.standing, goal.fencing)] if goal.fencing.fence else []
        answer = push_together(root, goal.remote, moves)
        reach("remote.sent")
        if not answer:
            return _landed(goal, _FENCE_GONE if goal.fencing.fence and not sight.standing.fence else "")
    why = explain_push(answer, goal.remote, goal.branch)
    raise ToolFailed(f"{goal.name} could not be moved: {why.reason}", remedy="planrail resume")


def decide(sight: Sight, goal: Goal) -> Landing | None:
    """What the state of the remote answers already; None where the candidate can be pushed. Pure."""
    if sight.has_candidate:
        return _landed(goal)
    if refuses(sight.standing, goal.fencing):
        return Landing("refused", goal.candidate.commit, goal.ref, TAKEN_OVER)
    if not sight.at and not goal.creates:
        command = f"git push {goal.remote} {goal.candidate.onto}:{goal.ref}"
        return Landing("refused", goal.candidate.commit, goal.ref, f"{goal.name} was deleted meanwhile", command)
    if sight.at and sight.at != goal.candidate.onto:
        return Landing("moved", goal.candidate.commit, goal.ref, f"{goal.name} has moved to {sight.at[:12]} meanwhile")
    return None


def look(root: str, goal: Goal) -> Sight:
    """What the remote has now. Commits are brought here only where they have to be looked into."""
    refs = (goal.ref, goal.fencing.ref) if goal.fencing.fence else (goal.ref,)
    there = read_remote(root, goal.remote, *refs)
    at, commit = there.get(goal.ref, ""), goal.candidate.commit
    if at and at not in (commit, goal.candidate.onto):
        at = fetch_ref(root, goal.remote, goal.branch) or ""
    has_candidate = bool(at) and at != goal.candidate.onto and holds(root, at, commit)
    fence = there.get(goal.fencing.ref, "")
    return Sight(at, has_candidate, load_fence(root, goal.remote, goal.fencing.ref, fence))


def _explain(answer: str, goal: Goal) -> Landing | None:
    """Why a push failed although all is as it should be; None where others were only there at the same time."""
    if is_passing(answer):
        return None
    why = explain_push(answer, goal.remote, goal.branch)
    if isinstance(why, PushFailed) and "does not support --atomic" not in answer:
        raise ToolFailed(why.reason, remedy=why.remedy)
    return Landing("refused", goal.candidate.commit, goal.ref, why.reason, goal.otherwise or why.remedy)


def _landed(goal: Goal, told: str = "") -> Landing:
    commit = goal.candidate.commit
    return Landing("landed", commit, goal.ref, f"landed on {goal.name} as {commit[:12]}{told}", "git pull")
