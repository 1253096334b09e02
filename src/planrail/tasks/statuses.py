"""The states of a task, and which event leads from which to which. A table, and the rules that it cannot say.

Every stage may begin from every state that is not terminal: people research again what was planned. Terminal states
stay closed, unless the caller insists, and that goes on record. Only what all phases of the plan prove is completed.
"""

from collections.abc import Sequence

from planrail.base.records import record, replace
from planrail.tasks.model import PLAN, REPORT, Task, latest

NOT_STARTED, RESEARCHING, RESEARCHED = "not_started", "researching", "researched"
PLANNING, PLANNED, IMPLEMENTING, COMPLETED = "planning", "planned", "implementing", "completed"
PARTIAL, BLOCKED, ABANDONED, EXPANDED, PR_READY = "partial", "blocked", "abandoned", "expanded", "pr_ready"
STATUSES = (
    *(NOT_STARTED, RESEARCHING, RESEARCHED, PLANNING, PLANNED, IMPLEMENTING),
    *(COMPLETED, PARTIAL, BLOCKED, ABANDONED, EXPANDED, PR_READY),
)
TERMINAL = (COMPLETED, ABANDONED, EXPANDED)
IN_FLIGHT = (RESEARCHING, PLANNING, IMPLEMENTING)
IN_HAND = (*IN_FLIGHT, PARTIAL, PR_READY)  # begun, and not at rest
# The command that goes on with a task in each state.
STEPS = {
    **dict.fromkeys((NOT_STARTED, RESEARCHING), "research"),
    **dict.fromkeys((RESEARCHED, PLANNING), "plan"),
    **dict.fromkeys((PLANNED, IMPLEMENTING, PARTIAL, PR_READY), "implement"),
    **dict.fromkeys(TERMINAL, "archive"),
    BLOCKED: "reopen",
}

# What happens to a task, and the state that follows. `reopen` is not here: it goes back to where the documents say.
EVENTS = {
    "begin_research": RESEARCHING,
    "end_research": RESEARCHED,
    "begin_plan": PLANNING,
    "end_plan": PLANNED,
    "begin_implement": IMPLEMENTING,
    "interrupt": PARTIAL,
    "offer": PR_READY,
    "complete": COMPLETED,
    "block": BLOCKED,
    "abandon": ABANDONED,
    "expand": EXPANDED,
}
REOPEN = "reopen"
# Events that only follow these states; all others follow every state that is not terminal.
_ONLY_FROM = dict.fromkeys(("interrupt", "offer"), (IMPLEMENTING, PARTIAL, PR_READY, PLANNED))
_ENDS = ("end_research", "end_plan", "interrupt", "offer")
_STARTS = ("begin_research", "begin_plan", "begin_implement", "complete")
_FINISHED = ("done", "skipped")
_PROOFS = ("proven", "adopted")


@record
class TaskPhase:
    """A phase of the task's plan, as planrail knows it: its state, and what proves that."""

    id: str
    title: str
    status: str
    proof: str = ""


@record
class StatusMove:
    """The task goes to another state. `is_forced`: a rule was overruled, which goes on record."""

    status: str
    is_forced: bool = False


@record
class Stay:
    """The task is in that state already: nothing changes."""


@record
class Refuse:
    """It does not; why, and what to type instead. `phases` are the open ones, where those are the reason."""

    text: str
    remedy: str
    phases: tuple[str, ...] = ()


Decision = StatusMove | Stay | Refuse


def marker(status: str) -> str:
    """A state as documents spell it: `NOT STARTED`."""
    return status.upper().replace("_", " ")


def decide_event(task: Task, event: str, phases: Sequence[TaskPhase] | None = None, *, force: bool = False) -> Decision:
    """What an event does to a task. `phases` are those of its plan, None where it has none.

    What ends while a person has blocked the task leaves it blocked: only reopening it goes on.
    """
    status = _reopened(task) if event == REOPEN else EVENTS[event]
    if task.status == status and (event != REOPEN or force):
        return Stay()
    if task.status == BLOCKED and event in _ENDS:
        return Stay()
    refusal = _refuse(task, event, phases)
    if refusal is None:
        return StatusMove(status)
    return StatusMove(status, is_forced=True) if force else refusal


