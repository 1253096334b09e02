"""Implementing a task: the run of its plan, and what follows for the task from what the run and the plan say.

Called again after anything, it goes on: with the run that has not ended, or with the completion where all is done.
"""

import contextlib
import os
from collections.abc import Sequence

from planrail.approval.person import find_person
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import quote
from planrail.runs.request.approving import ApproveRequest, approve
from planrail.tasks import statuses
from planrail.tasks.context.claiming import claimed
from planrail.tasks.context.context import Context, apply
from planrail.tasks.model import PLAN, Task, latest
from planrail.tasks.orchestrating import APPROVE, DECLINED, OK, RESTS, StepOutcome
from planrail.tasks.work.completing import COMPLETE, WorkEnd, complete, is_not_here, keep_views, settle
from planrail.tasks.work.plan_phases import find_edit, plan_path, read_phases, resume_phase
from planrail.tasks.work.task_runs import (
    INTERRUPTED,
    ImplementRequest,
    TaskRunEnd,
    carry_out,
    find_refusal,
    is_approved,
    tell_agents,
)

OFFERED, CHANGED = "pr_ready", "changed"
# What the log calls the reasons for which phases do not land.
RESTING = ("paused", "parked", "yielded", "waiting")  # what a person or time lets go on


class Unapproved(PlanrailError):
    """The plan at `path` waits for a person's approval, and nobody is there to be asked."""

    def __init__(self, refusal: PlanrailError, path: str) -> None:
        super().__init__(refusal.message, remedy=refusal.remedy)
        self.path = path


def implement(context: Context, number: int, request: ImplementRequest, *, force: bool = False) -> WorkEnd:
    """Carry out the plan of a task and complete it, as far as that gets. What cannot begin is a `PlanrailError`.

    `force` reopens a task that is closed, and goes past dependencies that are not completed; both are on record.
    """
    with claimed(context, number):
        task = _open(context, number, force=force)
        if task.status == statuses.COMPLETED:  # is there anything left to do that a call which died has not done?
            done = settle(context, task)
            if not done.is_new:
                remedy = f"planrail task implement {number} --force"
                raise PlanrailError(f"task {number} is closed: it is COMPLETED", remedy=remedy)
            return done
        phases = _require_phases(context, task)
        if not statuses.open_phases(phases):
            return _complete(context, task, is_fresh=False)
        edit = find_edit(context.root, task)
        if edit is not None:
            raise PlanrailError(edit.text, remedy=edit.remedy)
        insisted = _wait(context, task, force=force)
        _refuse(plan_path(context.root, task), number, request, phases)
        return _run(context, task, request, insisted)


def _require_phases(context: Context, task: Task) -> list[statuses.TaskPhase]:
    artifact, phases, again = latest(task, PLAN), read_phases(context.root, task), f"planrail task plan {task.number}"
    if artifact is None:
        raise PlanrailError(f"task {task.number} has no plan", remedy=again)
    if phases is None:
        raise PlanrailError(f"the plan of task {task.number} cannot be read: {artifact.path}", remedy=again)
    if not phases:
        raise PlanrailError(f"{artifact.path} has no phases", remedy=f"planrail lint {artifact.path}")
    return phases


def _open(context: Context, number: int, *, force: bool) -> Task:
    task = context.load(number)
    if task.status in statuses.TERMINAL and force:
        task, _ = apply(context, number, statuses.REOPEN, force=True)
        keep_views(context, task)  # whatever is refused afterwards
    decision = statuses.decide_event(task, "begin_implement")
    if isinstance(decision, statuses.Refuse) and task.status != statuses.COMPLETED:
        raise PlanrailError(decision.text, remedy=decision.remedy)
    return task


def _wait(context: Context, task: Task, *, force: bool) -> str:
    """Refuse to begin before the tasks that it depends on are completed; with `force`: what goes on record.

    What has begun goes on.
    """
    if task.status in (statuses.IMPLEMENTING, statuses.PARTIAL, statuses.PR_READY):
        return ""
    waiting = context.find_waiting(task)
    if waiting is not None and not force:
        raise PlanrailError(f"{waiting.text} (--force goes past that, on record)", remedy=waiting.remedy)
    return f"--force, although {waiting.text}" if waiting is not None else ""


