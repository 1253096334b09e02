"""The document of a stage: rendered from its answers, kept beside them with its path, before there is a file."""

import os
from collections.abc import Callable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record
from planrail.tasks.desk.desk import Desk
from planrail.tasks.documents.paths import artifact_path
from planrail.tasks.documents.rendering import render_plan, render_report
from planrail.tasks.documents.validating import has_errors, validate
from planrail.tasks.model import PLAN, REPORT, Task, latest
from planrail.tasks.questions.assembling import assemble, assemble_report
from planrail.tasks.questions.model import RESEARCH, REVISE, Answers
from planrail.tasks.questions.naming import slug_words
from planrail.tasks.questions.steps import result_of
from planrail.tasks.rounds import number_of
from planrail.tasks.stage_folders import StageFolder, load_document, save_document
from planrail.tasks.stages.surroundings import files_of

Write = Callable[[str], str]  # the text of a document, given its path


_LONGEST_SUMMARY = 300


@record
class Draft:
    """A document to be: its title and what it says in a line. `write` renders it for the path that it will have."""

    title: str
    summary: str
    write: Write


def draft_document(desk: Desk, folder: StageFolder, task: Task, answers: Answers) -> Draft:
    """The document that the answers of a stage make."""
    if folder.order.stage == RESEARCH:
        told = answers[result_of(answers)]
        report = assemble_report(told, started=folder.text("began"), completed=desk.now())
        return Draft(report.title, shorten(report.executive_summary), lambda path: render_report(task, report, path))
    outline = assemble(answers, _research_paths(task, folder.order.round))
    count = len(outline.phases)
    summary = f"{count} phase{'s' * (count != 1)}: {outline.title}"
    return Draft(outline.title, shorten([summary]), lambda path: render_plan(task, outline, path))


def compose(desk: Desk, folder: StageFolder, task: Task, draft: Draft) -> StageFolder:
    """The stage with its document and the path of it, both on record. Where somebody took it, there is another."""
    type_ = type_of(folder)
    path = artifact_path(task, type_, folder.order.round, _name(folder, task, draft), _taken(desk, task), desk.folder)
    text = draft.write(path)
    problems = [problem.message for problem in validate(text, type_) if has_errors([problem])]
    if problems:
        number, stage = folder.order.number, folder.order.stage
        raise PlanrailError(
            f"the document is not in its format: {'; '.join(problems[:3])}",
            remedy=f"planrail task {stage} {number} --restart",
        )
    save_document(folder, text)
    folder = folder.note(artifact=path, summary=draft.summary)
    reach("stage.composed")
    return folder


def is_composed(root: str, folder: StageFolder, task: Task) -> bool:
    """Whether the document has its path, and nobody else has put a file there since."""
    path = folder.text("artifact")
    text = load_document(folder)
    if not path or text is None:
        return False
    place = os.path.join(root, path)
    return is_linked(folder, task) or not os.path.lexists(place) or _read(place) == text


def is_linked(folder: StageFolder, task: Task) -> bool:
    """Whether the task has the document already; what a person made of it since is theirs."""
    return any(artifact.path == folder.text("artifact") for artifact in task.artifacts)


def type_of(folder: StageFolder) -> str:
    """The type of a stage's document."""
    return REPORT if folder.order.stage == RESEARCH else PLAN


def shorten(lines: Sequence[str]) -> str:
    """Some lines as one, of bounded length."""
    text = " ".join("; ".join(lines).split())
    return text if len(text) <= _LONGEST_SUMMARY else text[: _LONGEST_SUMMARY - 1] + "…"


def _name(folder: StageFolder, task: Task, draft: Draft) -> str:
    """What the document is called after: its title; a plan that is revised keeps its name."""
    before = latest(task, PLAN)
    return slug_words(before.path) if folder.order.stage == REVISE and before is not None else draft.title


def _taken(desk: Desk, task: Task) -> list[str]:
    linked = [artifact.path for artifact in task.artifacts]
    return [*files_of(desk, task, REPORT), *files_of(desk, task, PLAN), *linked]


def _research_paths(task: Task, round_: int) -> list[str]:
    return [one.path for one in task.artifacts if one.type == REPORT and (one.round or number_of(one.path)) <= round_]


def _read(place: str) -> str | None:
    try:
        with open(place, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError:
        return None
