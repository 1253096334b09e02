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
from planrail.base.wording import clean, paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.gathering import find_folder, gather_all, gather_paper, save_index, save_report
from planrail.runs.reporting.index import list_open, render_index, state_of
from planrail.runs.reporting.json import describe_report
from planrail.runs.reporting.reports import PlanReport, make_lanes, render_report
from planrail.runs.reporting.timelines import render_bars
from planrail.team.named_plans import find_paper
from planrail.team.next_steps import command_to_go_on, find_rest


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--write", action="store_true", help="write reports/plan-SLUG.md and its picture")
    parser.add_argument("--all", action="store_true", help="the index of all plans, with what waits for a sign-off")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """Show the report, and write it where that was asked for."""
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
        plans = [_describe(report, list_open(report), state_of(report)) for report, _ in reports]
        print_json({"plans": plans, "report": os.path.relpath(written, root) if written else None})
        return 0
    sys.stdout.write(f"written: {os.path.relpath(written)}\n" if written else clean(render_index(reports, time.time())))
    print_next(f"planrail report {quote(reports[0][0].path)}" if reports else "planrail plans")
    return 0


def _describe(report: PlanReport, waiting: list[tuple[Attempt, str, str]], state: str) -> dict[str, object]:
    names = [name for _, name, _ in waiting]
    return {"plan": report.plan, "path": report.path, "status": state, "open": names}


def _print(paper: Paper, report: PlanReport, written: str) -> None:
    path = quote(paper.source.path)
    if written:
        say(f"written: {os.path.relpath(written)}")
        _print_bars(report)
    else:
        sys.stdout.write(clean(render_report(report)))
    rests = find_rest(paper.root, paper.id)
    if rests is not None:
        return print_next(command_to_go_on(rests))
    return print_next(f"planrail status {path}" if report.runs else f"planrail run {path}")


def _print_bars(report: PlanReport) -> None:
    for line in render_bars(make_lanes(report), report.now):
        say(paint(f"  {line}", "dim"))
