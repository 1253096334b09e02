"""The end of a stage: its document is written, linked and committed. Killed anywhere, the next call goes on with it.

Each step leaves something by which the next one is known: the text and its path stand in the stage's folder before the
file is there, the file is there before it is linked, and the folder is renamed last.
"""

import os
from collections.abc import Sequence

from planrail.approval.book import load_policy
from planrail.approval.records import propose
from planrail.ask.asking import put_aside
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.planning.lessons import remember_critiques
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply, refresh
from planrail.tasks.desk.looks import from_here
from planrail.tasks.model import PLAN, REPORT, Artifact, Task, link
from planrail.tasks.questions.answers import tidy_line
from planrail.tasks.questions.assembling import memories_of
from planrail.tasks.questions.model import RESEARCH, REVISE, Answers
from planrail.tasks.questions.steps import is_about_description
from planrail.tasks.stage_folders import StageFolder, load_answers, load_document, load_drafting
from planrail.tasks.stages import composing
from planrail.tasks.stages.memories import remember
from planrail.tasks.stages.owed_commits import commit_documents
from planrail.tasks.stages.surroundings import files_of
from planrail.tasks.stages.wishes import DONE, StageEnd
from planrail.tasks.statuses import BLOCKED, TERMINAL, Refuse, decide_event


def finish(desk: Desk, folder: StageFolder, *, draft: composing.Draft | None = None, force: bool = False) -> StageEnd:
    """Bring a stage that has all its answers, or is given its document, to its end. Safe to be called again."""
    answers = {name: kept.answer for name, kept in load_answers(folder).items()}
    if is_about_description(folder.order) and draft is None:
        return _finish_description(desk, folder, answers)
    with open_book(desk.root) as book:
        task = book.load(folder.order.number)
    force = force and task.status in TERMINAL  # else nothing is overruled, and nothing goes on record
    _refuse_closed(task, folder, force=force)
    if not composing.is_composed(desk.root, folder, task):
        folder = composing.compose(desk, folder, task, draft or composing.draft_document(desk, folder, task, answers))
    if not composing.is_linked(folder, task):
        composing.publish(desk, folder.text("artifact"), load_document(folder) or "")
    reach("stage.written")
    task = _link(desk, folder, answers, force=force)
    reach("stage.linked")
    _, owed = commit_documents(desk, _message(folder, len(files_of(desk, task, PLAN))), [folder.text("artifact")])
    reach("stage.committed")
    complaint = _remember(desk, folder, task, answers)
    unproposed = propose_plan(desk, folder) if composing.type_of(folder) == PLAN else ""
    put_aside(folder.path, "done")
    return _tell_end(desk, folder, task, [note for note in (owed, complaint, unproposed) if note])


def is_complete(folder: StageFolder) -> bool:
    """Whether a stage has its document: then only its end is missing."""
    return bool(folder.text("artifact")) and load_document(folder) is not None


def _refuse_closed(task: Task, folder: StageFolder, *, force: bool) -> None:
    decision = decide_event(task, _event(folder), force=force)
    if isinstance(decision, Refuse):
        raise PlanrailError(decision.text, remedy=decision.remedy)


def _event(folder: StageFolder) -> str:
    return "end_research" if folder.order.stage == RESEARCH else "end_plan"


def _link(desk: Desk, folder: StageFolder, answers: Answers, *, force: bool) -> Task:
    """The document in the task, with its new state: one transaction, and the views after it."""
    order = folder.order
    artifact = Artifact(composing.type_of(folder), folder.text("artifact"), folder.text("summary"), order.round)
    roadmap, worth = _chosen_roadmap(folder), memories_of(answers)

    def change(task: Task) -> Task:
        if artifact in task.artifacts:
            return task
        return replace(
            link(task, artifact),
            round=max(task.round, order.round),
            roadmap_items=tuple(dict.fromkeys((*task.roadmap_items, *roadmap))),
            memory_candidates=(*task.memory_candidates, *(one for one in worth if one not in task.memory_candidates)),
            last_updated=desk.now(),
            session_id=desk.session,
        )

    return apply(desk, order.number, _event(folder), more=change, force=force)[0]


