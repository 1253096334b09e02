"""The evidence of a task's work, gathered: what the ledger knows of its plan's phases, and git of their commits."""

import os
import time
from collections.abc import Sequence

from planrail.approval.book import open_paper
from planrail.git.git_writing import ask_git
from planrail.projects.settling import ON_THE_REMOTE
from planrail.runs.reporting.gathering import gather_paper
from planrail.runs.reporting.reports import PlanReport
from planrail.store.runs.run_history import DriftFact, EvidenceFact
from planrail.tasks.model import Task
from planrail.tasks.statuses import Phase
from planrail.tasks.summarising import PhaseWork, WorkDone
from planrail.tasks.work.plan_phases import plan_path


def gather_work(root: str, task: Task, phases: Sequence[Phase] | None, *, now: str, why: str = "") -> WorkDone:
    """What was done for a task. It reads only."""
    place = plan_path(root, task)
    if not place or not phases:
        return WorkDone(task, "", (), task.created, now, why)

    paper = open_paper(place)
    report = gather_paper(paper)
    done = [_phase_work(root, paper.path, phase, report) for phase in phases]
    return WorkDone(task, paper.path, done, _began(report) or task.created, now, why)


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
        notes=_notes(proof),
    )


def list_files(root: str, plan: str, commit: str) -> tuple[str, ...]:
    """The files of a commit, without the plan, in which planrail marks what is done."""
    said = ask_git(root, "diff-tree", "--no-commit-id", "--name-only", "-r", "-z", "--root", commit) or ""
    return tuple(name for name in said.split("\0") if name and name != plan)


def _describe_drift(drift: DriftFact) -> str:
    decided = f" ({drift.decision.replace('_', ' ')})" if drift.decision else ""
    return f"the plan stated {drift.stated} for {drift.field}, it was {drift.actual}{decided}"


def _notes(proof: EvidenceFact | None) -> tuple[str, ...]:
    return tuple(finding.text for finding in proof.findings if not finding.is_failure) if proof is not None else ()


def _began(report: PlanReport) -> str:
    """When the first run of the plan began, as documents have times."""
    began = min((run.order.began for run in report.runs if run.order.began), default=0)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(began)) if began else ""


def is_not_here(root: str, task: Task) -> bool:
    """Whether a phase has landed on the remote alone: its work is proven, and nobody has pulled it yet."""
    place = plan_path(root, task)
    if not place or not os.path.exists(os.path.join(root, ".git")):
        return False

    return any(fact.reason == ON_THE_REMOTE for fact in (gather_paper(open_paper(place)).facts or {}).values())
