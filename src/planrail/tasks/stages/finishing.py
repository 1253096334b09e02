"""The end of a stage: its document is written, linked and committed. Killed anywhere, the next call goes on with it.

Each step leaves something by which the next one is known: the text and its path stand in the stage's folder before the
file is there, the file is there before it is linked, and the folder is renamed last.
"""

import os
import re
from collections.abc import Callable, Sequence

from planrail.approval.book import load_policy
from planrail.approval.records import propose
from planrail.ask.asking import put_aside
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import clip, plural
from planrail.planning.plannings import remember_critiques
from planrail.plans.reading import read
from planrail.plans.text.source import PlanSource
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.context.committing import commit_documents
from planrail.tasks.context.context import Context, apply, refresh
from planrail.tasks.context.files import files_of, publish, read_bytes
from planrail.tasks.context.looks import from_here
from planrail.tasks.documents.rendering import facts_of, render_report, repair
from planrail.tasks.documents.validating import has_errors, validate
from planrail.tasks.model import PLAN, REPORT, Artifact, Task, latest, link, number_of
from planrail.tasks.naming import artifact_path
from planrail.tasks.questions.answers import assemble_report, memories_of, tidy_line, tidy_page
from planrail.tasks.questions.model import RESEARCH, REVISE, Answers
from planrail.tasks.stage_folders import StageFolder, load_answers, load_document, load_drafting, save_document
from planrail.tasks.stages.gathering import remember
from planrail.tasks.stages.requests import DONE, StageEnd
from planrail.tasks.statuses import BLOCKED, TERMINAL, Refuse, decide_event

_STEM = re.compile(r"^(?:\d+[_-])?(?P<slug>.*?)(?:-v\d{1,4})?$")
_LONGEST_SUMMARY = 300


@record
class StageDraft:
    """A document to be: its title and what it says in a line. `write` renders it for the path that it will have."""

    title: str
    summary: str
    write: Callable[[str], str]


def finish(context: Context, folder: StageFolder, *, draft: StageDraft | None = None, force: bool = False) -> StageEnd:
    """Bring a stage that has all its answers, or is given its document, to its end. Safe to be called again."""
    order, answers = folder.order, {name: kept.answer for name, kept in load_answers(folder).items()}
    if order.is_about_description and draft is None:
        return _finish_description(context, folder, answers)
    task = context.load(order.number)
    force = force and task.status in TERMINAL  # else nothing is overruled, and nothing goes on record
    decision = decide_event(task, f"end_{order.kind}", force=force)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)
    if not _is_composed(context.root, folder, task):
        folder = _compose(context, folder, task, draft or _draft(context, folder, task, answers))
    path = folder.text("artifact")
    if not _is_linked(folder, task):
        publish(context, path, load_document(folder) or "")
    reach("stage.written")
    task = _link(context, folder, answers, force=force)
    reach("stage.linked")
    version = len(files_of(context, task, PLAN))  # how many plans the task has had
    done = {RESEARCH: "complete research", REVISE: f"revise plan (v{version})"}
    message = f"task {order.number}: {done.get(order.stage, 'create implementation plan')}"
    _, owed = commit_documents(context, message, [path])
    reach("stage.committed")
    complaint = _remember(context, folder, task, answers)
    unproposed = _propose(context, folder) if _type_of(folder) == PLAN else ""
    put_aside(folder.path, "done")
    return _tell_end(context, folder, task, [note for note in (owed, complaint, unproposed) if note])


def is_complete(folder: StageFolder) -> bool:
    """Whether a stage has its document: then only its end is missing."""
    return bool(folder.text("artifact")) and load_document(folder) is not None


# ---- the document: rendered from the answers, kept beside them with its path, before there is a file ----


def _draft(context: Context, folder: StageFolder, task: Task, answers: Answers) -> StageDraft:
    if folder.order.stage == RESEARCH:
        told = answers["synthesis" if "synthesis" in answers else "research"]
        report = assemble_report(told, started=folder.text("began"), completed=context.now())
        return StageDraft(
            report.title, shorten(report.executive_summary), lambda path: render_report(task, report, path)
        )
    planning = load_drafting(folder)
    assert planning is not None  # it has finished
    reports = [one for one in task.artifacts if one.type == REPORT]
    research = [one.path for one in reports if (one.round or number_of(one.path)) <= folder.order.round]
    text = tidy_page(planning.plan)
    found = read(PlanSource("PLAN.md", text))
    title = tidy_line(found.title) or task.title

    def write(path: str) -> str:
        facts = {**facts_of(task, PLAN, path), "Effort": task.effort or "not estimated"}
        return repair(text, PLAN, {**facts, "Research Inputs": ", ".join(research) or "None"}).text

    return StageDraft(title, shorten([f"{plural(len(found.phases), 'phase')}: {title}"]), write)


def _compose(context: Context, folder: StageFolder, task: Task, draft: StageDraft) -> StageFolder:
    """The stage with its document and the path of it, both on record. Where that is taken, there is another."""
    type_, order = _type_of(folder), folder.order
    before = latest(task, PLAN)  # a plan that is revised keeps its name
    name = slug_words(before.path) if order.stage == REVISE and before is not None else draft.title
    linked = [artifact.path for artifact in task.artifacts]
    taken = [*files_of(context, task, REPORT), *files_of(context, task, PLAN), *linked]
    path = artifact_path(task, type_, order.round, name, taken, context.folder)
    text = draft.write(path)
    problems = [problem.message for problem in validate(text, type_) if has_errors([problem])]
    if problems:
        raise PlanrailError(
            f"the document is not in its format: {'; '.join(problems[:3])}",
            remedy=f"planrail task {order.stage} {order.number} --restart",
        )
    save_document(folder, text)
    folder = folder.note(artifact=path, summary=draft.summary)
    reach("stage.composed")
    return folder


