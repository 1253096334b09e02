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
from planrail.base.run_model import Candidate, Landing, Order
from planrail.git.checkouts import find_checkouts, read_layout
from planrail.git.git_writing import ask_git, hold, run_git
from planrail.git.remotes.mirrors import follow
from planrail.git.remotes.pushing import fetch_ref
from planrail.runs.forge.request_places import fetch_base, locate_request
from planrail.runs.landing.fences import Fencing, lower_fence
from planrail.runs.landing.remote_landings import Goal, land_on_remote
from planrail.runs.landing.targets import finish_landing
from planrail.runs.steps.site import Site
from planrail.store.places import ledger_folder
from planrail.store.runs.run_folders import load_order, run_folder

_OF = "@"  # between a run and a commit
_HEADS = "refs/heads/"
_NOTHING = "0" * 40


def repository_lock(root: str) -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(root), "repository.lock")


def waiting_branch(order: Order) -> str:
    """The branch on which work waits that cannot land now."""
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
            branch = _waiting_branch(root, name.partition(_OF)[0])
            finish_landing(root, repository_lock(root), branch, os.path.join(place, name))


def _waiting_branch(root: str, run: str) -> str:
    """Where the work of a run waits; also of one that cannot be read any more."""
    try:
        return waiting_branch(load_order(run_folder(root, run)))
    except PlanrailError:
        return f"refs/heads/planrail/{run}"


def resolve_line(site: Site) -> str:
    """The commit that the next phase builds on. The branch of a request is made where there is none yet.

    Where the target is a remote's, that is asked each time, and the branches here follow it.
    """
    order = site.order
    if order.remote:
        return _fetch_line(site) or _begin_line(site)
    found = _commit(site)
    if found:
        return found
    if order.line == order.target:
        name = order.target.removeprefix(_HEADS)
        raise PlanrailError(f"{name} was deleted meanwhile", remedy=f"git branch {name} {order.base}")
    # a request is based on the target as the forge has it, and on what a person lets travel along
    base = order.base if order.unpushed else fetch_base(order.root, locate_request(order.root, order.target))
    with hold(repository_lock(site.order.root)):
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
    is_request = order.line != order.target
    goal = Goal(
        order.remote,
        order.line.removeprefix(_HEADS),
        candidate,
        Fencing(order.plan, site.fence, order.run),
        creates=is_request,
        otherwise="" if is_request else f"planrail run {order.path} pr",
    )
    landing = land_on_remote(order.root, goal, site.holds_claim)
    if landing.state == "landed":
        with (
            hold(repository_lock(site.order.root)),
            contextlib.suppress(ToolFailed),
        ):  # the next look at the remote brings it as well
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
    order = site.order
    return _fetch_target(site) if order.line == order.target else _fetch(site, order.line)


def _begin_line(site: Site) -> str:
    """A request begins at the target; its branch is on the remote when its first phase has landed there."""
    base = _fetch_target(site)
    with hold(repository_lock(site.order.root)):
        follow(site.order.root, {site.order.line: base})
    return base


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
