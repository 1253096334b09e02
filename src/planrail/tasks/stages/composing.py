"""The document of a stage: rendered from its answers, kept beside them with its path, before there is a file."""

import os
import re
from collections.abc import Callable, Sequence

from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.records import record
from planrail.plans.reading import read
from planrail.plans.text.source import Source
from planrail.tasks.desk.desk import Desk
from planrail.tasks.desk.looks import from_here
from planrail.tasks.documents.rendering import render_report
from planrail.tasks.documents.repairing import facts_of, repair
from planrail.tasks.documents.validating import has_errors, validate
from planrail.tasks.model import PLAN, REPORT, Task, latest, number_of
from planrail.tasks.naming import artifact_path
from planrail.tasks.questions.answers import tidy_line, tidy_page
from planrail.tasks.questions.assembling import assemble_report
from planrail.tasks.questions.model import RESEARCH, REVISE, Answers
from planrail.tasks.questions.steps import result_of
from planrail.tasks.stage_folders import StageFolder, load_document, load_drafting, save_document
from planrail.tasks.stages.surroundings import files_of

_STEM = re.compile(r"^(?:\d+[_-])?(?P<slug>.*?)(?:-v\d{1,4})?$")
Write = Callable[[str], str]  # the text of a document, given its path
_LONGEST_SUMMARY = 300


@record
class Draft:
    """A document to be: its title and what it says in a line. `write` renders it for the path that it will have."""

    title: str
    summary: str
    write: Write


def draft_document(desk: Desk, folder: StageFolder, task: Task, answers: Answers) -> Draft:
    if folder.order.stage == RESEARCH:
        told = answers[result_of(answers)]
        report = assemble_report(told, started=folder.text("began"), completed=desk.now())
        return Draft(report.title, shorten(report.executive_summary), lambda path: render_report(task, report, path))
    planning = load_drafting(folder)
    assert planning is not None  # it has finished
    reports = [one for one in task.artifacts if one.type == REPORT]
    research = [one.path for one in reports if (one.round or number_of(one.path)) <= folder.order.round]
    text = tidy_page(planning.plan)
    found = read(Source("PLAN.md", text))
    title, count = tidy_line(found.title) or task.title, len(found.phases)

    def write(path: str) -> str:
        facts = {**facts_of(task, PLAN, path), "Effort": task.effort or "not estimated"}
        return repair(text, PLAN, {**facts, "Research Inputs": ", ".join(research) or "None"}).text

    return Draft(title, shorten([f"{count} phase{'s' * (count != 1)}: {title}"]), write)


def compose(desk: Desk, folder: StageFolder, task: Task, draft: Draft) -> StageFolder:
    """The stage with its document and the path of it, both on record. Where somebody took it, there is another."""
    type_ = type_of(folder)
    before = latest(task, PLAN)  # a plan that is revised keeps its name
    name = slug_words(before.path) if folder.order.stage == REVISE and before is not None else draft.title
    linked = [artifact.path for artifact in task.artifacts]
    taken = [*files_of(desk, task, REPORT), *files_of(desk, task, PLAN), *linked]
    path = artifact_path(task, type_, folder.order.round, name, taken, desk.folder)
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
    return (
        is_linked(folder, task)
        or not os.path.lexists(place)
        or _read_bytes(place) == text.encode("utf-8", "surrogateescape")
    )


def is_linked(folder: StageFolder, task: Task) -> bool:
    """Whether the task has the document already; what a person made of it since is theirs."""
    return any(artifact.path == folder.text("artifact") for artifact in task.artifacts)


def type_of(folder: StageFolder) -> str:
    return REPORT if folder.order.stage == RESEARCH else PLAN


def shorten(lines: Sequence[str]) -> str:
    text = " ".join("; ".join(lines).split())
    return text if len(text) <= _LONGEST_SUMMARY else text[: _LONGEST_SUMMARY - 1] + "…"


def slug_words(path: str) -> str:
    """The words of a plan's name, without its number and its version: another version of it is called the same."""
    match = _STEM.match(path.rsplit("/", 1)[-1].removesuffix(".md"))
    assert match is not None  # every text fits
    return match["slug"].replace("-", " ").replace("_", " ").strip()


def publish(desk: Desk, path: str, text: str) -> None:
    """Put a document at its path inside the project. The same one again changes nothing; another one is refused."""
    place = _confine(desk, path)
    data = text.encode("utf-8", "surrogateescape")
    if _read_bytes(place) == data:
        return
    temporary = os.path.join(os.path.dirname(place), f".{os.path.basename(place)}.{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _write_bytes(temporary, data)
        try:
            os.link(temporary, place)  # fails where a file is, which a rename would not
        except FileExistsError:
            if _read_bytes(place) != data:
                typed = from_here(desk, path)
                raise PlanrailError(
                    f"{typed} is there already, and is not what planrail wrote", remedy=f"move it away: {typed}"
                ) from None
        finally:
            os.unlink(temporary)
        _sync_folder(os.path.dirname(place))
    except OSError as error:
        raise ToolFailed(
            f"{from_here(desk, path)} could not be written: {error.strerror or error}",
            remedy="make room or check the permissions, then type the same again",
        ) from error


def _confine(desk: Desk, path: str) -> str:
    """The place of a path, which has to lie inside the project, links resolved."""
    base = os.path.realpath(desk.root)
    place = os.path.join(base, path)
    folder = os.path.realpath(os.path.dirname(place))
    if not (folder + os.sep).startswith(base + os.sep):
        remedy = "look where the folder of the task points to"
        raise PlanrailError(f"{from_here(desk, path)} leads out of the project", remedy=remedy)
    return os.path.join(folder, os.path.basename(place))


def _read_bytes(place: str) -> bytes | None:
    try:
        with open(place, "rb") as file:
            return file.read()
    except OSError:
        return None


def _write_bytes(place: str, data: bytes) -> None:
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
