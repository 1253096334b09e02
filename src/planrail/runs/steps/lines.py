"""The line of a run: the branch that its phases build upon and land on, here and on its remote.

Landings that were cut off between the target and its checkouts are finished by the next process that lands. A landing
holds the lock of the repository: one that is under way while another process has the lock is that of a dead planrail.
Landing anything else first would leave that work staged as its own reverse in the checkout.
"""

import contextlib
import os

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.identity import branch_name, safe_name
from planrail.base.run_model import Candidate, Evidence, Landing, Order
from planrail.git.checkouts import find_checkouts, find_obstacle, read_layout
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.remotes.mirrors import follow
from planrail.git.remotes.pushing import fetch_ref
from planrail.git.trailers import find_landed
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.forge.steps import fetch_base, locate_request
from planrail.runs.landing.fences import Fencing, lower_fence
from planrail.runs.landing.landing_moves import put_on_branch, take_away
from planrail.runs.landing.remote_landings import Goal, land_on_remote
from planrail.runs.landing.targets import finish_landing
from planrail.runs.steps.site import At, Paused, Site
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import load_order, run_folder

_OF = "@"  # between a run and a commit
WAITING = "waiting"
_HEADS = "refs/heads/"
_NOTHING = "0" * 40


def repository_lock(root: str) -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(root), "repository.lock")


def waiting_branch(order: Order) -> str:
    return f"refs/heads/{branch_name('planrail/', order.slug)}"


def intent_of(order: Order, commit: str) -> str:
    """Where a landing writes down what it is about to do: one folder for all runs of a repository."""
    return os.path.join(ledger_folder(order.root), "landings", f"{safe_name(order.run)}{_OF}{commit[:12]}")


def finish_landings(root: str) -> None:
    """No landing is left half way: the target and its checkouts have it, or neither has."""
    place = os.path.join(ledger_folder(root), "landings")
    if not os.path.isdir(place) or not os.listdir(place):
        return
    with hold(repository_lock(root)):
        for name in sorted(os.listdir(place)):
            run = name.partition(_OF)[0]
            branch = f"refs/heads/planrail/{run}"
            with contextlib.suppress(PlanrailError):  # else it cannot be read any more
                branch = waiting_branch(load_order(run_folder(root, run)))
            finish_landing(root, repository_lock(root), branch, os.path.join(place, name))


def resolve_line(site: Site) -> str:
    """The commit that the next phase builds on. The branch of a request is made where there is none yet.

    Where the target is a remote's, that is asked each time, and the branches here follow it.
    """
    order = site.order
    if order.remote:
        found = _fetch_line(site)
        if not found:  # a request begins at the target; its branch is there when its first phase has landed
            found = _fetch_target(site)
            with hold(repository_lock(order.root)):
                follow(order.root, {order.line: found})
        return found
    found = _commit(site)
    if found:
        return found
    if order.line == order.target:
        name = order.target.removeprefix(_HEADS)
        raise PlanrailError(f"{name} was deleted meanwhile", remedy=f"git branch {name} {order.base}")
    # a request is based on the target as the forge has it, and on what a person lets travel along
    base = order.base if order.unpushed else fetch_base(order.root, locate_request(order.root, order.target))
    with hold(repository_lock(order.root)):
        run_git(order.root, "update-ref", "--create-reflog", "-m", "planrail: begin", order.line, base, _NOTHING)
    return base


def find_tip(site: Site) -> str:
    """The last commit of the line, also of one that its remote has taken away because it was merged."""
    found = (_fetch_line(site) if site.order.remote else "") or _commit(site)
    if not found:
        name = site.order.line.removeprefix(_HEADS)
        raise PlanrailError(f"the branch {name} is gone", remedy=f"planrail run {site.order.path}")
    return found


def land_remotely(site: Site, candidate: Candidate) -> Landing:
    """Move the line on its remote to a candidate; then the branch here follows. See `land_on_remote`."""
    order = site.order
    is_request, fencing = order.line != order.target, Fencing(order.plan, site.fence, order.run)
    otherwise = "" if is_request else f"planrail run {order.path} pr"
    goal = Goal(order.remote, order.line.removeprefix(_HEADS), candidate, fencing, is_request, otherwise)
    landing = land_on_remote(order.root, goal, site.holds_claim)
    if landing.state == "landed":
        with hold(repository_lock(order.root)), contextlib.suppress(ToolFailed):  # the next look brings it as well
            if _commit(site) == candidate.onto:
                follow(order.root, {order.line: candidate.commit})
        reach("remote.followed")
    return landing


