"""Implementing a task: the run of its plan, and what follows for the task from what the run and the plan say.

Called again after anything, it goes on: with the run that has not ended, or with the completion where all is done.
"""

import contextlib
import os
from collections.abc import Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply, refresh
from planrail.tasks.desk.error_records import log_error
from planrail.tasks.error_log import Where
from planrail.tasks.model import PLAN, Task, latest
from planrail.tasks.orchestrating import OK
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.statuses import (
    COMPLETED,
    IMPLEMENTING,
    PARTIAL,
    PR_READY,
    REOPEN,
    TERMINAL,
    Phase,
    Refuse,
    decide_event,
    open_phases,
)
from planrail.tasks.waiting import decide_waiting
from planrail.tasks.work.completing import complete, settle
from planrail.tasks.work.consent import ask_approval
from planrail.tasks.work.keeping_views import keep_views
from planrail.tasks.work.plan_edits import find_edit
from planrail.tasks.work.plan_phases import plan_path, read_phases, resume_phase
from planrail.tasks.work.summaries import is_not_here
from planrail.tasks.work.task_runs import (
    INTERRUPTED,
    RunEnd,
    RunWish,
    carry_out,
    find_refusal,
    is_approved,
    tell_agents,
)

COMPLETE, OFFERED, CHANGED = "complete", "pr_ready", "changed"
# What the log calls the reasons for which phases do not land.
_ERRORS = {"timeout": "timeout", "agent": "delegation_interrupted", "environment": "tool_unavailable"}
_ERRORS |= dict.fromkeys(("checks", "verdict", "proof", "overall"), "build_error")
RESTING = ("paused", "parked", "yielded", "waiting")  # what a person or time lets go on


class Unapproved(PlanrailError):
    """The plan at `path` waits for a person's yes, and nobody is there to be asked."""

    def __init__(self, refusal: PlanrailError, path: str) -> None:
        super().__init__(refusal.message, remedy=refusal.remedy)
        self.path = path


@record
class Implemented:
    """What came of it. `state` is that of the run, complete, or changed; `reason` says why a run failed."""

    task: Task
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


def implement(desk: Desk, number: int, wish: RunWish, *, force: bool = False) -> Implemented:
    """Carry out the plan of a task and complete it, as far as that gets. What cannot begin is a `PlanrailError`.

    `force` reopens a task that is closed, and goes past dependencies that are not completed; both are on record.
    """
    with claimed(desk, number):
        task = _open(desk, number, force=force)
        if task.status == COMPLETED:
            return _finish_off(desk, task)
        phases = require_phases(desk, task)
        if not open_phases(phases):
            return _complete(desk, task, is_fresh=False)
        edit = find_edit(desk.root, task)
        if edit is not None:
            raise PlanrailError(edit.text, remedy=edit.remedy)
        insisted = _wait(desk, task, force=force)
        _refuse(desk, task, wish, phases)
        return _run(desk, task, wish, insisted)


def require_phases(desk: Desk, task: Task) -> list[Phase]:
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


def _open(desk: Desk, number: int, *, force: bool) -> Task:
    with open_book(desk.root) as book:
        task = book.load(number)
    if task.status in TERMINAL and force:
        task, _ = apply(desk, number, REOPEN, force=True)
        keep_views(desk, task)  # whatever is refused afterwards
    decision = decide_event(task, "begin_implement")
    if isinstance(decision, Refuse) and task.status != COMPLETED:
        raise PlanrailError(decision.text, remedy=decision.remedy)
    return task


def _finish_off(desk: Desk, task: Task) -> Implemented:
    """A task that is completed: what a call that died has left to be done. Where nothing is left, it is closed."""
    done = settle(desk, task)
    if not done.is_new:
        raise PlanrailError(
            f"task {task.number} is closed: it is COMPLETED", remedy=f"planrail task implement {task.number} --force"
        )
    return _completed(task, done.summary, done.commit)


def _wait(desk: Desk, task: Task, *, force: bool) -> str:
    """Refuse to begin before the tasks that it depends on are completed. Where somebody insists: what goes on record.

    What has begun goes on.
    """
    if task.status in (IMPLEMENTING, PARTIAL, PR_READY):
        return ""
    with open_book(desk.root) as book:
        briefs = book.briefs()
    states = {brief.number: brief.status for brief in briefs}
    waiting = decide_waiting(task, states, {brief.number: brief.dependencies for brief in briefs})
    if waiting is None:
        return ""
    if not force:
        raise PlanrailError(f"{waiting.text} (--force goes past that, on record)", remedy=waiting.remedy)
    return f"--force, although {waiting.text}"


