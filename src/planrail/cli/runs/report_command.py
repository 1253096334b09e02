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
from planrail.base.wording import Answer, paint, pick, quote
from planrail.runs.reporting.described import describe_report
from planrail.runs.reporting.gathering import (
    find_folder,
    find_written,
    gather_all,
    gather_plan,
    save_index,
    save_report,
)
from planrail.runs.reporting.pages import render_page
from planrail.runs.reporting.reports import PlanReport, list_open, make_lanes, render_index, render_report, state_of
from planrail.runs.reporting.screens import render_screen
from planrail.runs.reporting.timelines import render_bars, render_timeline
from planrail.team.looking import look
from planrail.team.next_steps import following
from planrail.team.planned import find_plan_file


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
