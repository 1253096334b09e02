"""What a stage that died has left: documents that nobody linked, and a state that nobody works in. Pure."""

from planrail.base.records import record, replace
from planrail.tasks.importing.checking import is_own, unlisted
from planrail.tasks.importing.folders import Folder, Shelf, documents, locate_document
from planrail.tasks.importing.status_words import guess_status
from planrail.tasks.model import PLAN, REPORT, SUMMARY, Artifact, Task, folder_of, latest
from planrail.tasks.rounds import number_of
from planrail.tasks.statuses import IMPLEMENTING, PLANNING, RESEARCHING

_ENDS = {RESEARCHING: (REPORT, "end_research"), PLANNING: (PLAN, "end_plan"), IMPLEMENTING: (SUMMARY, "complete")}


@record
class Mended:
    """A task with its documents in order. `event` is what ends the stage that died, "" where none did."""

    task: Task
    linked: tuple[str, ...]
    moved: tuple[str, ...]
    event: str


def mend(task: Task, shelf: Shelf, base: str = "specs") -> Mended:
    """Link what lies in a task's folder unlisted, follow what has moved, and see which stage is over.

    A stage is over when its document was left: a report after researching, a plan after planning; or a summary, at the
    end of the work. What was linked before is of an earlier stage.
    """
    moved: list[str] = []
    artifacts = []
    for artifact in task.artifacts:
        found = artifact.path if artifact.path in shelf.files else None
        place = found or locate_document(artifact.path, task.number, shelf, base) or artifact.path
        moved += [place] if place != artifact.path else []
        artifacts.append(replace(artifact, path=place))
    followed = replace(task, artifacts=tuple(artifacts))
    folders = [folder for folder in shelf.by_number.get(task.number, ()) if is_own(followed, folder)]
    new = [(type_, path) for folder in folders for type_, path in unlisted(followed, folder)]
    mended = _link_all(followed, new)
    return Mended(mended, tuple(path for _, path in new), tuple(moved), _ending(mended, {type_ for type_, _ in new}))


def adopt(folder: Folder, number: int, *, at: str) -> Task:
    """A task for a folder that belongs to none: its name, its documents, and the state that they speak for."""
    words = " ".join(folder.name.replace("_", " ").replace("-", " ").split())
    task = Task(number, folder.name, words[:1].upper() + words[1:] or f"Task {number}", created=at, last_updated=at)
    linked = _link_all(task, documents(folder))
    has = {type_: latest(linked, type_) is not None for type_ in (PLAN, REPORT)}
    status = guess_status(is_archived=False, has_plan=has[PLAN], has_report=has[REPORT])
    return replace(linked, status=status)


def bring_back(task: Task, number: int, base: str = "specs") -> Task:
    """A task out of the archive, under a number that is free; its documents are where its folder will be."""
    back = replace(task, number=number, is_archived=False)
    old, new = folder_of(task, f"{base}/archive"), folder_of(back, base)
    artifacts = tuple(
        replace(one, path=new + one.path.removeprefix(old)) if one.path.startswith(f"{old}/") else one
        for one in task.artifacts
    )
    return replace(back, artifacts=artifacts)


def _link_all(task: Task, found: list[tuple[str, str]]) -> Task:
    made = tuple(Artifact(type_, path, "", number_of(path)) for type_, path in found)
    reports = [one.round for one in made if one.type == REPORT]
    return replace(task, artifacts=(*task.artifacts, *made), round=max([task.round, *reports]))


def _ending(task: Task, new: set[str]) -> str:
    type_, event = _ENDS.get(task.status, ("", ""))
    return event if type_ in new or (type_ == SUMMARY and latest(task, SUMMARY) is not None) else ""
