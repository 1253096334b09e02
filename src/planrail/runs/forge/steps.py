"""Landing by a pull request, as steps that may each be taken again: push, request, checks, merge, proof. Where a pull
request goes, and what it would bring along: its base is the target as the forge has it.

The forge is the memory: a pull request is found by its branch, a merge by the request's state, and what landed is
proven by trees. So a step that died after its effect finds that effect, and does nothing twice.
"""

from collections.abc import Callable, Collection, Iterable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.run_model import Candidate, Proof, Refusal, Snapshot
from planrail.git.git_writing import run_git
from planrail.git.remotes.forge_places import Forge, locate_forge
from planrail.git.remotes.pushing import FETCHED, Upstream, fetch_ref, holds, push, remote_of
from planrail.git.remotes.request_values import (
    Checks,
    MergeAnswer,
    MergeProof,
    PullRequest,
    Pushed,
    PushFailed,
    PushRejected,
    RequestOrder,
)
from planrail.git.trailers import PLAN, TRAILERS, decode_value, read_trailers
from planrail.git.workspaces.work_snapshots import changed_paths
from planrail.runs.forge.forge import create_pr, merge_pr, read_pr, update_pr
from planrail.runs.forge.gh import ForgeFailed
from planrail.runs.forge.pr_body import write_progress
from planrail.runs.forge.pull_requests import MergeTerms, Patience, Waiting, await_checks, decide_merge, read_checks

Prove = Callable[[str, Snapshot, Candidate, str, tuple[str, ...]], Proof]
_PROBES = (2.0, 4.0)  # seconds: a forge's branch can be later than its word


def push_step(root: str, remote: str, branch: str, commit: str, expected: str) -> Pushed | PushRejected | PushFailed:
    """The branch of the remote at this commit, if it was where planrail last put it."""
    pushed = push(root, remote, commit, branch, expected)
    reach("pr.pushed")
    return pushed


def pr_step(forge: Forge, order: RequestOrder) -> PullRequest:
    """The one pull request of a branch, its progress block up to date. What people wrote around the block stays."""
    pr = create_pr(forge, order)
    title = order.title if pr.title in order.former_titles else pr.title
    try:
        return update_pr(forge, pr, title, write_progress(pr.body, order.rows, order.unpushed))
    except ForgeFailed as error:
        if error.status != 422:
            raise
        return pr  # a body that the forge does not want, such as one that is too long, holds nothing up


def checks_step(forge: Forge, verified: Snapshot, waiting: Waiting, patience: Patience) -> Checks:
    """What the forge's checks say about the verified commit, once they have ended or the time is up."""
    checks = await_checks(forge, verified.commit, waiting, patience)
    reach("pr.checked")
    return checks


def merge_step(
    root: str, forge: Forge, number: int, verified: Snapshot, checks: Checks, terms: MergeTerms, waiting: Waiting
) -> MergeAnswer:
    """Merge what was verified, and nothing else. All that this depends on is looked at again just before."""
    began, pause = waiting.clock(), terms.patience.first_pause
    while True:
        waited = checks.waited + waiting.clock() - began
        pr = read_pr(forge, number)
        tip = fetch_ref(root, forge.base_remote, terms.target) or ""
        checks_now, holds_target = read_checks(forge, verified.commit), bool(tip) and holds(root, verified.commit, tip)
        answer = decide_merge(pr, checks_now, verified, terms, holds_target=holds_target, waited=waited)
        if answer.state == "merge":
            answer = _merge(root, forge, pr, verified, terms)
        if answer.state != "wait":
            return answer
        if waited >= terms.patience.limit:
            return MergeAnswer("late", number, message="the forge did not merge in time", url=pr.url)
        waiting.tell(f"#{number}: {answer.message}")
        waiting.pause(pause)
        pause = min(pause * 1.5, terms.patience.longest_pause)