def _is_composed(root: str, folder: StageFolder, task: Task) -> bool:
    """Whether the document has its path, and nobody else has put a file there since."""
    path, text = folder.text("artifact"), load_document(folder)
    if not path or text is None:
        return False
    is_free = _is_linked(folder, task) or not os.path.lexists(os.path.join(root, path))
    return is_free or read_bytes(root, path) == text.encode("utf-8", "surrogateescape")


def _is_linked(folder: StageFolder, task: Task) -> bool:
    """Whether the task has the document already; what a person made of it since is theirs."""
    return any(artifact.path == folder.text("artifact") for artifact in task.artifacts)


def _type_of(folder: StageFolder) -> str:
    return REPORT if folder.order.stage == RESEARCH else PLAN


def shorten(lines: Sequence[str]) -> str:
    return clip(" ".join("; ".join(lines).split()), _LONGEST_SUMMARY)


def slug_words(path: str) -> str:
    """The words of a plan's name, without its number and its version: another version of it is called the same."""
    match = _STEM.match(path.rsplit("/", 1)[-1].removesuffix(".md"))
    assert match is not None  # every text fits
    return match["slug"].replace("-", " ").replace("_", " ").strip()


# ---- what follows ----


def _link(context: Context, folder: StageFolder, answers: Answers, *, force: bool) -> Task:
    """The document in the task, with its new state: one transaction, and the views after it.

    Of the roadmap it completes what its plan names, as far as that was offered.
    """
    order, planning = folder.order, load_drafting(folder)
    artifact = Artifact(_type_of(folder), folder.text("artifact"), folder.text("summary"), order.round)
    lines = [line.partition("Roadmap:") for line in planning.plan.splitlines()] if planning is not None else []
    said = {tidy_line(text.strip(" *_`")) for _, is_named, text in lines if is_named}
    offered, worth = order.context.get("roadmap"), memories_of(answers)
    chosen = [str(one) for one in offered if tidy_line(str(one)) in said] if isinstance(offered, list) else []

    def change(task: Task) -> Task:
        if artifact in task.artifacts:
            return task
        return replace(
            link(task, artifact),
            round=max(task.round, order.round),
            roadmap_items=tuple(dict.fromkeys((*task.roadmap_items, *chosen))),
            memory_candidates=(*task.memory_candidates, *(one for one in worth if one not in task.memory_candidates)),
            last_updated=context.now(),
            session_id=context.session,
        )

    return apply(context, order.number, f"end_{order.kind}", more=change, force=force)[0]


def _remember(context: Context, folder: StageFolder, task: Task, answers: Answers) -> str:
    planning, shown = load_drafting(folder), folder.count("shown")
    if planning is not None:
        return remember_critiques(context.root, planning, shown)
    return remember(context.root, task, answers, shown) if answers else ""


def _propose(context: Context, folder: StageFolder) -> str:
    """Let `planrail list approvals` list the plan of a stage; what a person should know where that failed, else "".

    The plan is written all the same. Proposed twice, it is one request.
    """
    try:
        propose(os.path.join(context.root, folder.text("artifact")), agent=folder.text("agent"), root=context.root)
    except PlanrailError as error:
        return f"{error.message}; {error.remedy}"
    except OSError as error:
        return f"it could not be noted that the plan waits for approval: {error.strerror}"
    return ""


def _tell_end(context: Context, folder: StageFolder, task: Task, notes: Sequence[str]) -> StageEnd:
    """What follows a report is the plan; what follows a plan, a person's approval, or the work where none is asked."""
    number, path = task.number, folder.text("artifact")
    is_report = _type_of(folder) == REPORT
    text = f"task {number} is {'researched' if is_report else 'planned'}: {folder.text('summary')}"
    if task.status == BLOCKED:
        text = f"{text}; it is BLOCKED{f': {task.why}' if task.why else ''}"
        following = f"planrail task reopen {number}"
    elif not is_report and load_policy(context.root, os.environ).required:
        following = f"planrail approve {from_here(context, path)}"
    else:
        following = f"planrail task {'plan' if is_report else 'implement'} {number}"
    return StageEnd(DONE, text, following, number, path, notes=tuple(notes))


def _finish_description(context: Context, folder: StageFolder, answers: Answers) -> StageEnd:
    """There is no plan yet: what is revised is what the task says."""
    number, wanted = folder.order.number, str(answers["description"]["description"])

    def change(task: Task) -> Task:
        if task.description == wanted:
            return task
        return replace(task, description=wanted, last_updated=context.now(), session_id=context.session)

    with open_book(context.root) as book:
        before = book.load(number).description
        book.change(number, change, context.note("revise_description", before=before))
    refresh(context)
    reach("stage.linked")
    commit_documents(context, f"task {number}: revise description")
    reach("stage.committed")
    put_aside(folder.path, "done")
    changes = answers["description"]["changes"]
    listed = [str(one) for one in changes] if isinstance(changes, list) else []
    text = f"the description of task {number} is revised: {shorten(listed) or 'as wished'}"
    return StageEnd(DONE, text, f"planrail task show {number}", number)
