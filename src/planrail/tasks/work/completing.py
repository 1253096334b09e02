"""A task comes to its end: its summary from evidence, its plan and the roadmap in step, one commit.

Killed anywhere, the same call does it again: the summary of a call that died is written anew at its place, and what was
recorded and not committed is committed.
"""

from collections.abc import Callable, Sequence

from planrail.approval.book import open_paper
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.git.git_writing import ask_git
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.book.task_rows import open_book
from planrail.tasks.desk.desk import Desk, apply, refresh
from planrail.tasks.desk.documents import change_file, exists, find_roadmap, is_committed, read_document, write_document
from planrail.tasks.documents.formats import STANDARDS
from planrail.tasks.documents.plan_headers import set_header_status
from planrail.tasks.documents.rendering import render_summary
from planrail.tasks.documents.roadmap import tick_roadmap
from planrail.tasks.model import PLAN, SUMMARY, Artifact, Task, latest, link
from planrail.tasks.naming import artifact_path
from planrail.tasks.stages.owed_commits import commit_documents
from planrail.tasks.statuses import COMPLETED, Phase, Refuse, Stay, decide_event, marker
from planrail.tasks.summarising import describe_completion, list_papers, summarise
from planrail.tasks.work.plan_phases import find_edit, plan_path, read_phases
from planrail.tasks.work.summaries import gather_work, refuse_undone

_HEAD = 4000  # characters in which a document says what it is
MESSAGE = "task {}: complete implementation"


@record
class Completed:
    """A task that is completed. `is_new`: it was not, or not all of it was on record, before this call."""

    task: Task
    summary: str  # the path
    commit: str
    is_new: bool = True


def complete(desk: Desk, number: int, *, force: bool = False, why: str = "", is_fresh: bool = False) -> Completed:
    """Complete a task whose plan is done; a `PlanrailError` names the open phases. Who calls this holds the task.

    `is_fresh`: all of it was proven just now. Else what was changed since is checked once more.
    """
    with open_book(desk.root) as book:
        task = book.load(number)
    phases = read_phases(desk.root, task)
    decision = decide_event(task, "complete", phases, force=force)
    if isinstance(decision, Refuse):
        refusal = find_edit(desk.root, task) or decision
        raise PlanrailError(refusal.text, remedy=refusal.remedy)
    if isinstance(decision, Stay):
        return settle(desk, task)
    if not force and not is_fresh:
        refuse_undone(desk.root, task)
    work = gather_work(desk.root, task, phases, now=desk.now(), why=why if force else "")
    summary = _summary_path(desk, task)
    text = render_summary(task, summarise(work), list_papers(task), work.started, work.completed)
    write_document(desk.root, summary, text)
    reach("task.summary_written")
    return _record(desk, task, phases, Artifact(SUMMARY, summary, describe_completion(work), _round(task)), why, force)


def settle(desk: Desk, task: Task) -> Completed:
    """What a call that died has left of a completed task: the views, the plan's header, the roadmap, the commit.

    By its summary, which no commit has, one knows that there was such a call.
    """
    refresh(desk)
    artifact = latest(task, SUMMARY)
    summary = artifact.path if artifact is not None else ""
    if not summary or not desk.commit or is_committed(desk.root, summary) or not exists(desk.root, summary):
        return Completed(task, summary, "", is_new=False)
    commit = _commit(desk, task, [summary, *_keep_in_step(desk, task)])
    return Completed(task, summary, commit, is_new=bool(commit))


def _record(
    desk: Desk,
    task: Task,
    phases: Sequence[Phase] | None,
    artifact: Artifact,
    why: str,
    force: bool,  # noqa: FBT001 - handed on
) -> Completed:
    def conclude(moved: Task) -> Task:
        return replace(link(moved, artifact), completion_summary=artifact.summary, resume_phase="")

    done, _ = apply(desk, task.number, "complete", force=force, why=why, phases=phases, more=conclude)
    reach("task.completed")
    paths = [artifact.path, *_keep_in_step(desk, done)]
    reach("task.in_step")
    return Completed(done, artifact.path, _commit(desk, done, paths))


def _commit(desk: Desk, task: Task, paths: Sequence[str]) -> str:
    commit, owed = commit_documents(desk, MESSAGE.format(task.number), paths)
    if owed:
        desk.tell(owed)
    return commit


def _round(task: Task) -> int:
    plan = latest(task, PLAN)
    return max(task.round, plan.round if plan is not None else 0, 1)


def _summary_path(desk: Desk, task: Task) -> str:
    taken = {artifact.path for artifact in task.artifacts}
    while True:
        path = artifact_path(task, SUMMARY, _round(task), task.title, taken, desk.folder)
        head = (read_document(desk.root, path) or "")[:_HEAD]
        is_ours = f"- **Task**: {task.number} - " in head and f"- **Standards**: {STANDARDS[SUMMARY]}" in head
        if not exists(desk.root, path) or (is_ours and not is_committed(desk.root, path)):  # left by who died
            return path
        taken.add(path)


def _keep_in_step(desk: Desk, task: Task) -> list[str]:
    """Let the plan and the roadmap say that the task is done; the files whose only change that is.

    One that cannot be written is complained of: the task is completed all the same.
    """
    changes: dict[str, Callable[[str], str]] = {}
    plan, roadmap = latest(task, PLAN), find_roadmap(desk.root, desk.folder)
    if plan is not None and plan_path(desk.root, task):
        changes[plan.path] = lambda text: set_header_status(text, COMPLETED)
    if roadmap:
        changes[roadmap] = lambda text: tick_roadmap(text, task)
    done = []
    for path, change in changes.items():
        try:
            done += [path] if change_file(desk.root, path, change) else []
        except PlanrailError as error:
            desk.tell(error.message, error.remedy)
        except OSError as error:
            desk.tell(f"{path} could not be written: {error.strerror or error}")
    return done


def keep_views(desk: Desk, task: Task) -> str:
    """Commit the views as they are now, if they are not: `task 7: partial`. The commit, "" where there is none.

    Nothing is committed where work is to be fast-forwarded to: it lands on a remote, or waits on a branch for a person
    who merges it. The user's branch would have gone another way. The next commit about a task takes the views along.
    """
    waiting = ("for-each-ref", "--contains", "HEAD", "--no-merged", "HEAD", "refs/heads/planrail/")
    if not desk.commit or ask_git(desk.root, *waiting) or _lands_on_remote(desk.root, task):
        return ""
    commit, _ = commit_documents(desk, f"task {task.number}: {marker(task.status).lower()}")
    return commit


def _lands_on_remote(root: str, task: Task) -> bool:
    place = plan_path(root, task)
    if not place:
        return False

    run = next(iter(list_runs(root, open_paper(place, root).id)), None)
    return run is not None and (bool(run.order.remote) or run.order.options.landing == "pr")
