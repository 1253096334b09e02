"""The ledger beside the disk: do documents exist, do folders belong to tasks, do states fit their plans? Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from shlex import quote

from planrail.base.records import record, replace
from planrail.base.wording import name_some, plural
from planrail.plans.reading import read
from planrail.plans.states import State
from planrail.plans.text.source import PlanSource
from planrail.tasks.importing.documents import Folder, Shelf, documents, find_owners, owner_of
from planrail.tasks.importing.drafts import guess_status
from planrail.tasks.importing.model import Divergence, Remarks, tell_skipped
from planrail.tasks.model import (
    PLAN,
    REPORT,
    SUMMARY,
    Artifact,
    Task,
    folder_of,
    latest,
    move_documents,
    number_of,
)
from planrail.tasks.statuses import COMPLETED, IMPLEMENTING, PLANNING, RESEARCHING, TERMINAL
from planrail.tasks.waves import Circle, group_waves

_ENDS = {RESEARCHING: (REPORT, "end_research"), PLANNING: (PLAN, "end_plan"), IMPLEMENTING: (SUMMARY, "complete")}
_SHOWN = 3  # phases in a line
_LISTED = 10  # tasks
_DONE = (State.DONE, State.SKIPPED)
_MOST_CIRCLES = 100  # that are told; each is looked for among all tasks


@record
class RepairedTask:
    """A task with its documents in order. `event` is what ends the stage that died, "" where none did."""

    task: Task
    linked: tuple[str, ...]
    moved: tuple[str, ...]
    event: str


def check_book(
    tasks: Sequence[Task], archived: Sequence[Task], shelf: Shelf, answered: Collection[int] = ()
) -> list[Divergence]:
    """Where the ledger and the disk disagree, and where tasks disagree with their plans or with each other.

    `answered` are the completed tasks for which a person has answered, so that they need no plan.
    """
    remarks = Remarks()
    tell_skipped(shelf.skipped, remarks)
    every = [*tasks, *archived]
    owned = find_owners(list(map(owner_of, every)), shelf)
    for at, task in enumerate(every):
        _check_documents(task, shelf, remarks)
        for folder in owned.get(at, ()):
            _check_folder(task, folder, shelf, remarks)
    tell_ownerless(owned.get(-1, ()), remarks)
    compare_needs({task.number: task for task in tasks}, {task.number for task in archived}, remarks)
    compare_plans(tasks, shelf.plans, remarks)
    tell_unproven([task for task in tasks if task.number not in answered], remarks)
    return remarks.found


def tell_ownerless(folders: Iterable[Folder], remarks: Remarks) -> None:
    for folder in folders:
        told = f"{folder.path} ({plural(len(folder.files), 'file')}) belongs to no task"
        remarks.add("folder_without_task", folder.number, told, f"planrail task recover {quote(folder.path)}")


def unlisted(task: Task, folder: Folder) -> list[tuple[str, str]]:
    """The documents in a task's folder that it does not list. A plan that a later one has replaced is none."""
    known = {artifact.path for artifact in task.artifacts}
    plan = latest(task, PLAN)
    found = [(type_, path) for type_, path in documents(folder) if path not in known]
    return [(type_, path) for type_, path in found if type_ != PLAN or plan is None or number_of(path) > plan.round]


def _check_documents(task: Task, shelf: Shelf, remarks: Remarks) -> None:
    remedy = "planrail task check --fix" if task.is_archived else f"planrail task recover {task.number}"
    for artifact in task.artifacts:
        found = shelf.find(artifact.path, task.number)
        if found is None:
            log = f"git log -- {quote(artifact.path)}"
            remarks.tell("artifact_missing", task.number, f": {artifact.path} is not there", log)
        elif found != artifact.path:
            remarks.tell("artifact_moved", task.number, f": {artifact.path} lies at {found}", remedy)


def _check_folder(task: Task, folder: Folder, shelf: Shelf, remarks: Remarks) -> None:
    """A folder is in the wrong place where the documents are said to be in the right one: a move was interrupted."""
    home = folder_of(task, f"{shelf.base}/archive" if task.is_archived else shelf.base)
    is_home_said = any(one.path.startswith(f"{home}/") for one in task.artifacts)
    if folder.is_archived != task.is_archived and is_home_said:
        told = f" is {'archived' if task.is_archived else 'open'}, and its folder is {folder.path}"
        remarks.tell("folder_misplaced", task.number, told, "planrail task check --fix")
    for type_, path in unlisted(task, folder) if not task.is_archived else ():
        remedy = f"planrail task recover {task.number}"
        remarks.tell("file_unlisted", task.number, f" does not list the {type_} {path}", remedy)


