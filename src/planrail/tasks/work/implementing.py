"""Implementing a task: the run of its plan, and what follows for the task from what the run and the plan say.

Called again after anything, it goes on: with the run that has not ended, or with the completion where all is done.
"""

import contextlib
import os
from collections.abc import Sequence

from planrail.approval.person import find_person
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import quote
from planrail.runs.request.approving import ApproveRequest, approve
from planrail.tasks import statuses
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply, refresh
from planrail.tasks.desk.error_records import log_error
from planrail.tasks.model import PLAN, Task, latest
from planrail.tasks.orchestrating import APPROVE, DECLINED, OK, RESTS, Outcome
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.waves import decide_waiting
from planrail.tasks.work import task_runs
from planrail.tasks.work.completing import complete, keep_views, settle
from planrail.tasks.work.plan_phases import find_edit, plan_path, read_phases, resume_phase
from planrail.tasks.work.summaries import is_not_here

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
        return self.task.status == statuses.COMPLETED


def implement(desk: Desk, number: int, wish: task_runs.RunWish, *, force: bool = False) -> Implemented:
    """Carry out the plan of a task and complete it, as far as that gets. What cannot begin is a `PlanrailError`.

    `force` reopens a task that is closed, and goes past dependencies that are not completed; both are on record.
    """
    with claimed(desk, number):
        task = _open(desk, number, force=force)
        if task.status == statuses.COMPLETED:
            return _finish_off(desk, task)
        phases = require_phases(desk, task)
        if not statuses.open_phases(phases):
            return _complete(desk, task, is_fresh=False)
        edit = find_edit(desk.root, task)
        if edit is not None:
            raise PlanrailError(edit.text, remedy=edit.remedy)
        insisted = _wait(desk, task, force=force)
        _refuse(desk, task, wish, phases)
        return _run(desk, task, wish, insisted)


def require_phases(desk: Desk, task: Task) -> list[statuses.Phase]:
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
    if task.status in statuses.TERMINAL and force:
        task, _ = apply(desk, number, statuses.REOPEN, force=True)
        keep_views(desk, task)  # whatever is refused afterwards
    decision = statuses.decide_event(task, "begin_implement")
    if isinstance(decision, statuses.Refuse) and task.status != statuses.COMPLETED:
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
    if task.status in (statuses.IMPLEMENTING, statuses.PARTIAL, statuses.PR_READY):
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


def _refuse(desk: Desk, task: Task, wish: task_runs.RunWish, phases: Sequence[statuses.Phase]) -> None:
    """Raise where the run may not begin. A person who is there is asked for their yes, where that is all it lacks."""
    place = plan_path(desk.root, task)
    refusal = task_runs.find_refusal(place, task.number, wish)
    if refusal is not None and not task_runs.is_approved(place, [phase.id for phase in statuses.open_phases(phases)]):
        if not wish.ask:
            raise Unapproved(refusal, os.path.relpath(place))
        said = ask_approval(os.path.relpath(place), task.number, is_asked=True)
        if said.state != OK:
            raise PlanrailError(said.text, remedy=said.command)
        refusal = task_runs.find_refusal(place, task.number, wish)
    if refusal is not None:
        raise refusal


def _run(desk: Desk, task: Task, wish: task_runs.RunWish, insisted: str) -> Implemented:
    """The run. Whatever ends it, the task is not left as one that somebody works on."""
    place = plan_path(desk.root, task)
    task, _ = apply(desk, task.number, "begin_implement", why=insisted)
    try:
        ended = task_runs.carry_out(place, wish)
        reach("task.run_ended")
        return _conclude(desk, task, wish, ended)
    except (PlanrailError, OSError, KeyboardInterrupt) as error:
        with contextlib.suppress(PlanrailError):  # else it was completed by then, or somebody has closed it
            task = _rest(desk, task)
        if not isinstance(error, KeyboardInterrupt):
            raise
    return _ended(
        task, wish, task_runs.RunEnd(task_runs.INTERRUPTED, f"interrupted; {task_runs.tell_agents(place)}", "")
    )


def _conclude(desk: Desk, task: Task, wish: task_runs.RunWish, ended: task_runs.RunEnd) -> Implemented:
    changed = _find_change(desk, task, ended)
    if changed is not None:
        return changed
    phases = read_phases(desk.root, task) or []
    if phases and not statuses.open_phases(phases):
        return _complete(desk, task, is_fresh=ended.state == COMPLETE)
    if ended.state == OFFERED:
        task, _ = apply(desk, task.number, "offer", more=lambda moved: replace(moved, resume_phase=""))
        return _ended(task, wish, ended)
    if ended.state == "failed":
        where = {"command": "task implement", "task": task.number, "phase": ended.phase, "checkpoint": ended.reason}
        log_error(desk, _ERRORS.get(ended.reason, "other"), ended.text, action=ended.command, **where)
    return _ended(_rest(desk, task), wish, ended)


def _find_change(desk: Desk, task: Task, ended: task_runs.RunEnd) -> Implemented | None:
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


def _complete(desk: Desk, task: Task, *, is_fresh: bool) -> Implemented:
    """`is_fresh`: the run that has just ended has proven it on what is there now."""
    if is_not_here(desk.root, task):
        task, _ = apply(desk, task.number, "offer")
        text = f"every phase of task {task.number} has landed on the remote, and is not here yet"
        return Implemented(
            task, statuses.PR_READY, text, f"git pull --ff-only, then: planrail task implement {task.number}"
        )
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


def _ended(task: Task, wish: task_runs.RunWish, ended: task_runs.RunEnd) -> Implemented:
    """What goes on with the run alone would leave the task behind: the same command does both."""
    goes_on = ended.state == "interrupted" or ended.command.startswith(("planrail resume", "planrail run"))
    budget = ended.command.partition(" --budget ")[2]
    again = wish.again(task.number, budget=budget) if budget else wish.again(task.number)
    return Implemented(task, ended.state, ended.text, again if goes_on else ended.command, ended.reason)


def ask_approval(path: str, number: int, *, is_asked: bool) -> Outcome:
    """Ask at the terminal, where a person is there; else it rests, and goes on after their yes. A no is a no."""
    if not is_asked:
        return Outcome(APPROVE, RESTS, f"waits for your yes: {path}", f"planrail approve {quote(path)}")

    if approve(ApproveRequest(path), find_person()).is_approved:
        return Outcome(APPROVE, OK)
    return Outcome(
        APPROVE, DECLINED, f"you said no to {path}; nothing was started", f"planrail task revise {number} WHAT"
    )
