"""The ledger beside the disk: do documents exist, do folders belong to tasks, do states fit their plans? Pure."""

from collections.abc import Collection, Mapping, Sequence
from shlex import quote

from planrail.base.records import record
from planrail.tasks.importing.divergences import Divergence, Remarks, plural, tell_skipped
from planrail.tasks.importing.folders import Folder, Shelf, documents, locate_document
from planrail.tasks.importing.model import KEPT
from planrail.tasks.importing.needs import compare_needs
from planrail.tasks.importing.plan_comparing import compare_plans, tell_unproven
from planrail.tasks.model import PLAN, TYPES, Task, folder_of, latest
from planrail.tasks.rounds import number_of


@record
class Place:
    """What there is on the disk: the folder of tasks, and which of the documents elsewhere exist."""

    shelf: Shelf
    others: Collection[str] = ()
    plans: Mapping[str, str] = {}
    base: str = "specs"
    skipped: Mapping[str, str] = {}


def check_book(
    tasks: Sequence[Task], archived: Sequence[Task], place: Place, answered: Collection[int] = ()
) -> list[Divergence]:
    """Where the ledger and the disk disagree, and where tasks disagree with their plans or with each other.

    `answered` are the completed tasks for which somebody has answered, so that they need no plan.
    """
    remarks = Remarks()
    tell_skipped(place.skipped, remarks)
    owned = own_folders([*tasks, *archived], place)
    for task in (*tasks, *archived):
        _check_documents(task, place, remarks)
        for folder in owned.get(id(task), ()):
            _check_folder(task, folder, place, remarks)
    claimed = {folder.path for folders in owned.values() for folder in folders}
    for folder in place.shelf.folders:
        if folder.path not in claimed:
            told = f"{folder.path} ({plural(len(folder.files), 'file')}) belongs to no task"
            remarks.add("folder_without_task", folder.number, told, f"planrail task recover {quote(folder.path)}")
    compare_needs({task.number: task for task in tasks}, {task.number for task in archived}, remarks)
    compare_plans(tasks, place.plans, remarks)
    tell_unproven([task for task in tasks if task.number not in answered], remarks)
    return remarks.found


def own_folders(tasks: Sequence[Task], place: Place) -> dict[int, list[Folder]]:
    """The folders of each task, by `id(task)`: those of its name, and those that its documents lie in."""
    found: dict[int, list[Folder]] = {}
    by_number: dict[int, list[Task]] = {}
    for task in tasks:
        for number in {task.number, said_number(task)}:
            by_number.setdefault(number, []).append(task)
    for folder in place.shelf.folders:
        own = [task for task in by_number.get(folder.number, []) if is_own(task, folder)]
        if own:
            best = min(own, key=lambda task: (task.is_archived != folder.is_archived, not task.artifacts))
            found.setdefault(id(best), []).append(folder)
    return found


def is_own(task: Task, folder: Folder) -> bool:
    """Whether a folder is that of a task."""
    return task.name == folder.name or any(one.path.startswith(f"{folder.path}/") for one in task.artifacts)


def unlisted(task: Task, folder: Folder) -> list[tuple[str, str]]:
    """The documents in a task's folder that it does not list. A plan that a later one has replaced is none."""
    known = {artifact.path for artifact in task.artifacts}
    plan = latest(task, PLAN)
    found = [(type_, path) for type_, path in documents(folder) if path not in known]
    return [(type_, path) for type_, path in found if type_ != PLAN or plan is None or number_of(path) > plan.round]


def said_number(task: Task) -> int:
    """The number that a task had in its file; its folder may still be called so."""
    kept = task.extra.get(KEPT)
    said = kept.get("number") if isinstance(kept, dict) else None
    return said if isinstance(said, int) else task.number


def _check_documents(task: Task, place: Place, remarks: Remarks) -> None:
    remedy = "planrail task check --fix" if task.is_archived else f"planrail task recover {task.number}"
    for artifact in task.artifacts:
        if artifact.type not in TYPES:
            remarks.add("artifact_type", task.number, f"task {task.number}: {artifact.path} is a `{artifact.type}`")
        if artifact.path in place.shelf.files or artifact.path in place.others:
            continue
        found = locate_document(artifact.path, task.number, place.shelf, place.base)
        if found is not None:
            remarks.add("artifact_moved", task.number, f"task {task.number}: {artifact.path} lies at {found}", remedy)
        else:
            told = f"task {task.number}: {artifact.path} is not there"
            remarks.add("artifact_missing", task.number, told, f"git log -- {quote(artifact.path)}")


def _check_folder(task: Task, folder: Folder, place: Place, remarks: Remarks) -> None:
    """A folder is in the wrong place where the documents are said to be in the right one: a move was interrupted."""
    home = folder_of(task, f"{place.base}/archive" if task.is_archived else place.base)
    is_home_said = any(one.path.startswith(f"{home}/") for one in task.artifacts)
    if folder.is_archived != task.is_archived and is_home_said:
        told = f"task {task.number} is {'archived' if task.is_archived else 'open'}, and its folder is {folder.path}"
        remarks.add("folder_misplaced", task.number, told, "planrail task check --fix")
    for type_, path in unlisted(task, folder) if not task.is_archived else ():
        told = f"task {task.number} does not list the {type_} {path}"
        remarks.add("file_unlisted", task.number, told, f"planrail task recover {task.number}")
