"""Fences on a remote: a ref for each plan that says which run may land there, by a number that only grows.

A claim in a database cannot stop a push that is on its way: a run that held the plan a moment ago may have been stopped
between its last look and its push. So each landing moves this ref together with the branch, all or none, and the remote
itself compares. A run that takes the plan puts its own number there first; what was on its way before then fails.
"""

import hashlib
import json
import random
import time

from planrail.base.crash_points import reach
from planrail.base.errors import Held, ToolFailed
from planrail.base.records import record
from planrail.git.git_writing import ask_git, run_git
from planrail.git.remotes.pushing import RefMove, explain_push, fetch_object, push_together, read_remote
from planrail.git.remotes.request_values import PushRejected

FENCES = "refs/planrail/fences"
LONGEST_PAUSE = 1.0
_MOST_TRIES = 20
# git's words, here and on the remote, where a ref was not where it was a moment ago.
_PASSING = (
    *("stale info", "cannot lock ref", "failed to update ref", "failed to lock", "unable to lock"),
    *("incorrect old value", "reference already exists", "atomic transaction failed", "fetch first"),
)
_LARGEST = 10_000  # bytes of a fence that is one


@record
class Fencing:
    """The run of a plan that lands, and the number of its claim. 0: there is no fence to mind."""

    plan: str
    fence: int
    run: str

    @property
    def ref(self) -> str:
        return fence_ref(self.plan)


@record
class FenceState:
    """What is there. `oid` is the object ("": no ref); `problem` says why it is no fence, where it is none."""

    oid: str = ""
    fence: int = 0
    run: str = ""
    count: int = 0
    problem: str = ""


def fence_ref(plan: str) -> str:
    return f"{FENCES}/{hash_plan(plan)}"


def hash_plan(plan: str) -> str:
    """What refs of a remote call a plan: plans may be called anything."""
    return hashlib.sha256(plan.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def raise_fence(root: str, remote: str, plan: str, fence: int, run: str) -> str:
    """From now on only this run lands work of the plan on the remote. Something to tell people, mostly "".

    Raises `Held` where a run with a greater number has been there: it has taken the plan over. Done again, it is
    nothing; at the same time as others, the greatest number stays.
    """
    wanted, told = Fencing(plan, fence, run), ""
    for number in range(_MOST_TRIES):
        standing = read_fence(root, remote, wanted.ref)
        if standing.problem and not told:
            told = f"what {remote} had as the fence of this plan was none ({standing.oid[:12]}); it was put there anew"
        if refuses(standing, wanted):
            raise Held(
                f"the run {standing.run} has taken over {wanted.plan} on {remote} (fence {standing.fence}, ours is"
                f" {wanted.fence}); nothing was started",
                remedy=f"planrail status; where that run is long gone: git push {remote} :{wanted.ref}",
            )
        if is_ours(standing, wanted):
            return told
        reach("remote.fence_sending")
        answer = push_together(root, remote, [move_fence(root, standing, wanted)])
        reach("remote.fence_sent")
        if not answer:
            return told
        if not is_passing(answer):  # the remote will not have it: asking again is no use
            why = explain_push(answer, remote, wanted.ref)
            remedy = f"let planrail write {FENCES}/* there" if isinstance(why, PushRejected) else why.remedy
            raise ToolFailed(why.reason, remedy=remedy)
        pause(number)
    raise ToolFailed(f"the fence of {plan} on {remote} could not be raised", remedy="planrail resume")


def lower_fence(root: str, remote: str, plan: str, fence: int, run: str) -> bool:
    """Take the fence of a plan that is complete away, if it is this run's. Whether there is none now."""
    wanted = Fencing(plan, fence, run)
    standing = read_fence(root, remote, wanted.ref)
    if not standing.oid:
        return True
    if not is_ours(standing, wanted):
        return False
    return not push_together(root, remote, [RefMove(wanted.ref, "", standing.oid)])


def read_fence(root: str, remote: str, ref: str) -> FenceState:
    return load_fence(root, remote, ref, read_remote(root, remote, ref).get(ref, ""))


def load_fence(root: str, remote: str, ref: str, oid: str) -> FenceState:
    """What the remote's ref at this object says. The object is brought here, where it is not here yet."""
    if oid and ask_git(root, "cat-file", "-e", oid) is None:
        oid = fetch_object(root, remote, ref) or ""
    if not oid:
        return FenceState()
    kind = (ask_git(root, "cat-file", "-t", oid) or "").strip()
    size = int(run_git(root, "cat-file", "-s", oid)) if kind == "blob" else 0
    if kind != "blob" or size > _LARGEST:
        return FenceState(oid, problem="is no fence")
    return parse_fence(oid, run_git(root, "cat-file", "blob", oid))


def parse_fence(oid: str, text: str) -> FenceState:
    """A fence from its text; one that planrail has not written counts as none."""
    try:
        told = json.loads(text)
        fence, count = told["fence"], told.get("count", 0)
        if type(fence) is not int or type(count) is not int or fence < 0:
            raise ValueError
        return FenceState(oid, fence, str(told["run"]), count)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return FenceState(oid, problem="is no fence")


def refuses(standing: FenceState, wanted: Fencing) -> bool:
    """Whether another process has the plan by now: a greater number, or the same one for another run."""
    if not wanted.fence or standing.problem or not standing.oid:
        return False
    return standing.fence > wanted.fence or (standing.fence == wanted.fence and standing.run != wanted.run)


def is_ours(standing: FenceState, wanted: Fencing) -> bool:
    return bool(standing.oid) and (standing.fence, standing.run) == (wanted.fence, wanted.run) and not standing.problem


def move_fence(root: str, standing: FenceState, wanted: Fencing) -> RefMove:
    """The move from what stands there to our number. The new is never the old: only what changes is compared."""
    told = {"plan": wanted.plan, "fence": wanted.fence, "run": wanted.run, "count": standing.count + 1}
    text = json.dumps(told).encode()
    return RefMove(wanted.ref, run_git(root, "hash-object", "-w", "--stdin", data=text).strip(), standing.oid)


def pause(number: int) -> None:
    """Let others go first for a moment; longer each time, and never all of them for equally long."""
    time.sleep(random.uniform(0.2, 1.0) * min(0.02 * 2**number, LONGEST_PAUSE))


def is_passing(answer: str) -> bool:
    """Whether a refusal says no more than that others were there at the same time."""
    return any(sign in answer for sign in _PASSING)
