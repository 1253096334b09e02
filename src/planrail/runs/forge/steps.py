"""Landing by a pull request, as steps that may each be taken again: push, request, checks, merge, proof.

The forge is the memory: a pull request is found by its branch, a merge by the request's state, and what landed is
proven by trees. So a step that died after its effect finds that effect, and does nothing twice.
"""

from collections.abc import Callable

from planrail.base.crash_points import reach
from planrail.base.records import replace
from planrail.base.run_model import Candidate, Proof, Snapshot
from planrail.git.git_writing import run_git
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.pushing import fetch_ref, holds, push
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
from planrail.git.trailers import TRAILERS
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
