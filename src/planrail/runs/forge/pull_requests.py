"""Pull requests, judged: whether one may be merged, whether one was, which ones are in the way.

Nothing here is green by default. What planrail does not know is unknown, and unknown never merges.
"""

import time
from collections.abc import Callable, Iterator

from planrail.base.records import record, replace
from planrail.base.run_model import Landing, Snapshot
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.request_values import Checks, CheckState, MergeAnswer, MergeProof, PullRequest, judge_checks
from planrail.runs.forge.forge import pages
from planrail.runs.forge.gh import ForgeFailed

_GROWTH = 1.5


@record
class Merge:
    """It may be merged, if its head is still this commit."""

    head: str


@record
class Wait:
    """Not yet. `is_for_person`: waiting alone changes nothing. `is_late`: the time for waiting is up."""

    reason: str
    is_for_person: bool = False
    is_late: bool = False
    command: str = ""


@record
class Refuse:
    """Not as it is. `is_red`: its checks failed."""

    reason: str
    remedy: str
    is_red: bool = False


@record
class Reverify:
    """The target has moved: what would be merged is not what was verified."""

    reason: str


@record
class Confirm:
    """It has been merged; what remains is to prove that."""

    commit: str


Decision = Merge | Wait | Refuse | Reverify | Confirm


@record
class Patience:
    """How long one waits, in seconds: for checks to appear, for them to end, and between two looks."""

    grace: float = 30.0
    limit: float = 600.0
    first_pause: float = 2.0
    longest_pause: float = 30.0


@record
class Circumstances:
    """What a merge depends on beside the pull request. `holds_target`: the head has all that the target has now."""

    target: str  # the branch that the work was verified for
    auto: bool
    holds_target: bool
    waited: float
    patience: Patience = Patience()
    method: str = "squash"

    @property
    def is_past_grace(self) -> bool:
        """Whether the forge has had the time to take notice."""
        return self.waited >= self.patience.grace

    @property
    def is_past_limit(self) -> bool:
        """Whether it has had all the time that it gets."""
        return self.waited >= self.patience.limit


def decide_merge(pr: PullRequest, checks: Checks, verified: Snapshot, around: Circumstances) -> Decision:
    """Whether a pull request is merged: only what was verified, on the target as it is, with checks that say yes."""
    return (
        _judge_state(pr)
        or _judge_head(pr, verified, around)
        or _judge_verdict(pr, checks, verified, around)
        or _judge_readiness(pr, around)
        or _judge_wish(pr, verified, around)
        or Merge(verified.commit)
    )


def _judge_state(pr: PullRequest) -> Decision | None:
    if pr.state == "merged":
        return Confirm(pr.merge_commit)
    if pr.state == "closed":
        return Refuse(f"pull request #{pr.number} was closed without a merge", f"gh pr reopen {pr.number}")
    if pr.state != "open":
        return Refuse(f"the state of pull request #{pr.number} is {pr.state}", f"gh pr view {pr.number}")
    return None


def _judge_head(pr: PullRequest, verified: Snapshot, around: Circumstances) -> Decision | None:
    if pr.head != verified.commit:
        if not around.is_past_grace:
            return Wait(f"#{pr.number} does not show {verified.commit[:10]} yet")
        reason = f"the head of #{pr.number} is {pr.head[:10]}, and {verified.commit[:10]} was verified"
        return Refuse(reason, f"gh pr view {pr.number} --comments, and run the phase again")
    if pr.base != around.target:
        return Refuse(f"#{pr.number} goes to {pr.base} by now", f"gh pr edit {pr.number} --base {around.target}")
    if not around.holds_target:
        return Reverify(f"{pr.base} has moved since {verified.commit[:10]} was verified")
    return None


def _judge_verdict(pr: PullRequest, checks: Checks, verified: Snapshot, around: Circumstances) -> Decision | None:
    if checks.head != verified.commit:
        return _wait_on(pr, around, f"no answer yet about the checks of {verified.commit[:10]}")
    if checks.verdict == "red":
        return Refuse(f"checks failed: {checks.named('red')}", f"gh pr checks {pr.number}", is_red=True)
    if checks.verdict == "pending":
        return _wait_on(pr, around, f"checks are running: {checks.named('pending')}")
    if checks.verdict == "none":
        return None if around.is_past_grace else Wait("no checks yet")
    if checks.verdict == "green":
        return None
    reason = f"the state of checks is not known: {checks.problem or checks.named('unknown')}"
    return Refuse(reason, f"gh pr checks {pr.number}") if around.is_past_limit else Wait(reason)


def _judge_readiness(pr: PullRequest, around: Circumstances) -> Decision | None:
    """What the forge itself has against it. An administrator could merge a blocked one; planrail does not."""
    look = f"gh pr view {pr.number}"
    if pr.is_draft or pr.readiness == "draft":
        return Wait(f"#{pr.number} is a draft", is_for_person=True, command=f"gh pr ready {pr.number}")
    if pr.readiness == "blocked":
        return Wait(f"the rules of {pr.base} want something more for #{pr.number}", is_for_person=True, command=look)
    if pr.readiness in ("dirty", "behind"):
        return Reverify(f"the forge says that #{pr.number} is {pr.readiness}: {pr.base} has moved")
    if pr.readiness == "unknown":
        return _wait_on(pr, around, f"the forge does not know yet whether #{pr.number} can be merged")
    return None


