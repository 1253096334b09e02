"""The queue: which plan is served next, what becomes of it afterwards, and why one has to wait. Pure.

A submission is "this plan shall run, this way". In one priority the line is first come, first served, and one that
was served goes to its end: `served` is the place in the line, the time of the last turn, or of coming where there was
none. So a submission that waits only ever gets nearer to the head, however many come after.
"""

from collections.abc import Iterable, Mapping, Sequence

from planrail.base.records import replace
from planrail.base.values import value
from planrail.runs.request.requests import RunRequest

QUEUED, TAKEN, STOPPING, RESTING, ENDED = "queued", "taken", "stopping", "resting", "ended"
LOST = "lost"  # what a process hears that has it no more
AT_WORK = (TAKEN, STOPPING)  # both fill a slot and count for the limits
ACTIVE, HELD = "active", "held"
REPOSITORY, ACCOUNT = "repository", "account"
LIMIT_KINDS = (REPOSITORY, ACCOUNT)
ANSWERED = "answered"  # the option of a request by which a person approves what the run asked
SHARED = ("repository", "plan", "path", "remote", "root", "host", "target")  # that schedules hand to submissions
EVERY = "*"  # a limit for all that have none of their own

SILENCE = 60.0  # seconds after which a worker that was not seen is not there
HANDOVER = 120.0  # seconds that a run whose worker was told to leave is kept for its machine: an agent works there
MOST_TRIES = 8
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 600.0
_UNKNOWN_PAUSE = 900.0  # parked, and nobody said until when
_NEXT_LOOK = 60.0  # at a plan that another run holds

# Endings of a run as they are in `Ending.state`, and those that only a worker knows of.
YIELDED, NOT_BEGUN, INTERRUPTED, STOPPED, REMOVED = "yielded", "not_begun", "interrupted", "stopped", "removed"
IN_OTHER_HANDS = "held"  # another process runs the plan: that is no failure, however long it takes
_OVER = ("complete", "phase_done", "pr_ready", "failed", STOPPED, "declined")
FOR_A_PERSON = ("paused", "waiting")


@value
class SubmissionRequest:
    """What a row asks for: the request, and what the queue itself has to know of it, as strings."""

    request: RunRequest = RunRequest()
    options: dict[str, str] = {}  # noqa: RUF012 - never changed: a value


@value
class Submission:
    """A row of the queue. `until`: so long it is kept for the machine that had it. `due` says when it may start, 0 at
    once: a clock that is set back then delays nothing; `tries` counts the beginnings in a row that came to nothing."""

    id: str
    repository: str
    plan: str
    path: str
    wish: SubmissionRequest
    run: str = ""
    account: str = ""
    priority: int = 0
    state: str = QUEUED
    due: float = 0.0
    served: float = 0.0
    submitted: float = 0.0
    submitted_by: str = ""
    worker: str = ""
    owner: str = ""
    until: float = 0.0
    tries: int = 0
    said: str = ""
    outcome: str = ""
    remote: str = ""
    root: str = ""
    host: str = ""
    target: str = ""
    taken_on: str = ""  # the machine that served it last, where its agents and working trees are


@value
class ScheduleRow:
    """When a plan goes on by itself. `next` is the time of the next firing; `why` says why it is held, or ended."""

    id: str
    repository: str
    plan: str
    path: str
    expression: str
    cron: str
    zone: str
    kind: str
    wish: SubmissionRequest
    next: float
    last: float = 0.0
    state: str = ACTIVE
    why: str = ""
    created: float = 0.0
    created_by: str = ""
    remote: str = ""
    root: str = ""
    host: str = ""
    target: str = ""


@value
class WorkerRow:
    """A worker as the database knows it. `drains`: it takes nothing more."""

    id: str
    host: str
    pid: int
    owner: str
    slots: int
    busy: int = 0
    drains: int = 0
    seen: float = 0.0
    version: str = ""


@value
class Limit:
    """At most so many of a repository, or of an agent's account, run at once. `EVERY` names all the others."""

    kind: str
    name: str
    most: int


@value
class Rest:
    """Where a submission goes after its turn."""

    state: str
    due: float
    said: str
    outcome: str


@value
class Refused:
    """Another request for this plan is under way."""

    existing: Submission
    why: str


# ---- submitting ----


def decide_submit(existing: Submission | None, wanted: Submission, now: float) -> Submission | Refused:
    """The row after a submission, given the one of its plan that is not ended: a new one, the same, or one woken."""
    if existing is None:
        return replace(wanted, state=QUEUED, submitted=wanted.submitted or now, served=now)
    is_same = set_answered(existing.wish, is_answered=False) == wanted.wish
    if existing.state == RESTING and is_same:
        return wake(existing, is_answered=True)  # to ask for it once more is an approval
    if existing.state == RESTING:
        return Refused(existing, f"{existing.path} was asked for otherwise, and waits for a person: {existing.said}")
    if existing.state == STOPPING:
        return Refused(existing, f"{existing.path} is being stopped")
    if is_same:
        return existing
    return Refused(existing, f"{existing.path} is {'queued' if existing.state == QUEUED else 'running'} already")