def compare_needs(tasks: Mapping[int, Task], archived: Collection[int], remarks: Remarks) -> None:
    for task in tasks.values():
        for number in task.dependencies:
            if number not in tasks and number not in archived:
                told, remedy = f" depends on task {number}, which is not there", f"planrail task edit {task.number}"
                remarks.tell("dependency", task.number, told, f"{remedy} --depends none")
    open_ones = {number: task.dependencies for number, task in tasks.items() if task.status not in TERMINAL}
    for _ in range(_MOST_CIRCLES):
        found = group_waves(open_ones)
        if not isinstance(found, Circle) or not found.ring:
            return
        first = min(found.ring)
        told = f"tasks wait for each other: {' → '.join(map(str, [*found.ring, found.ring[0]]))}"
        remarks.add("dependency", first, told, f"planrail task edit {first} --depends none")
        open_ones = {number: needs for number, needs in open_ones.items() if number not in found.ring}


def compare_plans(tasks: Iterable[Task], plans: Mapping[str, str], remarks: Remarks) -> None:
    """Tell which tasks are called completed while phases of their plan are open, or its header says otherwise."""
    for task in tasks:
        artifact = latest(task, PLAN)
        if artifact is None or artifact.path not in plans or task.status != COMPLETED:
            continue
        plan = read(PlanSource(artifact.path, plans[artifact.path]))
        left, header = [phase for phase in plan.phases if phase.status not in _DONE], plan.header
        said, remedy = [], ""
        if left:
            shown = name_some([f"{phase.id} {phase.title}".strip()[:60] for phase in left], _SHOWN)
            said.append(f"{len(left)} of {len(plan.phases)} phases are open: {shown}")
            remedy = f"recover {task.number}" if task.is_archived else f"reopen {task.number} --force"
        if header is not None and header.state is not None and header.state not in _DONE:
            said.append(f"{artifact.path} says {' '.join(header.text.split())[:40]}")
        if said:
            told = f" is COMPLETED, and {', and '.join(said)}"
            remarks.tell("open_phases", task.number, told, f"planrail task {remedy}" if remedy else "")


def lacks_plan(task: Task) -> bool:
    return task.status == COMPLETED and latest(task, PLAN) is None


def tell_unproven(tasks: Iterable[Task], remarks: Remarks) -> None:
    """Tell which tasks are called completed without a plan: all of them in one line, since an import brings many."""
    found = [task.number for task in tasks if lacks_plan(task)]
    if not found:
        return
    shown = ", ".join(map(str, found[:_LISTED])) + (" …" if len(found) > _LISTED else "")
    are = ("are COMPLETED without plans that prove it", "is COMPLETED without a plan that proves it")[len(found) == 1]
    told = f"{plural(len(found), 'task')} {are}: {shown} (planrail task archive puts away what is done)"
    remarks.add("no_plan", found[0], told, f"planrail task reopen {found[0]} --force")


def wanted_plans(tasks: Iterable[Task]) -> list[str]:
    found = (latest(task, PLAN) for task in tasks if task.status in TERMINAL)
    return [artifact.path for artifact in found if artifact is not None]


def repair(task: Task, shelf: Shelf) -> RepairedTask:
    """Link what lies in a task's folder unlisted, follow what has moved, and see which stage is over.

    A stage is over when its document was left: a report after researching, a plan after planning; or a summary, at the
    end of the work. What was linked before is of an earlier stage.
    """
    places = {one.path: shelf.find(one.path, task.number) or one.path for one in task.artifacts}
    moved = tuple(place for path, place in places.items() if place != path)
    followed = replace(task, artifacts=tuple(replace(one, path=places[one.path]) for one in task.artifacts))
    folders = find_owners([owner_of(followed)], shelf).get(0, [])
    new = [(type_, path) for folder in folders for type_, path in unlisted(followed, folder)]
    repaired = _link_all(followed, new)
    left, event = _ENDS.get(task.status, ("", ""))
    is_over = left in {type_ for type_, _ in new} or (left == SUMMARY and latest(repaired, SUMMARY) is not None)
    return RepairedTask(repaired, tuple(path for _, path in new), moved, event if is_over else "")


def adopt(folder: Folder, number: int, *, at: str) -> Task:
    """A task for a folder that belongs to none: its name, its documents, and the state that they speak for."""
    words = " ".join(folder.name.replace("_", " ").replace("-", " ").split())
    task = Task(number, folder.name, words[:1].upper() + words[1:] or f"Task {number}", created=at, last_updated=at)
    linked = _link_all(task, documents(folder))
    return replace(linked, status=guess_status(one.type for one in linked.artifacts))


def bring_back(task: Task, number: int, base: str = "specs") -> Task:
    """A task out of the archive, under a number that is free; its documents are where its folder will be."""
    back = replace(task, number=number, is_archived=False)
    return replace(back, artifacts=move_documents(task, folder_of(task, f"{base}/archive"), folder_of(back, base)))


def _link_all(task: Task, found: list[tuple[str, str]]) -> Task:
    made = tuple(Artifact(type_, path, "", number_of(path)) for type_, path in found)
    reports = [one.round for one in made if one.type == REPORT]
    return replace(task, artifacts=(*task.artifacts, *made), round=max([task.round, *reports]))
