"""What is known around a task when a stage begins: its documents, what it waits for, the roadmap, the memory."""

import os

from planrail.base.settings import SECTIONS
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk
from planrail.tasks.documents.formats import FORMATS
from planrail.tasks.documents.roadmap import open_items, roadmap_places
from planrail.tasks.model import FOLDERS, PLAN, REPORT, Brief, Task, folder_of, latest
from planrail.tasks.questions.model import RESEARCH, REVISE
from planrail.tasks.questions.prompts import LONGEST_DOCUMENT, Paper, Surroundings, describe
from planrail.tasks.stages.memories import recall

_MOST_REPORTS = 3  # the newest; older ones the agent can read
_LARGEST = 4_000_000  # bytes of a document


def gather(
    desk: Desk, task: Task, stage: str, round_: int, focus: str, *, clean: bool = False
) -> tuple[dict[str, object], int]:
    """All that the agents of a stage are given, and the number under which memory was shown, 0 for none.

    With `clean` nothing that is remembered is among it.
    """
    type_ = REPORT if stage == RESEARCH else PLAN
    memory, shown = ([], 0) if clean else recall(desk.root, task, focus)
    around = Surroundings(
        reports=_reports(desk, task),
        plan=read_plan(desk.root, task) if stage == REVISE else None,
        dependencies=_dependencies(desk, task),
        roadmap=[] if stage == RESEARCH else read_roadmap(desk),
        memory=memory,
        form={"type": type_, "sections": list(SECTIONS if type_ == PLAN else FORMATS[type_].sections)},
    )
    return describe(task, stage, round_, desk.session, focus, around), shown


def read_plan(root: str, task: Task) -> Paper | None:
    artifact = latest(task, PLAN)
    return _read_paper(root, artifact.path) if artifact is not None else None


def read_roadmap(desk: Desk) -> list[str]:
    for place in roadmap_places(desk.folder):
        paper = _read_paper(desk.root, place)
        if paper is not None:
            return open_items(paper.text)
    return []


def files_of(desk: Desk, task: Task, type_: str) -> list[str]:
    """The files of a type that lie in the task's folder, linked or not, from the root on."""
    folder = f"{folder_of(task, desk.folder)}/{FOLDERS[type_]}"
    try:
        return sorted(f"{folder}/{name}" for name in os.listdir(os.path.join(desk.root, folder)))
    except OSError:
        return []


def _reports(desk: Desk, task: Task) -> list[Paper]:
    """The newest reports, the newest first; together they are no longer than one document may be twice."""
    linked = [artifact for artifact in task.artifacts if artifact.type == REPORT]
    newest = sorted(linked, key=lambda artifact: artifact.round, reverse=True)[:_MOST_REPORTS]
    papers = [paper for artifact in newest if (paper := _read_paper(desk.root, artifact.path)) is not None]
    room, kept = 2 * LONGEST_DOCUMENT, []
    for paper in papers:
        if room > 0:
            kept.append(Paper(paper.path, paper.text[:room]))
            room -= len(paper.text)
    return kept


def _dependencies(desk: Desk, task: Task) -> list[Brief]:
    if not task.dependencies:
        return []
    with open_book(desk.root) as book:
        found = [book.find(number) for number in task.dependencies]
    return [Brief(one.number, one.title, one.status) for one in found if one is not None]


def _read_paper(root: str, path: str) -> Paper | None:
    """A document inside the project. What leads out of it by a link is not read."""
    base, place = os.path.realpath(root), os.path.realpath(os.path.join(root, path))
    if not place.startswith(base + os.sep):
        return None
    try:
        if os.path.getsize(place) > _LARGEST:
            return None
        with open(place, encoding="utf-8", errors="replace") as file:
            return Paper(path, file.read())
    except OSError:
        return None
