"""The evidence of a task's work, gathered: what the ledger knows of its plan's phases, and git of their commits."""

import os
import tempfile
import time
from collections.abc import Sequence

from planrail.approval.book import Paper, open_paper
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.wording import name_some, quote
from planrail.git.git_writing import ask_git
from planrail.projects.settling import ON_THE_REMOTE
from planrail.runs.reporting.gathering import gather_paper
from planrail.runs.reporting.reports import PlanReport
from planrail.store.runs.run_history import DriftFact
from planrail.tasks.model import Task
from planrail.tasks.statuses import Phase
from planrail.tasks.summarising import PhaseWork, WorkDone
from planrail.tasks.work.plan_phases import plan_path

_MOST = 3  # files that are named


def gather_work(root: str, task: Task, phases: Sequence[Phase] | None, *, now: str, why: str = "") -> WorkDone:
    place = plan_path(root, task)
    if not place or not phases:
        return WorkDone(task, "", (), task.created, now, why)

    paper = open_paper(place)
    report = gather_paper(paper)
    done = [_phase_work(root, paper.path, phase, report) for phase in phases]
    began = min((run.order.began for run in report.runs if run.order.began), default=0)
    started = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)) if began else task.created
    return WorkDone(task, paper.path, done, started, now, why)


def _phase_work(root: str, plan: str, phase: Phase, report: PlanReport) -> PhaseWork:
    fact = (report.facts or {}).get(phase.id)
    if fact is None:
        return PhaseWork(phase)
    proof = next((one for one in reversed(report.history.evidence) if one.hash and one.hash == fact.evidence), None)
    return PhaseWork(
        phase,
        commit=fact.commit,
        by=fact.by,
        checks=tuple(dict.fromkeys(run.command for run in proof.runs)) if proof is not None else (),
        files=list_files(root, plan, fact.commit) if fact.commit else (),
        drift=tuple(_describe_drift(one) for one in report.history.drift if one.phase == phase.id),
        notes=tuple(one.text for one in proof.findings if not one.is_failure) if proof is not None else (),
    )


def list_files(root: str, plan: str, commit: str) -> tuple[str, ...]:
    """The files of a commit, without the plan, in which planrail marks what is done."""
    said = ask_git(root, "diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--root", commit) or ""
    return tuple(name for name in said.split("\0") if name and name != plan)


def _describe_drift(drift: DriftFact) -> str:
    decided = f" ({drift.decision.replace('_', ' ')})" if drift.decision else ""
    return f"the plan stated {drift.stated} for {drift.field}, it was {drift.actual}{decided}"


def is_not_here(root: str, task: Task) -> bool:
    """Whether a phase has landed on the remote alone: its work is proven, and nobody has pulled it yet."""
    place = plan_path(root, task)
    if not place or not os.path.exists(os.path.join(root, ".git")):
        return False

    return any(fact.reason == ON_THE_REMOTE for fact in (gather_paper(open_paper(place)).facts or {}).values())


def refuse_undone(root: str, task: Task) -> None:
    """Raise a `PlanrailError` where a phase that has landed does not hold any more, and name it."""
    place = plan_path(root, task)
    if not place or not os.path.exists(os.path.join(root, ".git")):
        return

    paper = open_paper(place)
    facts = gather_paper(paper).facts or {}
    commits = {name: fact.commit for name, fact in facts.items() if fact.is_done and fact.commit}
    known = ("rev-list", "--topo-order", "--max-count=1", *sorted(set(commits.values())))
    newest = (ask_git(root, *known) or "").strip() if commits else ""
    since = ask_git(root, "diff", "--name-only", "--no-renames", "-z", newest, "HEAD") if newest else ""
    changed = set((since or "").split("\0"))
    for phase, commit in commits.items():
        files = [name for name in list_files(root, paper.path, commit) if name in changed] if newest else []
        failed = _find_failing(paper, phase, newest) if files else ""
        if failed:
            named = name_some(files, _MOST)
            raise PlanrailError(
                f"phase {phase} has landed, and does not hold any more: later commits changed {named}, and {failed}",
                remedy=f"planrail run {quote(os.path.relpath(paper.place))} {quote(phase)} auto --again",
            )


def _find_failing(paper: Paper, phase: str, newest: str) -> str:
    """What speaks against a phase on HEAD, and did not when the plan was done; "" for nothing."""
    from planrail.runs.in_session.base_tree import open_base_tree
    from planrail.runs.in_session.cases import Base, open_case

    case = open_case(paper.place, phase, paper.root)
    asked = ("HEAD^{commit}", "HEAD^{tree}", f"{newest}^{{tree}}")
    commit, now, then = (ask_git(case.root, "rev-parse", *asked) or "").split()
    standing = replace(case, base=Base(commit, now))
    with tempfile.TemporaryDirectory(prefix="planrail-") as outputs, open_base_tree(standing, outputs) as tree:
        if tree.fitted.made.problem:
            return f"nobody can check it: {tree.fitted.made.problem}"
        failed = [run.command for run in tree.run(case.order.checks, now, "now") if run.exit]
        before = {run.command for run in tree.run(case.order.checks, then, "then") if run.exit} if failed else set()
    return next((f"`{command.strip()}` fails on HEAD" for command in failed if command not in before), "")