def _refuse(place: str, number: int, request: ImplementRequest, phases: Sequence[statuses.TaskPhase]) -> None:
    """Raise where the run may not begin. A person who is there is asked for an approval, where that is all it lacks."""
    refusal = find_refusal(place, number, request)
    if refusal is not None and not is_approved(place, [phase.id for phase in statuses.open_phases(phases)]):
        if not request.ask:
            raise Unapproved(refusal, os.path.relpath(place))
        said = ask_approval(os.path.relpath(place), number, is_asked=True)
        if said.state != OK:
            raise PlanrailError(said.text, remedy=said.command)
        refusal = find_refusal(place, number, request)
    if refusal is not None:
        raise refusal


def _run(context: Context, task: Task, request: ImplementRequest, insisted: str) -> WorkEnd:
    """The run. Whatever ends it, the task is not left as one that is worked on."""
    place = plan_path(context.root, task)
    task, _ = apply(context, task.number, "begin_implement", why=insisted)
    try:
        ended = carry_out(place, request)
        reach("task.run_ended")
        return _conclude(context, task, request, ended)
    except (PlanrailError, OSError, KeyboardInterrupt) as error:
        with contextlib.suppress(PlanrailError):  # else it was completed by then, or a person has closed it
            task = _rest(context, task)
        if not isinstance(error, KeyboardInterrupt):
            raise
    return _ended(task, request, TaskRunEnd(INTERRUPTED, f"interrupted; {tell_agents(place)}", ""))


def _conclude(context: Context, task: Task, request: ImplementRequest, ended: TaskRunEnd) -> WorkEnd:
    changed = _find_change(context, task, ended)
    if changed is not None:
        return changed
    phases = read_phases(context.root, task) or []
    if phases and not statuses.open_phases(phases):
        return _complete(context, task, is_fresh=ended.state == COMPLETE)
    if ended.state == OFFERED:
        task, _ = apply(context, task.number, "offer", more=lambda moved: replace(moved, resume_phase=""))
        return _ended(task, request, ended)
    return _ended(_rest(context, task), request, ended)


def _find_change(context: Context, task: Task, ended: TaskRunEnd) -> WorkEnd | None:
    """What keeps a task from being completed although a plan of it is: that was edited, or it has another one now."""
    now = context.load(task.number)
    before, after = latest(task, PLAN), latest(now, PLAN)
    if before is not None and after is not None and before.path != after.path:
        text = f"task {task.number} has another plan since: {before.path} was run, and its plan is {after.path}"
        found = statuses.Refuse(text, f"planrail task implement {task.number}")
    else:
        edit = find_edit(context.root, now) if ended.state == COMPLETE else None
        if edit is None:
            return None
        found = edit
    return WorkEnd(_rest(context, now, found.text), CHANGED, found.text, found.remedy, CHANGED)


def _complete(context: Context, task: Task, *, is_fresh: bool) -> WorkEnd:
    """`is_fresh`: the run that has just ended has proven it on what is there now."""
    if not is_not_here(context.root, task):
        return complete(context, task.number, is_fresh=is_fresh)
    task, _ = apply(context, task.number, "offer")
    text = f"every phase of task {task.number} has landed on the remote, and is not here yet"
    again = f"git pull --ff-only, then: planrail task implement {task.number}"
    return WorkEnd(task, statuses.PR_READY, text, again)


def _rest(context: Context, task: Task, why: str = "") -> Task:
    """The task is done in part, it is known where it goes on, and that is committed."""
    phase = resume_phase(read_phases(context.root, task))
    task, _ = apply(context, task.number, "interrupt", why=why, more=lambda moved: replace(moved, resume_phase=phase))
    keep_views(context, task)
    return task


def _ended(task: Task, request: ImplementRequest, ended: TaskRunEnd) -> WorkEnd:
    """What goes on with the run alone would leave the task behind: the same command does both."""
    goes_on = ended.state == INTERRUPTED or ended.command.startswith(("planrail resume", "planrail run"))
    budget = ended.command.partition(" --budget ")[2]
    again = request.again(task.number, budget=budget) if budget else request.again(task.number)
    return WorkEnd(task, ended.state, ended.text, again if goes_on else ended.command, ended.reason)


def ask_approval(path: str, number: int, *, is_asked: bool) -> StepOutcome:
    """Ask at the terminal, where a person is there; else it rests, and goes on after the approval. A no is a no."""
    if not is_asked:
        return StepOutcome(APPROVE, RESTS, f"waits for your approval: {path}", f"planrail approve {quote(path)}")
    if approve(ApproveRequest(path), find_person()).is_approved:
        return StepOutcome(APPROVE, OK)
    return StepOutcome(
        APPROVE, DECLINED, f"you said no to {path}; nothing was started", f"planrail task revise {number} WHAT"
    )