def _judge_wish(pr: PullRequest, verified: Snapshot, around: Circumstances) -> Decision | None:
    if around.auto:
        return None
    command = f"gh pr merge {pr.number} --{around.method} --match-head-commit {verified.commit}"
    return Wait(f"#{pr.number} can be merged", is_for_person=True, command=command)


def _wait_on(pr: PullRequest, around: Circumstances, reason: str) -> Wait:
    return Wait(reason, is_late=around.is_past_limit, command=f"gh pr checks {pr.number}")


def is_merged(pr: PullRequest, *, is_on_target: bool, merged_tree: str, verified_tree: str) -> bool:
    """Whether a merge, a squash or a rebase brought exactly the verified tree to the target."""
    return pr.state == "merged" and is_on_target and bool(merged_tree) and merged_tree == verified_tree


def describe_landing(answer: MergeAnswer, proof: MergeProof | None = None) -> Landing:
    """Where the work is after a merge was wanted, in the words that all landings have."""
    if answer.state == "merged":
        return _describe_proof(answer, proof or MergeProof("unproven", problems=("nobody has looked yet",)))
    states = {"person": "pr-ready", "late": "pr-ready", "reverify": "moved", "red": "pr-ci-failing"}
    state = states.get(answer.state, "pr-failed")
    return Landing(state, message=answer.message, command=answer.command, url=answer.url)


def _describe_proof(answer: MergeAnswer, proof: MergeProof) -> Landing:
    if proof.state == "landed":
        return Landing("landed", proof.commit, message=f"#{answer.number} was merged", url=answer.url)
    text = f"#{answer.number} is {proof.state}: {'; '.join(proof.problems) or answer.message}"
    command = f"gh pr view {answer.number}"
    return Landing("pr-failed", proof.commit, message=text, command=command, url=answer.url)


@record
class Waiting:
    """How one waits, and who is told: a clock, a pause, a line for people at each look."""

    tell: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def read_checks(forge: Forge, commit: str) -> Checks:
    """The checks of exactly this commit. Where they cannot be read for now, that is `unknown`."""
    try:
        states = (*_read_runs(forge, commit), *_read_statuses(forge, commit))
    except ForgeFailed as error:
        if not error.is_passing:
            raise
        return Checks(commit, "unknown", problem=error.message)
    return Checks(commit, judge_checks(check.state for check in states), states)


def await_checks(forge: Forge, commit: str, waiting: Waiting, patience: Patience) -> Checks:
    """The checks once they have ended, or as they are when the time is up.

    Red ends it at once. Green has to be seen twice: a check that starts late is not there at the first look. That no
    check comes is believed after the grace.
    """
    began, pause, before = waiting.clock(), patience.first_pause, ""
    while True:
        waited = waiting.clock() - began
        checks = replace(read_checks(forge, commit), waited=waited)
        waiting.tell(f"{describe(checks)} ({waited:.0f} s)")
        if _is_final(checks, before, waited, patience) or waited >= patience.limit:
            return checks
        before = checks.verdict
        waiting.pause(min(pause, max(0.0, patience.limit - waited)))
        pause = min(pause * _GROWTH, patience.longest_pause)


def describe(checks: Checks) -> str:
    if not checks.states:
        return f"checks: {checks.problem or 'none'}"
    verdicts = [judge_checks([check.state]) for check in checks.states]
    counted = [(name, verdicts.count(name)) for name in ("green", "red", "pending", "unknown")]
    return "checks: " + ", ".join(f"{count} {name}" for name, count in counted if count or name == "green")


def _is_final(checks: Checks, before: str, waited: float, patience: Patience) -> bool:
    if checks.verdict == "green":
        return before == "green"
    return checks.verdict == "red" or (checks.verdict == "none" and waited >= patience.grace)


def _read_runs(forge: Forge, commit: str) -> Iterator[CheckState]:
    for entry in pages(forge, f"{forge.path}/commits/{commit}/check-runs?filter=latest", "check_runs"):
        yield _read_run(entry)


def _read_run(entry: object) -> CheckState:
    """A run that has ended has a conclusion; any other state is one of waiting, or unknown."""
    run = entry if isinstance(entry, dict) else {}
    state = run.get("conclusion") if run.get("status") == "completed" else run.get("status")
    return CheckState(str(run.get("name")), str(state or "unknown"), str(run.get("html_url") or ""))


def _read_statuses(forge: Forge, commit: str) -> Iterator[CheckState]:
    for entry in pages(forge, f"{forge.path}/commits/{commit}/status?", "statuses"):
        status = entry if isinstance(entry, dict) else {}
        state = status.get("state") or "unknown"
        yield CheckState(str(status.get("context")), str(state), str(status.get("target_url") or ""))
