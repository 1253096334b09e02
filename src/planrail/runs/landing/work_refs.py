"""What agents have begun, on the remote: a ref for each attempt, so that another machine can go on from it.

Only the run that has the plan there writes these refs: each push moves the plan's fence with them, and the remote
compares. What they are at proves nothing; a database of a team says which commits a run has really pushed.
"""

from planrail.base.identity import safe_name
from planrail.git.remotes.pushing import RefMove, push_together, read_remote
from planrail.runs.landing.fences import Fencing, hash_plan, is_ours, load_fence, move_fence, refuses
from planrail.runs.landing.landing_moves import TAKEN_OVER

WORK = "refs/planrail/work"
_SECONDS = 60  # an agent that has ended meanwhile waits for it


def work_ref(plan: str, run: str = "", phase: str = "", attempt: int = 0) -> str:
    """The ref of an attempt's work; with less, what matches those of all attempts, phases or runs."""
    parts = [run, safe_name(phase) if phase else "", str(attempt) if attempt else ""]
    return "/".join([WORK, hash_plan(plan), *(part for part in parts if part), *([] if attempt else ["*"])])


def push_work(root: str, remote: str, fencing: Fencing, ref: str, commit: str) -> str:
    """Put work on the remote, if the plan is ours there. Why not, in git's own words; "" where it is done."""
    there = read_remote(root, remote, fencing.ref, ref, seconds=_SECONDS)
    standing = load_fence(root, remote, fencing.ref, there.get(fencing.ref, ""))
    if not is_ours(standing, fencing):
        return TAKEN_OVER
    moves = [RefMove(ref, commit, there.get(ref, "")), move_fence(root, standing, fencing)]
    return push_together(root, remote, moves, seconds=_SECONDS) if there.get(ref) != commit else ""


def drop_work(root: str, remote: str, fencing: Fencing, pattern: str) -> str:
    """Take work of a plan away from the remote, unless another run has the plan there. Why not; "" where none is left.

    A fence of 0 is for a plan that no run has any more.
    """
    there = read_remote(root, remote, fencing.ref, pattern, seconds=_SECONDS)
    standing = load_fence(root, remote, fencing.ref, there.pop(fencing.ref, ""))
    if refuses(standing, fencing):
        return TAKEN_OVER
    moves = [RefMove(ref, "", at) for ref, at in there.items()]
    moves += [move_fence(root, standing, fencing)] if moves and is_ours(standing, fencing) else []
    return push_together(root, remote, moves, seconds=_SECONDS) if moves else ""
