"""An open task that no process works on: what a stage that died has left is linked, and its state is put in order.

What can go on is left as it is: answers of agents are not thrown away, and a run is gone on with by its own command.
"""

from collections.abc import Mapping

from planrail.agents.jobs.runner import look
from planrail.approval.book import open_plan_file
from planrail.base.errors import Held, PlanrailError
from planrail.base.records import record, replace
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.claiming import claimed
from planrail.tasks.context.context import Context, apply
from planrail.tasks.importing.checking import RepairedTask, repair
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.model import Task
from planrail.tasks.stage_folders import StageFolder, attempts_at_work, has_answers, open_stages
from planrail.tasks.stages.finishing import finish, is_complete
from planrail.tasks.stages.opening import leave_stages
from planrail.tasks.statuses import IMPLEMENTING, IN_FLIGHT, REOPEN, Refuse, StatusMove, decide_event, marker, move
from planrail.tasks.work.plan_phases import plan_path, read_phases, resume_phase


@record
class Left:
    """A task after it was looked at: what was done, the documents that it lists now, and what can go on."""

    task: Task
    done: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    goes_on: str = ""
    command: str = ""  # that goes on
    moved: Mapping[str, str] = {}  # files that have another place, by their old one


def recover_task(context: Context, task: Task, shelf: Shelf, *, is_named: bool) -> Left:
    """Put an open task in order. `Held` where a live process has it and it was asked for by name; else that is said."""
    if task.status not in IN_FLIGHT and repair(task, shelf).task == task:
        return Left(task)
    try:
        with claimed(context, task.number):
            return _recover(context, task, shelf)
    except Held as held:
        if is_named:
            raise
        return Left(task, goes_on="it is being worked on", command=held.remedy)


def _recover(context: Context, task: Task, shelf: Shelf) -> Left:
    done = [finish(context, stage).text for stage in _stages(context, task) if is_complete(stage)]
    found: list[RepairedTask] = []

    def decide(now: Task) -> Task:
        found[:] = [repair(now, shelf)]
        return found[0].task

    with open_book(context.root) as book:
        task = book.change(task.number, decide, context.note("recovered"))
    fixed = found[0]
    done += [f"linked {path}" for path in fixed.linked] + [f"found {path}" for path in fixed.moved]
    goes_on, command = _find_work(context, task) if task.status in IN_FLIGHT else ("", "")
    if not goes_on and task.status in IN_FLIGHT:
        task = _end_stage(context, task, fixed.event)
        done.append(f"nobody works on it any more: {marker(task.status)}")
    return Left(task, tuple(done), fixed.linked, goes_on, command)


def _find_work(context: Context, task: Task) -> tuple[str, str]:
    """What was begun for a task in flight and can go on, and the command that does; nothing where nothing is left."""
    if task.status == IMPLEMENTING:
        place = plan_path(context.root, task)
        try:
            runs = list_runs(context.root, open_plan_file(place, context.root).id) if place else []
        except PlanrailError:  # no plan that could be read, so none that could go on
            runs = []
        command = f"planrail task implement {task.number}"
        return ("a run of its plan has not ended", command) if any(not run.is_over for run in runs) else ("", "")
    for stage in reversed(_stages(context, task)):
        if has_answers(stage) or any(look(place) == "running" for place in attempts_at_work(stage)):
            command = f"planrail task {stage.order.stage} {task.number}"
            return f"the {stage.order.stage} of round {stage.order.round} was begun and can go on", command
    return "", ""


def _stages(context: Context, task: Task) -> list[StageFolder]:
    return [stage for stage in open_stages(context.root, task.number) if stage.text("task") == task.id]


def _end_stage(context: Context, task: Task, event: str) -> Task:
    """A stage whose document is there is over. Work is done only where the phases of the plan prove it.

    Else it goes back to where its documents say, as if a person opened it again; work that was begun is done in part.
    """
    number, phases = task.number, read_phases(context.root, task) if task.status == IMPLEMENTING else None
    if event and event != "complete":
        return apply(context, number, event)[0]
    if event and not isinstance(decide_event(task, event, phases), Refuse):
        return apply(context, number, event, phases=phases)[0]
    for stage in {folder.order.stage for folder in _stages(context, task)} if not event else ():
        leave_stages(context, task, stage)
    if event or any(phase.status != "todo" for phase in phases or []):
        phase = resume_phase(phases)
        return apply(context, number, "interrupt", more=lambda moved: replace(moved, resume_phase=phase))[0]

    def decide(now: Task) -> Task:
        decision = decide_event(now, REOPEN, force=True) if now.status in IN_FLIGHT else None
        return (
            move(now, decision, at=context.now(), session=context.session) if isinstance(decision, StatusMove) else now
        )

    with open_book(context.root) as book:
        return book.change(number, decide, context.note("recovered", why="nobody worked on it any more"))
