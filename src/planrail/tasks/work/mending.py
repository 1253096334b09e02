"""An open task that nobody works on: what a stage that died has left is linked, and its state is put in order.

What can go on is left as it is: answers of agents are not thrown away, and a run is gone on with by its own command.
"""

from collections.abc import Mapping

from planrail.agents.jobs.runner import look
from planrail.approval.book import open_paper
from planrail.base.errors import Held, PlanrailError
from planrail.base.records import record, replace
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply
from planrail.tasks.importing.checking import Mended, mend
from planrail.tasks.importing.documents import Shelf
from planrail.tasks.model import Task
from planrail.tasks.stage_folders import StageFolder, attempts_at_work, has_answers, open_stages
from planrail.tasks.stages.claiming import claimed
from planrail.tasks.stages.finishing import finish, is_complete
from planrail.tasks.stages.opening import leave_stages
from planrail.tasks.statuses import IMPLEMENTING, IN_FLIGHT, REOPEN, Move, Phase, Refuse, decide_event, marker, move
from planrail.tasks.work.plan_phases import plan_path, read_phases, resume_phase


@record
class GoesOn:
    text: str
    command: str


@record
class Left:
    """A task after it was looked at: what was done, the documents that it lists now, and what can go on."""

    task: Task
    done: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    goes_on: GoesOn | None = None
    moved: Mapping[str, str] = {}  # files that have another place, by their old one


def mend_task(desk: Desk, task: Task, shelf: Shelf, *, is_named: bool) -> Left:
    """Put an open task in order. `Held` where a live process has it and it was asked for by name; else that is said."""
    if task.status not in IN_FLIGHT and mend(task, shelf).task == task:
        return Left(task)
    try:
        with claimed(desk, task.number):
            return _mend(desk, task, shelf)
    except Held as held:
        if is_named:
            raise
        return Left(task, goes_on=GoesOn("somebody works on it", held.remedy))


def _mend(desk: Desk, task: Task, shelf: Shelf) -> Left:
    done = [finish(desk, stage).text for stage in _stages(desk, task) if is_complete(stage)]
    found: list[Mended] = []

    def decide(now: Task) -> Task:
        found[:] = [mend(now, shelf)]
        return found[0].task

    with open_book(desk.root) as book:
        task = book.change(task.number, decide, desk.note("recovered"))
    mended = found[0]
    done += [f"linked {path}" for path in mended.linked] + [f"found {path}" for path in mended.moved]
    goes_on = find_work(desk, task) if task.status in IN_FLIGHT else None
    if goes_on is None and task.status in IN_FLIGHT:
        task = _end_stage(desk, task, mended.event) if mended.event else _put_back(desk, task)
        done.append(f"nobody works on it any more: {marker(task.status)}")
    return Left(task, tuple(done), mended.linked, goes_on)


def find_work(desk: Desk, task: Task) -> GoesOn | None:
    """What was begun for a task in flight and can go on; None where nothing is left of it."""
    if task.status == IMPLEMENTING:
        command = f"planrail task implement {task.number}"
        return GoesOn("a run of its plan has not ended", command) if _has_run(desk, task) else None
    for stage in reversed(_stages(desk, task)):
        if has_answers(stage) or any(look(place) == "running" for place in attempts_at_work(stage)):
            command = f"planrail task {stage.order.stage} {task.number}"
            return GoesOn(f"the {stage.order.stage} of round {stage.order.round} was begun and can go on", command)
    return None


def _stages(desk: Desk, task: Task) -> list[StageFolder]:
    return [stage for stage in open_stages(desk.root, task.number) if stage.text("task") == task.id]


def _has_run(desk: Desk, task: Task) -> bool:
    place = plan_path(desk.root, task)
    try:
        return bool(place) and any(not run.is_over for run in list_runs(desk.root, open_paper(place, desk.root).id))
    except PlanrailError:  # no plan that could be read, so none that could go on
        return False


def _end_stage(desk: Desk, task: Task, event: str) -> Task:
    """A stage whose document is there is over. Work is done only where the phases of the plan prove it."""
    if event != "complete":
        return apply(desk, task.number, event)[0]
    phases = read_phases(desk.root, task)
    if isinstance(decide_event(task, event, phases), Refuse):
        return _interrupt(desk, task, phases)
    return apply(desk, task.number, event, phases=phases)[0]


def _interrupt(desk: Desk, task: Task, phases: list[Phase] | None) -> Task:
    phase = resume_phase(phases)
    return apply(desk, task.number, "interrupt", more=lambda moved: replace(moved, resume_phase=phase))[0]


def _put_back(desk: Desk, task: Task) -> Task:
    """To where its documents say, as if somebody opened it again. Work of which a part is done is done in part."""
    for stage in {folder.order.stage for folder in _stages(desk, task)}:
        leave_stages(desk, task, stage)
    phases = read_phases(desk.root, task) if task.status == IMPLEMENTING else None
    if any(phase.status != "todo" for phase in phases or []):
        return _interrupt(desk, task, phases)

    def decide(now: Task) -> Task:
        decision = decide_event(now, REOPEN, force=True) if now.status in IN_FLIGHT else None
        return move(now, decision, at=desk.now(), session=desk.session) if isinstance(decision, Move) else now

    with open_book(desk.root) as book:
        return book.change(task.number, decide, desk.note("recovered", why="nobody worked on it any more"))
