"""A task comes to its end: its summary from evidence, its plan and the roadmap in step, one commit.

The evidence is what the ledger knows of its plan's phases, and git of their commits. Killed anywhere, the same call
does it again: the summary of a call that died is written anew at its place, and what was recorded is committed.
"""

import os
import tempfile
import time
from collections.abc import Callable, Sequence

from planrail.approval.book import PlanFile, open_plan_file
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import name_some, quote
from planrail.git.git_writing import ask_git
from planrail.projects.proof_reading import ON_THE_REMOTE
from planrail.runs.reporting.gathering import gather_plan
from planrail.runs.reporting.reports import PlanReport
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.context.committing import commit_documents
from planrail.tasks.context.context import Context, apply, refresh
from planrail.tasks.context.files import change_file, exists, find_roadmap, is_committed, read_document, write_document
from planrail.tasks.documents.formats import STANDARDS
from planrail.tasks.documents.plan_headers import set_header_status
from planrail.tasks.documents.rendering import render_summary
from planrail.tasks.documents.roadmap import tick_roadmap
from planrail.tasks.model import PLAN, SUMMARY, Artifact, Task, latest, link
from planrail.tasks.naming import artifact_path
from planrail.tasks.statuses import COMPLETED, Refuse, Stay, TaskPhase, decide_event, marker
from planrail.tasks.summarising import PhaseWork, WorkDone, describe_completion, list_plan_files, summarise
from planrail.tasks.work.plan_phases import find_edit, plan_path, read_phases

_HEAD = 4000  # characters in which a document says what it is
_MOST = 3  # files that are named
COMPLETE = "complete"


@record
class WorkEnd:
    """What came of the work on a task. `state` is that of the run, complete, or changed; `reason`: why a run failed.

    `summary` is a path. `is_new`: it was not, or not all of it was on record, before this call.
    """

    task: Task
    state: str
    text: str
    command: str
    reason: str = ""
    summary: str = ""
    commit: str = ""
    is_new: bool = True

    @property
    def is_complete(self) -> bool:
        return self.task.status == COMPLETED


def complete(context: Context, number: int, *, force: bool = False, why: str = "", is_fresh: bool = False) -> WorkEnd:
    """Complete a task whose plan is done; a `PlanrailError` names the open phases. The caller holds the task.

    `is_fresh`: all of it was proven just now. Else what was changed since is checked once more.
    """
    task = context.load(number)
    phases = read_phases(context.root, task)
    decision = decide_event(task, "complete", phases, force=force)
    if isinstance(decision, Refuse):
        refusal = find_edit(context.root, task) or decision
        raise PlanrailError(refusal.text, remedy=refusal.remedy)
    if isinstance(decision, Stay):
        return settle(context, task)
    if not force and not is_fresh:
        _refuse_undone(context.root, task)
    work = _gather_work(context.root, task, phases, now=context.now(), why=why if force else "")
    plan = latest(task, PLAN)
    round_ = max(task.round, plan.round if plan is not None else 0, 1)
    artifact = Artifact(SUMMARY, _summary_path(context, task, round_), describe_completion(work), round_)
    text = render_summary(task, summarise(work), list_plan_files(task), work.started, work.completed)
    write_document(context.root, artifact.path, text)
    reach("task.summary_written")

    def conclude(moved: Task) -> Task:
        return replace(link(moved, artifact), completion_summary=artifact.summary, resume_phase="")

    done, _ = apply(context, number, "complete", force=force, why=why, phases=phases, more=conclude)
    reach("task.completed")
    return _end(done, artifact.path, _commit(context, done, artifact.path))


def settle(context: Context, task: Task) -> WorkEnd:
    """What a call that died has left of a completed task: the views, the plan's header, the roadmap, the commit.

    By its summary, which no commit has, one knows that there was such a call.
    """
    refresh(context)
    artifact = latest(task, SUMMARY)
    summary = artifact.path if artifact is not None else ""
    if not summary or not context.commit or is_committed(context.root, summary) or not exists(context.root, summary):
        return replace(_end(task, summary), is_new=False)
    commit = _commit(context, task, summary)
    return replace(_end(task, summary, commit), is_new=bool(commit))


