"""The report of a plan as data: what `planrail report --json` prints; the command says what is in it. Pure."""

from planrail.base.masking import mask
from planrail.base.run_model import Work
from planrail.base.wording import pick
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.phases import use_of
from planrail.runs.reporting.reports import PlanReport


def describe_report(report: PlanReport) -> dict[str, object]:
    newest = report.runs[0] if report.runs else None
    order = newest.order if newest is not None else None
    return {
        **pick(report, "plan path title"),
        "status": newest.state if newest is not None else None,
        "text": mask(newest.text) or None if newest is not None else None,
        "approved": bool(order.approval) if order is not None else None,
        "tests": order.test_mode if order is not None else None,
        "phases": [
            {"id": name, "title": title, "status": report.state_of(name), "done": report.is_done(name)}
            for name, title in report.phases
        ],
        "adopted": list(report.adopted),
        "unpushed": [commit for commit, _ in order.unpushed] if order is not None else [],
        "runs": [pick(run, "run=order.run began=order.began state") for run in report.runs],
        "attempts": [describe_attempt(attempt) for attempt in report.attempts],
    }


def describe_attempt(attempt: Attempt) -> dict[str, object]:
    tokens, cost = use_of(attempt)
    findings = [pick(found, "kind text place? failure=is_failure") for found in attempt.findings]
    return {
        **pick(attempt, "run phase attempt=number title status=state reason?"),
        "text": mask(attempt.text) or None,
        **pick(attempt, "by commit?"),
        "began": int(attempt.began),
        "seconds": round(attempt.seconds, 3),
        "tokens": tokens,
        "cost": round(cost, 6),
        "evidence": _evidence(attempt),
        "agents": [_describe_agent(step, work) for step, work in attempt.works],
        "verdict": _verdict(attempt),
        "findings": [{**found, "text": mask(str(found["text"]))} for found in findings],
        "signed_off_by": attempt.signed_by or None,
    }


def _evidence(attempt: Attempt) -> dict[str, object] | None:
    if attempt.evidence is None:
        return None
    base = {run.command: run.exit for run in attempt.baseline.runs} if attempt.baseline is not None else {}
    checks = [
        {
            "command": mask(run.command),
            **pick(run, "origin exit seconds tree"),
            "base_exit": base.get(run.command),
            "confined": run.confined.partition(",")[0] or "none",
            "output": mask(run.tail),
        }
        for run in attempt.evidence.runs
    ]
    return {"hash": attempt.evidence_hash or None, "tree": attempt.evidence.tree, "checks": checks}


def _describe_agent(step: str, work: Work) -> dict[str, object]:
    policy = "verifier" if step.startswith("verify") else "agent"
    return {"step": step, "policy": policy, "confined": work.confined.partition(",")[0] or "none"}


def _verdict(attempt: Attempt) -> dict[str, object] | None:
    verdict = attempt.verdict
    if verdict is None:
        return None
    items = [
        {"item": mask(item.item), **pick(item, "verdict place?"), "note": mask(item.note) or None}
        for item in verdict.items
    ]
    return {**pick(verdict, "passed by"), "items": items, "problems": [mask(problem) for problem in verdict.problems]}