def _refuse(desk: Desk, task: Task, wish: RunWish, phases: Sequence[Phase]) -> None:
    """Raise where the run may not begin. A person who is there is asked for their yes, where that is all it lacks."""
    place = plan_path(desk.root, task)
    refusal = find_refusal(place, task.number, wish)
    if refusal is not None and not is_approved(place, [phase.id for phase in open_phases(phases)]):
        if not wish.ask:
            raise Unapproved(refusal, os.path.relpath(place))
        said = ask_approval(os.path.relpath(place), task.number, is_asked=True)
        if said.state != OK:
            raise PlanrailError(said.text, remedy=said.command)
        refusal = find_refusal(place, task.number, wish)
    if refusal is not None:
        raise refusal


def _run(desk: Desk, task: Task, wish: RunWish, insisted: str) -> Implemented:
    """The run. Whatever ends it, the task is not left as one that somebody works on."""
    place = plan_path(desk.root, task)
    task, _ = apply(desk, task.number, "begin_implement", why=insisted)
    try:
        ended = carry_out(place, wish)
        reach("task.run_ended")
        return _conclude(desk, task, wish, ended)
    except (PlanrailError, OSError, KeyboardInterrupt) as error:
        with contextlib.suppress(PlanrailError):  # else it was completed by then, or somebody has closed it
            task = _rest(desk, task)
        if not isinstance(error, KeyboardInterrupt):
            raise
    return _ended(task, wish, RunEnd(INTERRUPTED, f"interrupted; {tell_agents(place)}", ""))


def _conclude(desk: Desk, task: Task, wish: RunWish, ended: RunEnd) -> Implemented:
    """What follows for the task: it is complete, waits to be merged, or is done in part."""
    changed = _find_change(desk, task, ended)
    if changed is not None:
        return changed
    phases = read_phases(desk.root, task) or []
    if phases and not open_phases(phases):
        return _complete(desk, task, is_fresh=ended.state == COMPLETE)
    if ended.state == OFFERED:
        task, _ = apply(desk, task.number, "offer", more=lambda moved: replace(moved, resume_phase=""))
        return _ended(task, wish, ended)
    if ended.state == "failed":
        _log(desk, task, ended)
    return _ended(_rest(desk, task), wish, ended)


def _find_change(desk: Desk, task: Task, ended: RunEnd) -> Implemented | None:
    """What keeps a task from being completed although a plan of it is: that was edited, or it has another one now."""
    with open_book(desk.root) as book:
        now = book.load(task.number)
    before, after = latest(task, PLAN), latest(now, PLAN)
    if before is not None and after is not None and before.path != after.path:
        text = f"task {task.number} has another plan since: {before.path} was run, and its plan is {after.path}"
        return Implemented(_rest(desk, now, text), CHANGED, text, f"planrail task implement {task.number}", CHANGED)
    edit = find_edit(desk.root, now) if ended.state == COMPLETE else None
    if edit is None:
        return None
    return Implemented(_rest(desk, now, edit.text), CHANGED, edit.text, edit.remedy, CHANGED)


def _log(desk: Desk, task: Task, ended: RunEnd) -> None:
    """Keep in the log what a run failed at."""
    where = Where(command="task implement", task=task.number, phase=ended.phase, checkpoint=ended.reason)
    log_error(desk, _ERRORS.get(ended.reason, "other"), ended.text, where, action=ended.command)


def _complete(desk: Desk, task: Task, *, is_fresh: bool) -> Implemented:
    """`is_fresh`: the run that has just ended has proven it on what is there now."""
    if is_not_here(desk.root, task):
        task, _ = apply(desk, task.number, "offer")
        text = f"every phase of task {task.number} has landed on the remote, and is not here yet"
        return Implemented(task, PR_READY, text, f"git pull --ff-only, then: planrail task implement {task.number}")
    done = complete(desk, task.number, is_fresh=is_fresh)
    return _completed(done.task, done.summary, done.commit)


def _rest(desk: Desk, task: Task, why: str = "") -> Task:
    """The task is done in part, it is known where it goes on, and that is committed."""
    phase = resume_phase(read_phases(desk.root, task))
    task, _ = apply(desk, task.number, "interrupt", why=why, more=lambda moved: replace(moved, resume_phase=phase))
    refresh(desk)
    keep_views(desk, task)
    return task


def _completed(task: Task, summary: str, commit: str) -> Implemented:
    text = f"task {task.number} is completed: {task.completion_summary}"
    return Implemented(task, COMPLETE, text, f"planrail task show {task.number}", "", summary, commit)


def _ended(task: Task, wish: RunWish, ended: RunEnd) -> Implemented:
    """What goes on with the run alone would leave the task behind: the same command does both."""
    goes_on = ended.state == "interrupted" or ended.command.startswith(("planrail resume", "planrail run"))
    budget = ended.command.partition(" --budget ")[2]
    again = wish.again(task.number, budget=budget) if budget else wish.again(task.number)
    return Implemented(task, ended.state, ended.text, again if goes_on else ended.command, ended.reason)