def wake(submission: Submission, *, is_answered: bool = False) -> Submission:
    """One that rested or was parked, in the line again at the place of its last turn. Answered: a person approved."""
    wish = set_answered(submission.wish, is_answered=is_answered)
    return replace(submission, state=QUEUED, due=0.0, tries=0, said="", outcome="", wish=wish)


def set_answered(wish: SubmissionRequest, *, is_answered: bool) -> SubmissionRequest:
    """A request with or without a person's approval of what its run asked. The approval counts for one turn."""
    others = {name: said for name, said in wish.options.items() if name != ANSWERED}
    return SubmissionRequest(wish.request, {**others, ANSWERED: "yes"} if is_answered else others)


# ---- serving ----


def rank(submission: Submission) -> tuple[float, float, float, str]:
    """The place in the line: priority first, then the one served least recently, then the one that came first."""
    return (-submission.priority, submission.served, submission.submitted, submission.id)


def explain_wait(
    row: Submission, rows: Sequence[Submission], limits: Sequence[Limit], held: Mapping[str, float], now: float
) -> str:
    """Why a queued submission can start nowhere now: due, account, repository limit, account limit; "" if it can."""
    if row.due > now:
        return "due"
    if row.account and held.get(row.account, 0.0) > now:
        return "account"
    for kind in LIMIT_KINDS:
        name = name_of(row, kind)
        if (name or kind == REPOSITORY) and count_busy(rows, kind, name) >= find_limit(limits, kind, name):
            return f"{kind} limit"
    return ""


def name_of(row: Submission, kind: str) -> str:
    """The name that a limit of this kind knows a submission by."""
    return row.repository if kind == REPOSITORY else row.account


def count_busy(rows: Iterable[Submission], kind: str, name: str) -> int:
    return sum(1 for row in rows if row.state in AT_WORK and name_of(row, kind) == name)


def find_limit(limits: Iterable[Limit], kind: str, name: str) -> float:
    """How many may be at work at once; infinity where nobody set a limit."""
    found = {limit.name: limit.most for limit in limits if limit.kind == kind}
    return found.get(name, found.get(EVERY, float("inf")))


# ---- afterwards ----


def decide_rest(ending: str, until: float, *, now: float, tries: int, said: str = "") -> Rest:
    """Where a submission goes after its turn, by how the run ended. `tries` counts this turn."""
    if ending in FOR_A_PERSON:
        return Rest(RESTING, 0.0, said, ending)
    if ending == "parked":
        return Rest(QUEUED, until if until > 0 else now + _UNKNOWN_PAUSE, said, ending)
    if ending == IN_OTHER_HANDS:
        return Rest(QUEUED, until if until > 0 else now + _NEXT_LOOK, said, ending)
    if ending == YIELDED:
        return Rest(QUEUED, 0.0, said, ending)
    if ending in _OVER:
        return Rest(ENDED, 0.0, said, ending)
    # It did not begin, or died: again, later each time. One that had begun gets its second chance at once.
    if tries >= MOST_TRIES:
        return Rest(ENDED, 0.0, f"gave up after {tries} tries: {said or ending.replace('_', ' ')}", "failed")
    failures = tries - 1 if ending == INTERRUPTED else tries
    return Rest(QUEUED, max(now + back_off(failures) if failures else 0.0, until), said, ending)


def back_off(failures: int) -> float:
    """Seconds to wait after so many beginnings in a row that came to nothing: 5, doubling, at most 600."""
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(failures - 1, 30)) if failures > 0 else 0.0


def apply_rest(row: Submission, rest: Rest, now: float) -> Submission:
    """The row after its turn. A stop that was asked for meanwhile stands: such a one ends, whatever its run says."""
    if row.state == STOPPING and rest.state != ENDED:
        rest = Rest(ENDED, 0.0, "stopped", STOPPED)
    came_to_nothing = rest.outcome in (NOT_BEGUN, INTERRUPTED)
    is_unheard = came_to_nothing or rest.outcome == IN_OTHER_HANDS
    return replace(
        row,
        state=rest.state,
        due=rest.due,
        said=rest.said,
        outcome=rest.outcome,
        worker="",
        owner="",
        until=now + HANDOVER if rest.outcome == INTERRUPTED else 0.0,
        served=now,
        tries=row.tries if came_to_nothing else 0,
        wish=row.wish if is_unheard else set_answered(row.wish, is_answered=False),
    )


def decide_stop(row: Submission) -> Submission:
    """The row after a person said stop: what waits ends, what is at work is asked to."""
    if row.state in (QUEUED, RESTING):
        return replace(row, state=ENDED, said="stopped", outcome=STOPPED)
    return replace(row, state=STOPPING) if row.state == TAKEN else row


def decide_release(row: Submission) -> Submission:
    """The row after its worker died: in the line again, at its old place. That was no fault of its own."""
    free = replace(row, worker="", owner="", until=0.0)
    if row.state == STOPPING:
        return replace(free, state=ENDED, said="stopped", outcome=STOPPED)
    return replace(free, state=QUEUED, tries=max(0, row.tries - 1), said="its worker died")


def is_there(worker: WorkerRow, now: float) -> bool:
    """Whether a worker can be counted on: a process with no slots serves only itself."""
    return worker.slots > 0 and worker.seen > now - SILENCE