def open_phases(phases: Sequence[TaskPhase]) -> list[TaskPhase]:
    """The phases that stand between a task and its completion: not finished, or finished by nobody's proof."""
    return [phase for phase in phases if phase.status not in _FINISHED or phase.proof not in _PROOFS]


def _refuse(task: Task, event: str, phases: Sequence[TaskPhase] | None) -> Refuse | None:
    if event == REOPEN and task.status not in (*TERMINAL, BLOCKED):
        return Refuse(f"task {task.number} is open: it is {marker(task.status)}", f"planrail task show {task.number}")
    if task.status in TERMINAL:
        text = f"task {task.number} is closed: it is {marker(task.status)}"
        return Refuse(text, f"planrail task reopen {task.number} --force")
    if task.status == BLOCKED and event in _STARTS:
        why = f": {task.why}" if task.why else ""
        return Refuse(f"task {task.number} is BLOCKED{why}", f"planrail task reopen {task.number}")
    if task.status not in _ONLY_FROM.get(event, STATUSES):
        text = f"task {task.number} is {marker(task.status)}: there is no work that could be {marker(EVENTS[event])}"
        return Refuse(text, f"planrail task implement {task.number}")
    return _refuse_completion(task, phases) if event == "complete" else None


def _refuse_completion(task: Task, phases: Sequence[TaskPhase] | None) -> Refuse | None:
    if not phases:
        what = "no plan" if phases is None else "a plan without phases"
        text = f"task {task.number} has {what}, so nothing proves that it is done"
        return Refuse(text, f"planrail task plan {task.number}")
    left = open_phases(phases)
    if not left and all(phase.status == "skipped" for phase in phases):
        text = f"every phase of the plan of task {task.number} was skipped, so nothing was done"
        return Refuse(text, f"planrail task abandon {task.number}")
    if not left:
        return None
    names = ", ".join(_describe(phase) for phase in left)
    is_claimed = all(phase.status in ("skipped", "gone") for phase in left)  # there is nothing to implement
    remedy = f'complete {task.number} --force --why "TEXT"' if is_claimed else f"implement {task.number}"
    text = f"task {task.number} is not done, its plan has open phases: {names}"
    return Refuse(text, f"planrail task {remedy}", tuple(phase.id for phase in left))


def _describe(phase: TaskPhase) -> str:
    told = {
        "done": "done, but proven by nobody",
        "skipped": "skipped by a mark that nobody agreed to",
        "gone": "gone from the plan since it was agreed on",
    }
    about = told.get(phase.status, phase.status.replace("_", " "))
    return f"{phase.id} {phase.title} ({about})" if phase.title else f"{phase.id} ({about})"


def _reopened(task: Task) -> str:
    """Where a task stands that is open again: where it was blocked, else as far as its documents go.

    Never in flight: opening a task starts no agent.
    """
    before = PARTIAL if task.before == IMPLEMENTING else task.before
    if task.status == BLOCKED and before in STATUSES and before not in (*TERMINAL, *IN_FLIGHT, BLOCKED):
        return before
    if latest(task, PLAN) is not None:
        return PLANNED
    return RESEARCHED if latest(task, REPORT) is not None else NOT_STARTED


def move(task: Task, decision: StatusMove | Stay, *, at: str, session: str, why: str = "") -> Task:
    """The task in its new state. Why it is blocked or abandoned is remembered only as long as it is."""
    if not isinstance(decision, StatusMove):
        return task
    return replace(
        task,
        status=decision.status,
        last_updated=at,
        session_id=session,
        before=task.status if decision.status == BLOCKED else "",
        why=why if decision.status in (BLOCKED, ABANDONED) else "",
    )
