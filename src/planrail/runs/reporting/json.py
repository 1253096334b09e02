"""A report for programs. Pure. Secrets of known shapes are masked."""

from planrail.base.masking import mask
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.phases import use_of
from planrail.runs.reporting.reports import PlanReport


def describe_report(report: PlanReport) -> dict[str, object]:
    """The whole report."""
    newest = report.runs[0] if report.runs else None
    return {
        "plan": report.plan,
        "path": report.path,
        "title": report.title,
        "status": newest.state if newest is not None else None,
        "text": mask(newest.text) or None if newest is not None else None,
        "approved": bool(newest.order.approval) if newest is not None else None,
        "tests": newest.order.test_mode if newest is not None else None,
        "phases": [
            {"id": name, "title": title, "status": report.state_of(name), "done": report.is_done(name)}
            for name, title in report.phases
        ],
        "adopted": list(report.adopted),
        "unpushed": [commit for commit, _ in newest.order.unpushed] if newest is not None else [],
        "runs": [{"run": run.order.run, "began": run.order.began, "state": run.state} for run in report.runs],
        "attempts": [describe_attempt(attempt) for attempt in report.attempts],
    }


def describe_attempt(attempt: Attempt) -> dict[str, object]:
    """One attempt of a phase."""
    tokens, cost = use_of(attempt)
    return {
        "run": attempt.run,
        "phase": attempt.phase,
        "attempt": attempt.number,
        "title": attempt.title,
        "status": attempt.state,
        "reason": attempt.reason or None,
        "text": mask(attempt.text) or None,
        "by": attempt.by,
        "commit": attempt.commit or None,
        "began": int(attempt.began),
        "seconds": round(attempt.seconds, 3),
        "tokens": tokens,
        "cost": round(cost, 6),
        "evidence": _evidence(attempt),
        "verdict": _verdict(attempt),
        "findings": _findings(attempt),
        "signed_off_by": attempt.signed_by or None,
    }


def _evidence(attempt: Attempt) -> dict[str, object] | None:
    if attempt.evidence is None:
        return None
    base = {run.command: run.exit for run in attempt.baseline.runs} if attempt.baseline is not None else {}
    checks = [
        {
            "command": mask(run.command),
            "origin": run.origin,
            "exit": run.exit,
            "seconds": run.seconds,
            "tree": run.tree,
            "base_exit": base.get(run.command),
        }
        for run in attempt.evidence.runs
    ]
    return {"hash": attempt.evidence_hash or None, "tree": attempt.evidence.tree, "checks": checks}


def _verdict(attempt: Attempt) -> dict[str, object] | None:
    verdict = attempt.verdict
    if verdict is None:
        return None
    items = [
        {
            "item": mask(item.item),
            "verdict": item.verdict,
            "place": item.place or None,
            "note": mask(item.note) or None,
        }
        for item in verdict.items
    ]
    problems = [mask(problem) for problem in verdict.problems]
    return {"passed": verdict.passed, "by": verdict.by, "items": items, "problems": problems}


def _findings(attempt: Attempt) -> list[dict[str, object]]:
    return [
        {
            "kind": finding.kind,
            "text": mask(finding.text),
            "place": finding.place or None,
            "failure": finding.is_failure,
        }
        for finding in attempt.findings
    ]
