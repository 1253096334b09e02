"""Which step brings a task nearer to its end? From not started to completed, and what to do where it does not go on.

Everything is read from what is on record: the task, its documents, its plan's phases, its history. So a call that died
anywhere is followed by one that decides the same. A call has a budget of steps; the next call has a new one.
"""

from collections.abc import Sequence
from shlex import quote

from planrail.base.records import record
from planrail.tasks import statuses
from planrail.tasks.book.task_rows import Happened

STEPS = 5  # of agents, for each task in one call
MOST_ESCALATIONS = 2
ESCALATED, ORCHESTRATED = "escalated", "orchestrated"  # what the history says
RESEARCH, PLAN, REVISE, APPROVE, RUN, FINISH = "research", "plan", "revise", "approve", "run", "finish"
OK, UNFINISHED, RESTS, FAILED, SPENT, DECLINED = "ok", "unfinished", "rests", "failed", "spent", "declined"
# Why a run failed, where more knowledge and another plan may help. Elsewhere a person, time or money is missing.
_BLOCKERS = (
    "agent", "nothing_done", "checks", "verdict", "drift", "conflict", "proof", "overall", "environment", "timeout",
    "blocked",
)  # fmt: skip
_PERSONAL = ("begin_research", "begin_plan", "reopen")


@record
class StepOutcome:
    """What came of a step: ok; unfinished (the same step goes on); it rests until a person acts; a person said no; the
    budget of the call is spent; or it failed."""

    step: str
    state: str
    text: str = ""
    command: str = ""
    reason: str = ""  # of a run that failed: as in `base.run_model.PhaseEnd`, or blocked


@record
class Escalations:
    """How often the work on a task was blocked so that it was researched and planned anew, and what of that is due."""

    count: int = 0
    pending: str = ""  # research, revise, or nothing
    text: str = ""  # the blocker


@record
class TaskState:
    """All that the next step depends on. Rounds are those of the newest documents, None where there is none."""

    number: int
    status: str
    report: int | None = None
    plan: int | None = None
    phases: Sequence[statuses.TaskPhase] | None = None
    is_approved: bool = False  # as far as approval is asked for
    path: str = ""  # of the plan
    waits: statuses.Refuse | None = None  # for tasks that it depends on
    escalations: Escalations = Escalations()
    last: StepOutcome | None = None  # of this call
    steps_left: int = STEPS
    lack: str = ""  # why no agent may be begun any more in this call, beside its steps
    why: str = ""  # it is blocked
    begun: str = ""  # the stage that was last worked on and has not ended
    unable: str = ""  # why nobody can be asked to research and to plan, where that is known
    options: str = ""  # of the call, as they are typed again

    @property
    def is_spent(self) -> bool:
        return self.steps_left <= 0 or bool(self.lack)


@record
class NextStep:
    """One step: research, plan, revise, approve (ask a person to), run, or finish.

    `blocker` is what blocks the run where it is researched and planned anew for that; `is_new`: that counts.
    """

    what: str
    blocker: str | None = None
    is_new: bool = False

    @property
    def costs(self) -> bool:
        """Whether it counts against the budget of a call: those do in which agents work."""
        return self.what not in (APPROVE, FINISH)


@record
class Stop:
    """Nothing more in this call. `state`: ok (completed), rests, declined, failed or spent."""

    state: str
    text: str
    command: str


Step = NextStep | Stop


def decide_step(stand: TaskState) -> Step:
    return _stop_closed(stand) or _conclude(stand) or _go_on(stand)


def read_escalations(history: Sequence[Happened]) -> Escalations:
    """The escalations that count: those since a person last had the task researched, planned or opened again."""
    own = {event.session for event in history if event.what in (ESCALATED, ORCHESTRATED)}
    count, pending, text = 0, "", ""
    for event in history:
        if event.what == ESCALATED:
            count, pending, text = count + 1, RESEARCH, str(event.value.get("blocker") or "")
        elif event.what in _PERSONAL and event.session not in own:
            count, pending, text = 0, "", ""
        elif event.what == "end_research" and pending == RESEARCH:
            pending = REVISE
        elif event.what == "end_plan":
            pending = ""
    return Escalations(count, pending, text)


