"""Pull requests, judged: whether one may be merged, whether one was, which ones are in the way.

Nothing here is green by default. What planrail does not know is unknown, and unknown never merges.
"""

import time
from collections.abc import Callable

from planrail.base.records import record, replace
from planrail.base.run_model import Landing, Snapshot
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.request_values import Checks, CheckState, MergeAnswer, MergeProof, PullRequest, judge_checks
from planrail.runs.forge.forge import pages
from planrail.runs.forge.gh import ForgeFailed

_GROWTH = 1.5


@record
class Patience:
    """How long one waits, in seconds: for checks to appear, for them to end, and between two looks."""

    grace: float = 30.0
    limit: float = 600.0
    first_pause: float = 2.0
    longest_pause: float = 30.0


@record
class MergeTerms:
    """What is wanted of a merge: the branch it was verified for, whether planrail does it, how, how long it waits."""

    target: str
    auto: bool
    method: str = "squash"
    patience: Patience = Patience()


def decide_merge(
    pr: PullRequest, checks: Checks, verified: Snapshot, terms: MergeTerms, *, holds_target: bool, waited: float
) -> MergeAnswer:
    """Whether a pull request is merged: only what was verified, on the target as it is, with checks that pass.

    Beside what can come of it, the answer is `merge`: it may be, if its head is still the verified commit; or `wait`:
    not yet. `holds_target`: the head has all that the target has now.
    """
    case = _Case(pr, verified.commit, terms, waited)
    found = _judge_request(case, holds_target=holds_target) or _judge_verdict(case, checks) or _judge_readiness(case)
    if found is None and not terms.auto:
        command = f"gh pr merge {pr.number} --{terms.method} --match-head-commit {verified.commit}"
        return case.say("person", f"#{pr.number} can be merged", command)
    return found or case.say("merge")


@record
class _Case:
    """A pull request that may be merged, and how long one has waited for that."""

    pr: PullRequest
    verified: str
    terms: MergeTerms
    waited: float

    def say(self, state: str, message: str = "", command: str = "") -> MergeAnswer:
        return MergeAnswer(state, self.pr.number, self.pr.merge_commit, message, command, self.pr.url)

    def wait(self, message: str) -> MergeAnswer:
        """Not yet; but not longer than one was willing to."""
        is_late = self.waited >= self.terms.patience.limit
        return self.say("late" if is_late else "wait", message, f"gh pr checks {self.pr.number}")

    @property
    def is_noticed(self) -> bool:
        return self.waited >= self.terms.patience.grace


def _judge_request(case: _Case, *, holds_target: bool) -> MergeAnswer | None:
    pr, verified, target = case.pr, case.verified[:10], case.terms.target
    if pr.state == "merged":
        return case.say("merged")
    if pr.state == "closed":
        message = f"pull request #{pr.number} was closed without a merge"
        return case.say("refused", message, f"gh pr reopen {pr.number}")
    if pr.state != "open":
        return case.say("refused", f"the state of pull request #{pr.number} is {pr.state}", f"gh pr view {pr.number}")
    if pr.head != case.verified and not case.is_noticed:
        return case.say("wait", f"#{pr.number} does not show {verified} yet")
    if pr.head != case.verified:
        reason = f"the head of #{pr.number} is {pr.head[:10]}, and {verified} was verified"
        return case.say("refused", reason, f"gh pr view {pr.number} --comments, and run the phase again")
    if pr.base != target:
        command = f"gh pr edit {pr.number} --base {target}"
        return case.say("refused", f"#{pr.number} goes to {pr.base} by now", command)
    return None if holds_target else case.say("reverify", f"{pr.base} has moved since {verified} was verified")


def _judge_verdict(case: _Case, checks: Checks) -> MergeAnswer | None:
    look = f"gh pr checks {case.pr.number}"
    if checks.head != case.verified:
        return case.wait(f"no answer yet about the checks of {case.verified[:10]}")
    if checks.verdict == "red":
        return case.say("red", f"checks failed: {checks.named('red')}", look)
    if checks.verdict == "pending":
        return case.wait(f"checks are running: {checks.named('pending')}")
    if checks.verdict == "none":
        return None if case.is_noticed else case.say("wait", "no checks yet")
    if checks.verdict == "green":
        return None
    reason = f"the state of checks is not known: {checks.problem or checks.named('unknown')}"
    return case.say("refused" if case.waited >= case.terms.patience.limit else "wait", reason, look)


def _judge_readiness(case: _Case) -> MergeAnswer | None:
    """What the forge itself has against it. An administrator could merge a blocked one; planrail does not."""
    pr = case.pr
    if pr.is_draft or pr.readiness == "draft":
        return case.say("person", f"#{pr.number} is a draft", f"gh pr ready {pr.number}")
    if pr.readiness == "blocked":
        message = f"the rules of {pr.base} want something more for #{pr.number}"
        return case.say("person", message, f"gh pr view {pr.number}")
    if pr.readiness in ("dirty", "behind"):
        return case.say("reverify", f"the forge says that #{pr.number} is {pr.readiness}: {pr.base} has moved")
    if pr.readiness == "unknown":
        return case.wait(f"the forge does not know yet whether #{pr.number} can be merged")
    return None


def describe_landing(answer: MergeAnswer, proof: MergeProof | None = None) -> Landing:
    """Where the work is after a merge was wanted, in the words that all landings have."""
    if answer.state != "merged":
        states = {"person": "pr-ready", "late": "pr-ready", "reverify": "moved", "red": "pr-ci-failing"}
        state = states.get(answer.state, "pr-failed")
        return Landing(state, message=answer.message, command=answer.command, url=answer.url)
    known = proof or MergeProof("unproven", problems=("nobody has looked yet",))
    if known.state == "landed":
        return Landing("landed", known.commit, message=f"#{answer.number} was merged", url=answer.url)
    text = f"#{answer.number} is {known.state}: {'; '.join(known.problems) or answer.message}"
    command = f"gh pr view {answer.number}"
    return Landing("pr-failed", known.commit, message=text, command=command, url=answer.url)


@record
class Waiting:
    """How planrail waits, and how people are told: a clock, a pause, a line for people at each look."""

    tell: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def read_checks(forge: Forge, commit: str) -> Checks:
    """The checks of exactly this commit. Where they cannot be read for now, that is `unknown`."""
    try:
        at = f"{forge.path}/commits/{commit}"
        runs = [
            entry if isinstance(entry, dict) else {}
            for entry in pages(forge, f"{at}/check-runs?filter=latest", "check_runs")
        ]
        told = [entry if isinstance(entry, dict) else {} for entry in pages(forge, f"{at}/status?", "statuses")]
    except ForgeFailed as error:
        if not error.is_passing:
            raise
        return Checks(commit, "unknown", problem=error.message)
    # a run that has ended has a conclusion; any other state is one of waiting, or unknown
    ended = [run.get("conclusion") if run.get("status") == "completed" else run.get("status") for run in runs]
    found = [(run.get("name"), state, run.get("html_url")) for run, state in zip(runs, ended, strict=True)]
    found += [(status.get("context"), status.get("state"), status.get("target_url")) for status in told]
    states = tuple(CheckState(str(name), str(state or "unknown"), str(url or "")) for name, state, url in found)
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
        is_sure = checks.verdict == "red" or (checks.verdict == "none" and waited >= patience.grace)
        if is_sure or checks.verdict == before == "green" or waited >= patience.limit:
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
