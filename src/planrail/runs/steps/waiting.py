"""Verified work that waits: the branch that it is kept on until a person brings it in, or its run is resumed."""

from planrail.base.run_model import Candidate, Evidence, Landing, Order
from planrail.git.checkouts import find_obstacle, read_layout
from planrail.git.git_writing import hold, run_git
from planrail.git.trailers import find_landed
from planrail.runs.evidence.judging import hash_evidence
from planrail.runs.landing.landing_moves import put_on_branch, take_away
from planrail.runs.steps.lines import repository_lock, waiting_branch
from planrail.runs.steps.site import At, Paused, Site

WAITING = "waiting"
_HEADS = "refs/heads/"


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
