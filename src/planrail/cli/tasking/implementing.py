"""Implementing a task: the run of its plan, and what follows for the task from what the run and the plan say.

Called again after anything, it goes on: with the run that has not ended, or with the completion where all is done.
"""

from planrail.cli.tasking.completing import complete, settle
from planrail.cli.tasking.desk import apply, refresh
from planrail.cli.tasking.plan_phases import plan_path, read_phases, resume_phase
from planrail.cli.tasking.stages.claiming import claimed
from planrail.errors import PlanrailError
from planrail.ledger.task_rows import open_book
from planrail.records import record, replace
from planrail.runs.crash_points import reach
from planrail.tasks.model import PLAN, latest
from planrail.tasks.statuses import (
    COMPLETED,
    IMPLEMENTING,
    PARTIAL,
    PR_READY,
    REOPEN,
    TERMINAL,
    Refuse,
    decide_event,
    open_phases,
)
from planrail.tasks.waiting import decide_waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from planrail.cli.tasking.desk import Desk
    from planrail.cli.tasking.task_runs import RunEnd, RunWish
    from planrail.tasks.model import Task
    from planrail.tasks.statuses import Phase

COMPLETE, OFFERED = "complete", "pr_ready"
# What the log calls the reasons for which phases do not land.
_ERRORS = {"timeout": "timeout", "agent": "delegation_interrupted", "environment": "tool_unavailable"}
_ERRORS |= dict.fromkeys(("checks", "verdict", "proof", "overall"), "build_error")
RESTING = ("paused", "parked", "yielded", "waiting")  # what a person or time lets go on


@record
class Implemented:
    """What came of it. `state` is that of the run, or complete; `reason` says why a run failed."""

    task: "Task"
    state: str
    text: str
    command: str
    reason: str = ""
    summary: str = ""
    commit: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the task is completed."""
        return self.task.status == COMPLETED


def implement(desk: "Desk", number: int, wish: "RunWish", *, force: bool = False) -> Implemented:
    """Carry out the plan of a task and complete it, as far as that gets. What cannot begin is a `PlanrailError`.

    `force` reopens a task that is closed, and goes past dependencies that are not completed; both are on record.
    """
    with claimed(desk, number):
        task = _open(desk, number, force=force)
        if task.status == COMPLETED:
            return _finish_off(desk, task)
        phases = require_phases(desk, task)
        if open_phases(phases):
            return _run(desk, task, wish, _wait(desk, task, force=force))
        return _conclude(desk, task, None)


def require_phases(desk: "Desk", task: "Task") -> "list[Phase]":
    """The phases of the task's plan; a `PlanrailError` where there is nothing to carry out."""
    phases = read_phases(desk.root, task)
    artifact = latest(task, PLAN)
    if artifact is None:
        raise PlanrailError(f"task {task.number} has no plan", remedy=f"planrail task plan {task.number}")
    if phases is None:
        raise PlanrailError(
            f"the plan of task {task.number} cannot be read: {artifact.path}",
            remedy=f"planrail task plan {task.number}",
        )
    if not phases:
        raise PlanrailError(f"{artifact.path} has no phases", remedy=f"planrail lint {artifact.path}")
    return phases


def _open(desk: "Desk", number: int, *, force: bool) -> "Task":
    with open_book(desk.root) as book:
        task = book.load(number)
    if task.status in TERMINAL and force:
        task, _ = apply(desk, number, REOPEN, force=True)
    decision = decide_event(task, "begin_implement")
    if isinstance(decision, Refuse) and task.status != COMPLETED:
        raise PlanrailError(decision.text, remedy=decision.remedy)
    return task


def _finish_off(desk: "Desk", task: "Task") -> Implemented:
    """A task that is completed: what a call that died has left to be done. Where nothing is left, it is closed."""
    done = settle(desk, task)
    if not done.is_new:
        raise PlanrailError(
            f"task {task.number} is closed: it is COMPLETED", remedy=f"planrail task implement {task.number} --force"
        )
    return _completed(task, done.summary, done.commit)


