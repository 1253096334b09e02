"""The checks of one commit on the forge, by their explicit states; and waiting for them."""

import time
from collections.abc import Callable, Iterator

from planrail.base.records import record, replace
from planrail.git.remotes.forge_places import Forge
from planrail.git.remotes.request_values import Checks, CheckState, judge_checks
from planrail.runs.forge.forge import pages
from planrail.runs.forge.gh import ForgeFailed
from planrail.runs.forge.pull_requests import Patience

_GROWTH = 1.5


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
    """The checks in one line."""
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