def _end(task: Task, summary: str, commit: str = "") -> WorkEnd:
    text = f"task {task.number} is completed: {task.completion_summary}"
    return WorkEnd(task, COMPLETE, text, f"planrail task show {task.number}", summary=summary, commit=commit)


def _commit(context: Context, task: Task, summary: str) -> str:
    paths = [summary, *_keep_in_step(context, task)]
    reach("task.in_step")
    commit, owed = commit_documents(context, f"task {task.number}: complete implementation", paths)
    if owed:
        context.tell(owed)
    return commit


def _summary_path(context: Context, task: Task, round_: int) -> str:
    taken = {artifact.path for artifact in task.artifacts}
    while True:
        path = artifact_path(task, SUMMARY, round_, task.title, taken, context.folder)
        head = (read_document(context.root, path) or "")[:_HEAD]
        is_ours = f"- **Task**: {task.number} - " in head and f"- **Standards**: {STANDARDS[SUMMARY]}" in head
        if not exists(context.root, path) or (is_ours and not is_committed(context.root, path)):  # of a dead process
            return path
        taken.add(path)


def _keep_in_step(context: Context, task: Task) -> list[str]:
    """Let the plan and the roadmap say that the task is done; the files whose only change that is.

    One that cannot be written is complained of: the task is completed all the same.
    """
    changes: dict[str, Callable[[str], str]] = {}
    plan, roadmap = latest(task, PLAN), find_roadmap(context.root, context.folder)
    if plan is not None and plan_path(context.root, task):
        changes[plan.path] = lambda text: set_header_status(text, COMPLETED)
    if roadmap:
        changes[roadmap] = lambda text: tick_roadmap(text, task)
    done = []
    for path, change in changes.items():
        try:
            done += [path] if change_file(context.root, path, change) else []
        except PlanrailError as error:
            context.tell(error.message, error.remedy)
        except OSError as error:
            context.tell(f"{path} could not be written: {error.strerror or error}")
    return done


def keep_views(context: Context, task: Task) -> str:
    """Commit the views as they are now, if they are not: `task 7: partial`. The commit, "" where there is none.

    Nothing is committed where work is to be fast-forwarded to: it lands on a remote, or waits on a branch for a person
    who merges it. The user's branch would have gone another way. The next commit about a task takes the views along.
    """
    waiting = ("for-each-ref", "--contains", "HEAD", "--no-merged", "HEAD", "refs/heads/planrail/")
    if not context.commit or ask_git(context.root, *waiting):
        return ""
    place = plan_path(context.root, task)
    run = next(iter(list_runs(context.root, open_plan_file(place, context.root).id)), None) if place else None
    if run is not None and (run.order.remote or run.order.options.landing == "pr"):
        return ""
    return commit_documents(context, f"task {task.number}: {marker(task.status).lower()}")[0]


# ---- evidence ----


def _gather_work(root: str, task: Task, phases: Sequence[TaskPhase] | None, *, now: str, why: str) -> WorkDone:
    place = plan_path(root, task)
    if not place or not phases:
        return WorkDone(task, "", (), task.created, now, why)
    plan_file = open_plan_file(place)
    report = gather_plan(plan_file)
    done = [_phase_work(root, plan_file.path, phase, report) for phase in phases]
    began = min((run.order.began for run in report.runs if run.order.began), default=0)
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)) if began else task.created
    return WorkDone(task, plan_file.path, done, started, now, why)