def lower_line_fence(site: Site) -> None:
    """The plan is complete: its fence is not needed any more. One that stays does no harm."""
    order = site.order
    if site.fence:
        with contextlib.suppress(ToolFailed):
            lower_fence(order.root, order.remote, order.plan, site.fence, order.run)


def close_line(site: Site, commit: str) -> None:
    """Take away the branch of a request that was merged, if nobody has it checked out or has added to it."""
    with hold(repository_lock(site.order.root)):
        if _commit(site) == commit and not find_checkouts(read_layout(site.order.root), site.order.line):
            run_git(site.order.root, "update-ref", "-d", site.order.line, commit)


def _fetch_line(site: Site) -> str:
    """The line as its remote has it now; "" for a branch of a request that is not there."""
    return _fetch_target(site) if site.order.line == site.order.target else _fetch(site, site.order.line)


def _fetch_target(site: Site) -> str:
    order = site.order
    found = _fetch(site, order.target)
    if not found:
        name = order.target.removeprefix(_HEADS)
        raise PlanrailError(f"{order.remote} has no branch {name} any more", remedy=f"git push {order.remote} {name}")
    return found


def _fetch(site: Site, ref: str) -> str:
    """Under the lock, so that what is fetched later is also set later. What counts is the answer, and not the ref."""
    with hold(repository_lock(site.order.root)):
        found = fetch_ref(site.order.root, site.order.remote, ref.removeprefix(_HEADS)) or ""
        if found:
            follow(site.order.root, {ref: found})
    return found


def _commit(site: Site) -> str:
    asked = ("rev-parse", "--verify", "--quiet", f"{site.order.line}^{{commit}}")
    return (ask_git(site.order.root, *asked) or "").strip()


# Verified work that waits: the branch that it is kept on until a person brings it in, or its run is resumed.


def pause(order: Order, text: str, phase: str = "") -> Paused:
    """The rest of a run whose work waits. Resuming it builds the candidate on the target as it is then."""
    return Paused(WAITING, text, f"planrail resume {order.path}", phase=phase)


def find_work(site: Site, at: At, evidence: Evidence, ref: str, base: str) -> str:
    """The commit of a ref, since the base, that has this very work of a phase; "" where there is none."""
    named = hash_evidence(evidence.runs)
    return find_landed(site.root, ref, site.order.plan, at.phase.id, named, since=base) or ""


def keep(site: Site, at: At, finished: Candidate, evidence: Evidence, why: str) -> Paused:
    """Put work that does not fit the target on a branch, finished, on its own base; a person brings it in."""
    order = site.order
    with hold(repository_lock(site.root)):
        waits = (ref for ref in _list_branches(site) if find_work(site, at, evidence, ref, finished.onto))
        ref = next(waits, "")  # a person may be in the middle of bringing it in
        if not ref:
            layout, branch = read_layout(order.root), waiting_branch(order)
            ref = put_on_branch(order.root, layout, branch, finished.commit, "planrail: it waits")
    name, target = ref.removeprefix(_HEADS), order.line.removeprefix(_HEADS)
    obstacle = find_obstacle(read_layout(order.root), order.line)
    bring = f"bring it in yourself, on {target}: git merge {name}, resolve, commit"
    first = f"finish what you have begun: {obstacle} (resolve, git add, git commit)" if obstacle else bring
    text = (
        f"{why}; the verified work waits on {name}, and {target} has not moved. First {first}. "
        f"(To have it done anew instead: planrail stop {order.path}, then planrail run {order.path} {at.phase.id})"
    )
    commit = run_git(order.root, "rev-parse", "--verify", ref).strip()
    return rest(site, at, Landing(WAITING, commit, ref, text), evidence)


def rest(site: Site, at: At, landing: Landing, evidence: Evidence | None) -> Paused:
    """Say on record that the work of a phase waits, or what is wrong with it; the run rests.

    It may rest in the same state again: the last word has to be the last.
    """
    fact = site.describe(at, landing.state, landing.commit, evidence, text=landing.message)
    site.say(at, f"{landing.state}/{site.now()}", fact)
    return pause(site.order, landing.message, at.phase.id)


def clear(site: Site, commit: str) -> None:
    """Take the branch away on which the work waited that has landed now as this commit."""
    with hold(repository_lock(site.root)):
        take_away(site.root, read_layout(site.root), _list_branches(site), commit)


def _list_branches(site: Site) -> list[str]:
    """The branches that the work of this plan can wait on; where one is named `planrail`, without the slash."""
    usual = waiting_branch(site.order)
    flat = _HEADS + usual.removeprefix(_HEADS).replace("/", "-")
    asked = [f"{ref}{number}" for ref in (usual, flat) for number in ("", "-*")]
    return run_git(site.root, "for-each-ref", "--format=%(refname)", *asked).split()
