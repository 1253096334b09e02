"""How the predecessor waited for a phase that is under way, and for a last verification: slower and slower.

Its job fired every minute, and was replaced by a rarer one the longer nothing happened. Each decision is a list of
directives for whoever holds the jobs and the files; nothing is done here.
"""

from planrail.errors import UsageError
from planrail.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

UNDER_WAY, GOES_ON = 3, 4  # the cases of a re-entry in which back-off is decided
OK, RETRIED, EXHAUSTED = "ok", "missing", "missing-after-3-retries"
# From which deferral on which cadence counts; the people hear of it at exactly these.
_STEPS = ((1, "*/1"), (10, "*/10"), (16, "*/30"), (26, "*/60"))
_FASTEST = _STEPS[0][1]


@record
class DeferFacts:
    """What is known when a job finds its phase under way, or free again."""

    counter: int = 0  # how often it was deferred
    cadence: str = _FASTEST  # of the job that there is
    matches: int = 1  # jobs of this pipeline
    created: str = OK  # how creating a job in its place goes: ok, missing, missing-after-3-retries
    case: int = UNDER_WAY
    needs_recovery: bool = False  # an earlier replacement left no job, and a marker that says so
    phase: str = "3"


def decide_defer(facts: DeferFacts) -> list[str]:
    """The directives, in order. A job that is in the way of recovery is put right, and nothing else happens then."""
    if facts.case not in (UNDER_WAY, GOES_ON) or facts.created not in (OK, RETRIED, EXHAUSTED):
        raise UsageError(
            f"no back-off is decided for case {facts.case} and {facts.created!r}",
            remedy="case 3 or 4; ok, missing or missing-after-3-retries",
        )
    directives = list(_recover(facts)) if facts.needs_recovery else []
    if facts.needs_recovery and _has_odd_job(facts):
        return directives
    return [*directives, *(_defer(facts) if facts.case == UNDER_WAY else ["DELETE_COUNTER"])]


def find_cadence(deferral: int) -> str:
    """How often to look at the n-th deferral: each minute, then every 10, 30, 60."""
    return next((cadence for least, cadence in reversed(_STEPS) if deferral >= least), _FASTEST)


def _has_odd_job(facts: DeferFacts) -> bool:
    """Whether there is a job whose cadence none of the steps has: somebody else's work, or half of ours."""
    return facts.matches > 0 and all(facts.cadence != cadence for _, cadence in _STEPS)


def _recover(facts: DeferFacts) -> "Iterator[str]":
    yield "PRELUDE_RECOVERY_ATTEMPTED"
    if _has_odd_job(facts):
        yield f"WARN cron-recovery-bad-cadence {facts.cadence}"
        yield "DELETE_ALL_MATCHING_CRONS"
        yield f"REPLACE_CRON {_FASTEST}"
    elif not facts.matches:
        if facts.created != OK:
            yield "PRELUDE_RECOVERY_FAILED"
            return
        yield f"REPLACE_CRON {_FASTEST}"
    yield "PRELUDE_RECOVERY_OK"


def _defer(facts: DeferFacts) -> "Iterator[str]":
    """Count the deferral, once the job has the cadence for it. Without a job nothing is counted."""
    if not facts.matches:
        yield "WARN no-cron-match"
        return
    deferral = facts.counter + 1
    target = find_cadence(deferral)
    if target != facts.cadence:
        yield from _replace(facts, target)
        if facts.created == EXHAUSTED:
            return
    yield f"WRITE_COUNTER {deferral}"
    is_told = any(deferral == least for least, _ in _STEPS)
    yield f"PROCEED defer-message-{'printed' if is_told else 'silent'}"


def _replace(facts: DeferFacts, target: str) -> "Iterator[str]":
    yield "DELETE_ALL_MATCHING_CRONS"
    if facts.created != OK:
        yield "SLEEP_BETWEEN_RETRIES"
    if facts.created == EXHAUSTED:
        yield "WARN cron-replace-failed (3 retries exhausted)"
        yield f"WRITE_RECOVERY_MARKER {facts.phase}"
        yield "EMIT_USER_WARN cron-stalled"
        return
    if facts.created == RETRIED:
        yield "WARN cron-replace-failed (1 retry, will continue)"
    yield f"REPLACE_CRON {target}"


# ------------------------------------------------------------------------------------------------ the last verification

_FIRST_WAIT, _LONGEST_WAIT, _VERIFY_IN = 10, 60, 5


@record
class VerifyWait:
    """When to come back, in minutes, and in how many a verification is to begin; None: it has begun already."""

    reentry: int
    verify: int | None


def decide_verify_wait(attempt: int) -> VerifyWait:
    """What follows where the last verification is still missing at the n-th look: 10, 20, 40, 60, 60 … minutes."""
    if attempt < 1:
        raise UsageError(f"attempts are counted from 1, not {attempt}", remedy="1 for the first")
    wait = _FIRST_WAIT << min(attempt - 1, 3)
    return VerifyWait(min(wait, _LONGEST_WAIT), _VERIFY_IN if attempt == 1 else None)
