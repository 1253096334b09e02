"""The report of a plan: every phase with its evidence, verdicts, commits and cost, made anew from what is on record.

With --json: {"plan", "path", "title", "status", "text", "approved", "tests", "phases": [{"id", "title", "status",
"done"}], "adopted", "runs": [{"run", "began", "state"}], "attempts": [{"run", "phase", "attempt", "title", "status",
"reason", "text", "by", "commit", "began", "seconds", "tokens", "cost", "evidence": {"hash", "tree", "checks"},
"verdict", "findings", "signed_off_by"}], "report": the file that was written, or null}; with --all {"plans": [{"plan",
"path", "status", "open": ids of the boxes that wait for a sign-off}], "report"}.
"""

import os
import sys
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import Paper, project_root
from planrail.base.identity import slug
from planrail.base.masking import mask
from planrail.base.run_model import Finding
from planrail.base.wording import clean, paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.gathering import find_folder, gather_all, gather_paper, save_index, save_report
from planrail.runs.reporting.index import list_open, render_index, state_of
from planrail.runs.reporting.phases import use_of
from planrail.runs.reporting.reports import PlanReport, make_lanes, render_report
from planrail.runs.reporting.timelines import render_bars
from planrail.team.next_steps import command_to_go_on, find_rest
from planrail.team.planned import find_paper


def describe_report(report: PlanReport) -> dict[str, object]:
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
        "findings": [_finding(found) for found in attempt.findings],
        "signed_off_by": attempt.signed_by or None,
    }


def _evidence(attempt: Attempt) -> dict[str, object] | None:
    if attempt.evidence is None:
        return None
    base = {run.command: run.exit for run in attempt.baseline.runs} if attempt.baseline is not None else {}
    checks = []
    for run in attempt.evidence.runs:
        told = {"command": mask(run.command), "origin": run.origin, "exit": run.exit, "seconds": run.seconds}
        checks.append({**told, "tree": run.tree, "base_exit": base.get(run.command)})
    return {"hash": attempt.evidence_hash or None, "tree": attempt.evidence.tree, "checks": checks}


def _verdict(attempt: Attempt) -> dict[str, object] | None:
    verdict, items = attempt.verdict, []
    if verdict is None:
        return None
    for item in verdict.items:
        told = {"item": mask(item.item), "verdict": item.verdict, "place": item.place or None}
        items.append({**told, "note": mask(item.note) or None})
    problems = [mask(problem) for problem in verdict.problems]
    return {"passed": verdict.passed, "by": verdict.by, "items": items, "problems": problems}


def _finding(found: Finding) -> dict[str, object]:
    told = {"kind": found.kind, "text": mask(found.text), "place": found.place or None}
    return {**told, "failure": found.is_failure}


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--write", action="store_true", help="write reports/plan-SLUG.md and its picture")
    parser.add_argument("--all", action="store_true", help="the index of all plans, with what waits for a sign-off")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    if arguments.all:
        return _run_all(arguments)
    paper = find_paper(arguments.plan, "report")
    report = gather_paper(paper)
    written = save_report(report, paper.root, find_folder(paper.root), slug(paper.path)) if arguments.write else ""
    if arguments.json:
        print_json({**describe_report(report), "report": os.path.relpath(written, paper.root) if written else None})
        return 0
    _print(paper, report, written)
    return 0


def _run_all(arguments: Namespace) -> int:
    """The index: every plan that was ever run."""
    root = project_root(os.getcwd())
    reports = [(report, "") for report in gather_all(root)]
    written = ""
    if arguments.write:
        place = find_folder(root)
        reports = [(report, save_report(report, root, place, slug(report.path))) for report, _ in reports]
        written = save_index(reports, root, place)
    if arguments.json:
        plans = []
        for report, _ in reports:
            told = {"plan": report.plan, "path": report.path, "status": state_of(report)}
            plans.append({**told, "open": [name for _, name, _ in list_open(report)]})
        print_json({"plans": plans, "report": os.path.relpath(written, root) if written else None})
        return 0
    sys.stdout.write(f"written: {os.path.relpath(written)}\n" if written else clean(render_index(reports, time.time())))
    print_next(f"planrail report {quote(reports[0][0].path)}" if reports else "planrail plans")
    return 0


def _print(paper: Paper, report: PlanReport, written: str) -> None:
    path = quote(paper.source.path)
    if written:
        say(f"written: {os.path.relpath(written)}")
        for line in render_bars(make_lanes(report), report.now):
            say(paint(f"  {line}", "dim"))
    else:
        sys.stdout.write(clean(render_report(report)))
    rests = find_rest(paper.root, paper.id)
    if rests is not None:
        return print_next(command_to_go_on(rests))
    return print_next(f"planrail status {path}" if report.runs else f"planrail run {path}")