def confirm_step(
    root: str, forge: Forge, number: int, verified: Snapshot, target: str, prove: Prove, waiting: Waiting
) -> MergeProof:
    """Whether the target has the verified work: by the request's state, then by the trees themselves."""
    probes = list(_PROBES)
    while True:  # asked again where the request and the target disagree
        pr = read_pr(forge, number)
        tip = fetch_ref(root, forge.base_remote, target) or ""
        is_on_target = bool(tip and pr.merge_commit) and holds(root, tip, pr.merge_commit)
        if not probes or is_on_target or pr.state != "merged":
            break
        waiting.pause(probes.pop(0))
    if pr.state != "merged":
        return MergeProof(pr.state, target=tip)
    if pr.base != target or not is_on_target:
        problem = f"the forge says that #{number} was merged into {pr.base}, but {target} does not have it"
        return MergeProof("unproven", pr.merge_commit, tip, problems=(problem,))
    reach("pr.confirming")
    return _prove_merge(root, pr, tip, verified, prove)


def _merge(root: str, forge: Forge, pr: PullRequest, verified: Snapshot, terms: MergeTerms) -> MergeAnswer:
    """Ask the forge to merge. Where it says no, its own state tells what happened; `wait`: look at everything again."""
    message = None
    if terms.method == "squash":  # the trailers of all commits that go into the one have to survive
        shape = f"--format=%s%x00%(trailers:{','.join(f'key={name}' for name in TRAILERS)},unfold)%x00"
        printed = run_git(root, "log", "--reverse", shape, f"{verified.base}..{verified.commit}", "--")
        parts = [part.strip("\n") for part in printed.split("\0")]
        subjects = [f"* {subject}" for subject in parts[:-1:2]]
        trailers = dict.fromkeys(line for part in parts[1::2] for line in part.splitlines())
        message = (f"{pr.title} (#{pr.number})", "\n\n".join(["\n".join(subjects), "\n".join(trailers)]))
    try:
        commit = merge_pr(forge, pr.number, verified.commit, terms.method, message)
        return MergeAnswer("merged", pr.number, commit, url=pr.url)
    except ForgeFailed as error:
        if read_pr(forge, pr.number).state == "merged" or error.is_passing or error.status == 409:
            return MergeAnswer("wait", pr.number, message="the forge is busy", url=pr.url)
        command = f"gh pr view {pr.number} --web"
        return MergeAnswer("person", pr.number, message=error.message, command=command, url=pr.url)


def _prove_merge(root: str, pr: PullRequest, tip: str, verified: Snapshot, prove: Prove) -> MergeProof:
    """By equal trees; where the target had moved before, by a proof over what the merge did to it."""
    tree = run_git(root, "rev-parse", "--verify", f"{pr.merge_commit}^{{tree}}").strip()
    if tree and tree == verified.tree:
        return MergeProof("landed", pr.merge_commit, tip, is_exact=True)
    problems: dict[str, None] = {}
    whole = verified
    if whole.base == whole.commit:  # looked up after the merge, it has nothing that the target does not have
        base = run_git(root, "merge-base", f"{pr.merge_commit}^1", whole.commit).strip()
        whole = replace(whole, base=base, paths=tuple(changed_paths(root, base, whole.commit)))
    # what the target may have been before: the first parent of a merge or a squash; further back after a rebase
    count = len(run_git(root, "rev-list", f"{whole.base}..{whole.commit}", "--").split())
    limit = f"--max-count={count + 1}"
    line = run_git(root, "rev-list", "--first-parent", limit, pr.merge_commit, "--").split()
    work = replace(whole, commit=_as_one(root, whole.tree, whole.base))
    for before in dict.fromkeys(line[1:2] + line[count : count + 1]):
        proof = prove(root, work, Candidate(_as_one(root, tree, before), tree, before), before, ())
        if proof.ok:
            return MergeProof("landed", pr.merge_commit, tip)
        problems |= dict.fromkeys(proof.problems)
    return MergeProof("unproven", pr.merge_commit, tip, problems=tuple(problems) or ("the merged tree is another one",))


def _as_one(root: str, tree: str, parent: str) -> str:
    """One commit from a parent to a tree, which nothing points to.

    A proof compares two such steps; a merge has two parents, and several phases, or a rebase of them, several commits.
    """
    return run_git(root, "commit-tree", tree, "-p", parent, "-m", "for a proof").strip()


_HEADS = "refs/heads/"

OPTION = "--with-unpushed"
_MOST_NAMED = 5
_HASH_SHOWN = 10
Told = tuple[str, str]  # a commit, and the first line of its message


@record
class RequestPlace:
    """A target on a forge. Branches are pushed to `remote`; where that is a fork, requests go to another one."""

    forge: Forge
    remote: str
    branch: str  # the target, as the forge calls it

    @property
    def name(self) -> str:
        return f"{self.forge.base_remote}/{self.branch}"

    @property
    def fetched(self) -> str:
        """The ref that has it as it was fetched last."""
        return f"{FETCHED}/{self.name}"