def _wait(desk: "Desk", task: "Task", *, force: bool) -> str:
    """Refuse to begin before the tasks that it depends on are completed. Where somebody insists: what goes on record.

    What has begun goes on.
    """
    if task.status in (IMPLEMENTING, PARTIAL, PR_READY):
        return ""
    with open_book(desk.root) as book:
        waiting = decide_waiting(task, {brief.number: brief.status for brief in book.briefs()})
    if waiting is None:
        return ""
    if not force:
        raise PlanrailError(f"{waiting.text} (--force goes past that, on record)", remedy=waiting.remedy)
    return f"--force, although {waiting.text}"


def _run(desk: "Desk", task: "Task", wish: "RunWish", insisted: str) -> Implemented:
    from planrail.cli.tasking.task_runs import carry_out, find_refusal

    place = plan_path(desk.root, task)
    refusal = find_refusal(place, wish)
    if refusal is not None:
        raise refusal
    task, _ = apply(desk, task.number, "begin_implement", why=insisted)
    try:
        ended = carry_out(place, wish)
    except (PlanrailError, OSError, KeyboardInterrupt):
        _rest(desk, task, read_phases(desk.root, task))
        raise
    reach("task.run_ended")
    return _conclude(desk, task, ended)


def _conclude(desk: "Desk", task: "Task", ended: "RunEnd | None") -> Implemented:
    """What follows for the task: it is complete, waits to be merged, or is done in part."""
    phases = read_phases(desk.root, task) or []
    if phases and not open_phases(phases):
        return _complete(desk, task)
    assert ended is not None  # without a run there was nothing open
    if ended.state == OFFERED:
        task, _ = apply(desk, task.number, "offer", more=lambda moved: replace(moved, resume_phase=""))
        return _ended(task, ended)
    if ended.state == "failed":
        _log(desk, task, ended)
    return _ended(_rest(desk, task, phases), ended)


def _log(desk: "Desk", task: "Task", ended: "RunEnd") -> None:
    """Keep in the log what a run failed at."""
    from planrail.cli.tasking.error_records import log_error
    from planrail.tasks.error_log import Where

    where = Where(command="task implement", task=task.number, phase=ended.phase, checkpoint=ended.reason)
    log_error(desk, _ERRORS.get(ended.reason, "other"), ended.text, where, action=ended.command)


def _complete(desk: "Desk", task: "Task") -> Implemented:
    from planrail.cli.tasking.summaries import is_not_here

    if is_not_here(desk.root, task):
        task, _ = apply(desk, task.number, "offer")
        text = f"every phase of task {task.number} has landed on the remote, and is not here yet"
        return Implemented(task, PR_READY, text, f"git pull --ff-only, then: planrail task implement {task.number}")
    done = complete(desk, task.number)
    return _completed(done.task, done.summary, done.commit)


def _rest(desk: "Desk", task: "Task", phases: "Sequence[Phase] | None") -> "Task":
    """The task is done in part, and it is known where it goes on."""
    phase = resume_phase(list(phases or []))
    task, _ = apply(desk, task.number, "interrupt", more=lambda moved: replace(moved, resume_phase=phase))
    refresh(desk)
    return task


def _completed(task: "Task", summary: str, commit: str) -> Implemented:
    text = f"task {task.number} is completed: {task.completion_summary}"
    return Implemented(task, COMPLETE, text, f"planrail task show {task.number}", "", summary, commit)


def _ended(task: "Task", ended: "RunEnd") -> Implemented:
    """What goes on with the run alone would leave the task behind: the same command does both."""
    goes_on = ended.state == "interrupted" or ended.command.startswith(("planrail resume", "planrail run"))
    budget = " --budget" + ended.command.partition(" --budget")[2] if " --budget" in ended.command else ""
    command = f"planrail task implement {task.number}{budget}" if goes_on else ended.command
    return Implemented(task, ended.state, ended.text, command, ended.reason)
