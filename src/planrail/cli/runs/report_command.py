"""The report of a plan on one screen; with --full every phase with its evidence, verdicts, commits and cost. It is made
anew from what is on record.

With --json: {"plan", "path", "title", "status", "text", "approved", "tests", "phases": [{"id", "title", "status",
"done"}], "adopted", "runs": [{"run", "began", "state"}], "attempts": [{"run", "phase", "attempt", "title", "status",
"reason", "text", "by", "commit", "began", "seconds", "tokens", "cost", "evidence": {"hash", "tree", "checks"},
"agents": [{"step", "policy", "confined"}], "verdict", "findings", "signed_off_by"}], "report": the file that was
written, or null}; with --all {"plans": [{"plan", "path", "status", "open": ids of the boxes that wait for a sign-off}],
"report"}.
"""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import PlanFile, project_root
from planrail.base.errors import refused_as
from planrail.base.identity import slug
from planrail.base.masking import mask
from planrail.base.run_model import Work
from planrail.base.wording import Answer, paint, pick, quote
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.gathering import (
    find_folder,
    find_written,
    gather_all,
    gather_plan,
    save_index,
    save_report,
)
from planrail.runs.reporting.pages import render_page
from planrail.runs.reporting.phases import use_of
from planrail.runs.reporting.reports import PlanReport, list_open, make_lanes, render_index, render_report, state_of
from planrail.runs.reporting.screens import render_screen
from planrail.runs.reporting.timelines import render_bars, render_timeline
from planrail.team.looking import look
from planrail.team.next_steps import following
from planrail.team.planned import find_plan_file


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


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--full", action="store_true", help="all of it: every attempt with its evidence and verdicts")
    parser.add_argument("--write", action="store_true", help="write reports/plan-SLUG.md and its picture")
    parser.add_argument("--html", metavar="FILE", help="write one page that needs nothing else, to send or to keep")
    parser.add_argument("--all", action="store_true", help="the index of all plans, with what waits for a sign-off")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    if arguments.all:
        return _answer_all(is_written=arguments.write)
    plan_file = find_plan_file(arguments.plan, "report")
    report = gather_plan(plan_file)
    written = (
        save_report(report, plan_file.root, find_folder(plan_file.root), slug(plan_file.path))
        if arguments.write
        else ""
    )
    if arguments.html:
        return _answer_page(arguments.html, report, plan_file)
    lines = [render_report(report).removesuffix("\n")] if arguments.full else _render_short(report, plan_file)
    if written:
        bars = (paint(f"  {line}", "dim") for line in render_bars(make_lanes(report), report.now))
        lines = [f"written: {os.path.relpath(written)}", *bars]
    told = {**describe_report(report), "report": os.path.relpath(written, plan_file.root) if written else None}
    return Answer(told, lines, command=following(look(plan_file, time.time())))


def _answer_page(path: str, report: PlanReport, plan_file: PlanFile) -> Answer:
    told, lanes = describe_report(report), make_lanes(report)
    picture = render_timeline(report.title, lanes, report.now) if lanes else ""
    needs = {phase.id: phase.depends_on for phase in plan_file.plan.phases}
    page = render_page(told, needs, picture, report.now)
    refusing = refused_as(f"{path} could not be written", "name a file that can be written")
    with refusing, open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(page)
    command = following(look(plan_file, time.time()))
    return Answer({**told, "report": path}, [f"written: {path}"], command=command)


def _render_short(report: PlanReport, plan_file: PlanFile) -> list[str]:
    file = find_written(plan_file.root, find_folder(plan_file.root), slug(plan_file.path))
    shown = os.path.relpath(file) if file else ""
    return render_screen(report, f"planrail report {quote(plan_file.source.path)} --full", shown)


def _answer_all(*, is_written: bool) -> Answer:
    """The index: every plan that was ever run."""
    root, written = project_root(os.getcwd()), ""
    reports = [(report, "") for report in gather_all(root)]
    if is_written:
        place = find_folder(root)
        reports = [(report, save_report(report, root, place, slug(report.path))) for report, _ in reports]
        written = save_index(reports, root, place)
    plans = [
        {**pick(report, "plan path"), "status": state_of(report), "open": [name for _, name, _ in list_open(report)]}
        for report, _ in reports
    ]
    index = f"written: {os.path.relpath(written)}" if written else render_index(reports, time.time())
    told = {"plans": plans, "report": os.path.relpath(written, root) if written else None}
    command = f"planrail report {quote(reports[0][0].path)}" if reports else "planrail plans"
    return Answer(told, [index.removesuffix("\n")], command=command)