def locate_request(root: str, target: str, remote: str = "") -> RequestPlace:
    """Where requests for a local branch go. `remote` is the one whose target is the truth, where that was said."""
    told = Upstream(remote, target.removeprefix(_HEADS)) if remote else remote_of(root, target)
    if told is None:
        raise PlanrailError("there is no remote to open a pull request at", remedy="git remote add origin URL")
    return RequestPlace(locate_forge(root, told.remote), told.remote, told.branch)


def fetch_base(root: str, place: RequestPlace) -> str:
    """The commit that a request is based on: the target as the forge has it now."""
    found = fetch_ref(root, place.forge.base_remote, place.branch)
    if not found:
        raise PlanrailError(
            f"{place.forge.base_remote} has no branch {place.branch}, so no pull request can go there",
            remedy=f"git push {place.forge.base_remote} {place.branch}",
        )
    return found


def list_commits(root: str, tip: str, known: Iterable[str]) -> list[Told]:
    """The commits of a tip that nothing of what is known has, the oldest first."""
    return [commit for commit, _ in _read(root, tip, known)]


def list_strange(root: str, plan: str, tip: str, known: Iterable[str], allowed: Collection[str]) -> list[Told]:
    """Those of them that are neither planrail's own work on a plan nor allowed: a request must not bring them along."""

    def is_ours(message: str) -> bool:
        return any(name == PLAN and decode_value(value) == plan for name, value in read_trailers(message))

    found = _read(root, tip, known)
    return [commit for commit, message in found if commit[0] not in allowed and not is_ours(message)]


def _read(root: str, tip: str, known: Iterable[str]) -> list[tuple[Told, str]]:
    shape = "--format=%H%n%B"
    told = run_git(root, "log", "--reverse", "--encoding=UTF-8", "-z", shape, tip, "--not", *known, "--")
    entries = (entry.split("\n", 1) for entry in told.split("\0") if entry)
    return [((id, message.split("\n", 1)[0].strip()), message) for id, message in entries]


def refuse_unpushed(
    commits: Sequence[Told], here: str, there: str, *, has_moved: bool, push: str, pull: str, again: str
) -> Refusal:
    """Why a run by pull request does not begin: the target here has commits that the forge lacks.

    `has_moved`: the forge has others, which are not here. `again` is the call with which the commits travel.
    """
    told = f"{here} has {name_commits(commits)}, which {there} lacks, and a pull request would bring that along"
    if has_moved:
        text = f"{told}; {there} has moved on as well; nothing was started"
        return Refusal("refused", text, f"{pull}, then {push}; then try again")
    return Refusal("refused", f"{told}; nothing was started", f"{push}; or, to let it travel on purpose: {again}")


def refuse_strange(commits: Sequence[Told], branch: str, push: str) -> Refusal:
    """Why nothing is pushed: the branch of the request has unpublished commits that planrail did not make."""
    text = f"{branch} has {name_commits(commits)}, which planrail did not make; nothing was pushed"
    return Refusal("refused", text, f"git log {branch}; if it shall be a part of the request: {push}")


def announce_unpushed(commits: Sequence[Told]) -> str:
    """What travels with a request, because a person said so; "" for nothing."""
    return f"with the pull request travels, by {OPTION}: {name_commits(commits)}" if commits else ""


def advise_after_merge(commits: Sequence[Told], base: str, branch: str, remote: str, there: str) -> str:
    """How the branch here gets what was merged: without the commits that travelled, which a squash has made anew, and
    with all that came after `base`, the commit here that the request was built upon. Uncommitted work is kept."""
    if not commits:
        return "git pull"
    return f"git fetch {remote} && git rebase --autostash --onto {there} {base[:_HASH_SHOWN]} {branch}"


def name_commits(commits: Sequence[Told]) -> str:
    named = "; ".join(f"{commit[:_HASH_SHOWN]} {subject}" for commit, subject in commits[:_MOST_NAMED])
    more = len(commits) - _MOST_NAMED
    count = "1 commit" if len(commits) == 1 else f"{len(commits)} commits"
    return f"{count} ({named}{f' and {more} more' if more > 0 else ''})"