def _stop_closed(stand: TaskState) -> Stop | None:
    number, status = stand.number, stand.status
    if status == statuses.COMPLETED:
        return Stop(OK, f"task {number} is completed", f"planrail task show {number}")
    if status in (statuses.ABANDONED, statuses.EXPANDED):
        text = f"task {number} is closed: it is {statuses.marker(status)}"
        return Stop(FAILED, text, f"planrail task reopen {number} --force")
    if status == statuses.BLOCKED:
        why = f": {stand.why}" if stand.why else ""
        return Stop(FAILED, f"task {number} is blocked{why}", f"planrail task reopen {number}")
    if stand.waits is None:
        return None
    is_same = stand.waits.remedy.startswith("planrail task orchestrate ")  # then it has the same options
    return Stop(FAILED, stand.waits.text, stand.waits.remedy + (stand.options if is_same else ""))


def _conclude(stand: TaskState) -> Step | None:
    last = stand.last
    if last is not None and last.state in (RESTS, DECLINED):
        is_spent = last.state == RESTS and stand.lack
        return _stop_spent(stand) if is_spent else Stop(last.state, last.text, last.command)
    if last is not None and last.state == SPENT:
        return _stop_spent(stand)
    if last is not None and last.state == FAILED:
        return _escalate(stand, last)
    if stand.phases and not statuses.open_phases(stand.phases) and not _is_stale(stand):
        return NextStep(FINISH)
    return _stop_spent(stand) if stand.is_spent else None


def _stop_spent(stand: TaskState) -> Stop:
    last = stand.last
    blocker = f", blocked: {last.text}" if last is not None and last.state == FAILED else ""
    said = last.text if last is not None and last.state == SPENT else "the steps of this call are used up"
    text = f"{stand.lack or said}; task {stand.number} is {statuses.marker(stand.status)}{blocker}"
    return Stop(SPENT, text, f"planrail task orchestrate {stand.number}{stand.options}")


def _escalate(stand: TaskState, last: StepOutcome) -> Step:
    report = f"planrail report {quote(stand.path)}"
    if last.step != RUN or last.reason not in _BLOCKERS:
        blocker = stand.escalations.text if stand.escalations.pending and last.step in (RESEARCH, PLAN) else ""
        before = f"the run failed: {blocker} (see {report}); then: " if blocker else ""
        return Stop(FAILED, before + last.text, last.command)
    if stand.escalations.count >= MOST_ESCALATIONS:
        text = f"it is blocked, and researching and replanning it {MOST_ESCALATIONS} times did not help: {last.text}"
        return Stop(FAILED, text, last.command)
    if stand.is_spent:
        return _stop_spent(stand)
    if stand.unable:
        text = f"the run failed: {last.text}; nobody can be asked what helps: {stand.unable}"
        return Stop(FAILED, text, report)
    return NextStep(RESEARCH, last.text, is_new=True)


def _go_on(stand: TaskState) -> Step:
    if stand.escalations.pending:
        return NextStep(stand.escalations.pending, stand.escalations.text)
    if stand.status == statuses.RESEARCHING or (stand.report is None and stand.plan is None):
        return NextStep(RESEARCH)
    if stand.status == statuses.PLANNING and stand.begun == REVISE:
        return NextStep(REVISE)
    if _is_stale(stand):
        return NextStep(PLAN)
    if stand.is_approved:
        return NextStep(RUN)
    if stand.last is None or stand.last.step != APPROVE:
        return NextStep(APPROVE)
    return Stop(RESTS, f"{stand.path} waits for your approval", f"planrail approve {quote(stand.path)}")


def _is_stale(stand: TaskState) -> bool:
    if stand.plan is None or stand.status in (statuses.RESEARCHING, statuses.PLANNING) or stand.escalations.pending:
        return True
    return stand.report is not None and stand.plan < stand.report