def _chosen_roadmap(folder: StageFolder) -> list[str]:
    """The open items of the roadmap that the plan says it completes: those that were offered, and no others."""
    offered, planning = folder.order.context.get("roadmap"), load_drafting(folder)
    if planning is None or not isinstance(offered, list):
        return []
    said = {line.partition("Roadmap:")[2].strip(" *_`") for line in planning.plan.splitlines() if "Roadmap:" in line}
    return [str(item) for item in offered if tidy_line(str(item)) in {tidy_line(one) for one in said}]


def _remember(desk: Desk, folder: StageFolder, task: Task, answers: Answers) -> str:
    planning = load_drafting(folder)
    if planning is not None:
        return remember_critiques(desk.root, planning, folder.count("shown"))
    return remember(desk.root, task, answers, folder.count("shown")) if answers else ""


def _message(folder: StageFolder, plans: int) -> str:
    """What the commit says. `plans` is how many the task has had: that is the version of a revised one."""
    order = folder.order
    if order.stage == RESEARCH:
        return f"task {order.number}: complete research"
    if order.stage == REVISE:
        return f"task {order.number}: revise plan (v{plans})"
    return f"task {order.number}: create implementation plan"


def _tell_end(desk: Desk, folder: StageFolder, task: Task, notes: Sequence[str]) -> StageEnd:
    number, path = task.number, folder.text("artifact")
    is_report = composing.type_of(folder) == REPORT
    text = f"task {number} is {'researched' if is_report else 'planned'}: {folder.text('summary')}"
    if task.status == BLOCKED:
        text = f"{text}; it is BLOCKED{f': {task.why}' if task.why else ''}"
        following = f"planrail task reopen {number}"
    else:
        following = f"planrail task plan {number}" if is_report else after_plan(desk, number, path)
    return StageEnd(True, DONE, text, following, path, notes=tuple(notes), task=number)


def _finish_description(desk: Desk, folder: StageFolder, answers: Answers) -> StageEnd:
    """There is no plan yet: what is revised is what the task says."""
    number, wanted = folder.order.number, str(answers["description"]["description"])

    def change(task: Task) -> Task:
        if task.description == wanted:
            return task
        return replace(task, description=wanted, last_updated=desk.now(), session_id=desk.session)

    with open_book(desk.root) as book:
        before = book.load(number).description
        book.change(number, change, desk.note("revise_description", before=before))
    refresh(desk)
    reach("stage.linked")
    commit_documents(desk, f"task {number}: revise description")
    reach("stage.committed")
    put_aside(folder.path, "done")
    changes = answers["description"]["changes"]
    listed = [str(one) for one in changes] if isinstance(changes, list) else []
    text = f"the description of task {number} is revised: {composing.shorten(listed) or 'as wished'}"
    return StageEnd(True, DONE, text, f"planrail task show {number}", task=number)


def propose_plan(desk: Desk, folder: StageFolder) -> str:
    """Let `planrail approvals` list the plan of a stage; what a person should know where that failed, else "".

    The plan is written all the same. Proposed twice, it is one request.
    """
    try:
        propose(os.path.join(desk.root, folder.text("artifact")), agent=folder.text("agent"), root=desk.root)
    except PlanrailError as error:
        return f"{error.message}; {error.remedy}"
    except OSError as error:
        return f"it could not be noted that the plan waits for a yes: {error.strerror}"
    return ""


def after_plan(desk: Desk, number: int, path: str) -> str:
    """What follows a plan: a person's yes, or the work, where the settings ask for none."""
    is_asked = load_policy(desk.root, os.environ).required
    return f"planrail approve {from_here(desk, path)}" if is_asked else f"planrail task implement {number}"