def _phase_work(root: str, plan: str, phase: TaskPhase, report: PlanReport) -> PhaseWork:
    fact = (report.facts or {}).get(phase.id)
    if fact is None:
        return PhaseWork(phase)
    proof = next((one for one in reversed(report.history.evidence) if one.hash and one.hash == fact.evidence), None)
    drift = []
    for one in report.history.drift:
        decided = f" ({one.decision.replace('_', ' ')})" if one.decision else ""
        told = f"the plan stated {one.stated} for {one.field}, it was {one.actual}{decided}"
        drift += [told] if one.phase == phase.id else []
    return PhaseWork(
        phase,
        commit=fact.commit,
        by=fact.by,
        checks=tuple(dict.fromkeys(run.command for run in proof.runs)) if proof is not None else (),
        files=_list_files(root, plan, fact.commit) if fact.commit else (),
        drift=tuple(drift),
        notes=tuple(one.text for one in proof.findings if not one.is_failure) if proof is not None else (),
    )


def _list_files(root: str, plan: str, commit: str) -> tuple[str, ...]:
    """The files of a commit, without the plan, in which planrail marks what is done."""
    said = ask_git(root, "diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--root", commit) or ""
    return tuple(name for name in said.split("\0") if name and name != plan)


def _open_landed(root: str, task: Task) -> PlanFile | None:
    """The plan of a task in a repository, where phases can have landed."""
    place = plan_path(root, task)
    return open_plan_file(place) if place and os.path.exists(os.path.join(root, ".git")) else None


def is_not_here(root: str, task: Task) -> bool:
    """Whether a phase has landed on the remote alone: its work is proven, and nobody has pulled it yet."""
    plan_file = _open_landed(root, task)
    facts = (gather_plan(plan_file).facts if plan_file is not None else None) or {}
    return any(fact.reason == ON_THE_REMOTE for fact in facts.values())


def _refuse_undone(root: str, task: Task) -> None:
    """Raise a `PlanrailError` where a phase that has landed does not hold any more, and name it."""
    plan_file = _open_landed(root, task)
    if plan_file is None:
        return
    facts = gather_plan(plan_file).facts or {}
    commits = {name: fact.commit for name, fact in facts.items() if fact.is_done and fact.commit}
    known = ("rev-list", "--topo-order", "--max-count=1", *sorted(set(commits.values())))
    newest = (ask_git(root, *known) or "").strip() if commits else ""
    since = ask_git(root, "diff", "--name-only", "--no-renames", "-z", newest, "HEAD") if newest else ""
    changed = set((since or "").split("\0"))
    for phase, commit in commits.items():
        files = [name for name in _list_files(root, plan_file.path, commit) if name in changed] if newest else []
        failed = _find_failing(plan_file, phase, newest) if files else ""
        if failed:
            named = name_some(files, _MOST)
            raise PlanrailError(
                f"phase {phase} has landed, and does not hold any more: later commits changed {named}, and {failed}",
                remedy=f"planrail run {quote(os.path.relpath(plan_file.place))} {quote(phase)} auto --again",
            )


def _find_failing(plan_file: PlanFile, phase: str, newest: str) -> str:
    """What speaks against a phase on HEAD, and did not when the plan was done; "" for nothing."""
    from planrail.runs.in_session.base_tree import open_base_tree
    from planrail.runs.in_session.cases import Base, open_case

    case = open_case(plan_file.place, phase, plan_file.root)
    asked = ("HEAD^{commit}", "HEAD^{tree}", f"{newest}^{{tree}}")
    commit, now, then = (ask_git(case.root, "rev-parse", *asked) or "").split()
    standing = replace(case, base=Base(commit, now))
    with tempfile.TemporaryDirectory(prefix="planrail-") as outputs, open_base_tree(standing, outputs) as tree:
        if tree.fitted.made.problem:
            return f"nobody can check it: {tree.fitted.made.problem}"
        failed = [run.command for run in tree.run(case.order.checks, now, "now") if run.exit]
        before = {run.command for run in tree.run(case.order.checks, then, "then") if run.exit} if failed else set()
    return next((f"`{command.strip()}` fails on HEAD" for command in failed if command not in before), "")
