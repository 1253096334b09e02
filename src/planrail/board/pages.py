"""What is each page made of? One function for each, which reads and answers with a document.

Most of it is what a command says with --json, asked in this process: the page and the terminal say the same.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from planrail import __version__
from planrail.approval.book import PlanFile, open_plan_file
from planrail.base.errors import UsageError
from planrail.base.masking import mask
from planrail.base.wording import pick
from planrail.board.asking import Board, Document, PageRequest
from planrail.board.reviewing import describe_review
from planrail.git.git_writing import run_git
from planrail.runs.reporting.attempts import Attempt
from planrail.runs.reporting.described import describe_report
from planrail.runs.reporting.gathering import gather_all, gather_plan
from planrail.runs.reporting.graphs import render_graph
from planrail.runs.reporting.pages import list_nodes
from planrail.runs.reporting.reports import make_lanes
from planrail.runs.reporting.timelines import render_timeline
from planrail.store.runs.run_folders import list_runs
from planrail.tasks.book.task_rows import read_book
from planrail.tasks.context.looks import describe_brief
from planrail.tasks.statuses import STATUSES, TERMINAL

_STYLE = re.compile("<style>.*?</style>", re.DOTALL)
_EVENTS, _CARDS = 200, 30
_MOST_DIFF = 400_000  # characters
_NEEDS_A_PERSON = ("paused", "parked", "waiting", "failed", "stopped", "interrupted")


def open_plan(asked: PageRequest) -> PlanFile:
    os.chdir(asked.project.root)  # a plan is named as one would type it there
    return open_plan_file(asked.plan, asked.project.root)


def show_start(board: Board, _asked: PageRequest) -> Document:
    projects = [{"key": project.key, "name": project.name, "root": project.root} for project in board.projects.values()]
    return {"version": __version__, "projects": projects, "read_only": board.read_only or None}


def show_inbox(board: Board, asked: PageRequest) -> Document:
    """What waits for a person, in all projects; and what is under way."""
    waiting, live = list[Document](), list[Document]()
    for project in board.projects.values():
        here = PageRequest(project, {})
        runs = board.tell(here, "list", "runs")["runs"]
        newest = {run["plan"]: run for run in reversed(runs)}
        found = [*_list_asked(board.tell(here, "list", "approvals")), *_list_runs(newest.values())]
        found += _list_sign_offs(board.tell(here, "report", "--all"))
        found += _list_held(board.tell(here, "list", "upcoming"))
        waiting += [{**entry, "project": project.key, "where": project.name} for entry in found]
        live += [{**run, "project": project.key, "where": project.name} for run in newest.values() if run["live"]]
    return {"waiting": sorted(waiting, key=lambda entry: -(entry["at"] or 0)), "live": live}


def _entry(kind: str, told: Document, text: str, command: str, at: float | None = None) -> Document:
    title = told.get("title") or told.get("path")
    return {"kind": kind, "title": title, "path": told["path"], "text": text, "command": command, "at": at}


def _list_asked(told: Document) -> Iterator[Document]:
    asked = {request["plan"] for request in told["requests"]}
    for request in told["requests"]:
        lead = f", of {request['lead']}" if request["lead"] else ""
        text = f"asks for an approval of strength {request['strength']}{lead}"
        yield _entry("approval", request, text, f"planrail approve {request['id']}", request["at"])
    for plan in told["plans"]:
        if plan["state"] == "changed" and plan["plan"] not in asked:
            yield _entry(
                "changed", plan, "its text has changed since it was approved", f"planrail approve {plan['path']}"
            )


def _list_runs(runs: Sequence[Document] | Any) -> Iterator[Document]:
    for run in runs:
        if run["state"] in _NEEDS_A_PERSON:
            yield _entry(run["state"], run, run["text"] or "", run["next"], run["started"] + run["elapsed"])


def _list_sign_offs(told: Document) -> Iterator[Document]:
    for plan in told["plans"]:
        if plan["open"]:
            text = f"a person has to look at: {', '.join(plan['open'])}"
            yield _entry("sign-off", plan, text, f"planrail sign-off {plan['path']}")


def _list_held(told: Document) -> Iterator[Document]:
    for row in told["upcoming"]:
        if row["next"] is None:
            yield _entry("schedule", row, row["why"] or "its schedule is held", told["next"])


def show_plans(board: Board, asked: PageRequest) -> Document:
    told = board.tell(asked, "list", "plans", "--all" if asked.get("all") else "--json")
    root = os.path.realpath(asked.project.root)
    plans = [{**plan, "path": os.path.relpath(os.path.realpath(plan["path"]), root)} for plan in told["plans"]]
    return {"plans": [plan for plan in plans if not plan["path"].startswith("..")]}


def show_plan(_board: Board, asked: PageRequest) -> Document:
    return describe_review(open_plan(asked), time.time())


def show_run(board: Board, asked: PageRequest) -> Document:
    """How the run of a plan stands, and what happened last."""
    plan = asked.plan
    log = board.tell(asked, "log", "--", plan)
    newest = next(iter(list_runs(asked.project.root, log["plan"])), None)
    limits = newest.order.options.budget.plan if newest is not None else None
    ceiling = pick(limits, "money? tokens? minutes? attempts?") if limits is not None else None
    return {**board.tell(asked, "status", "--", plan), "events": log["events"][-_EVENTS:], "ceiling": ceiling}


def show_report(_board: Board, asked: PageRequest) -> Document:
    """Evidence, timeline, costs and the picture of a plan."""
    plan_file = open_plan(asked)
    report = gather_plan(plan_file)
    told, lanes = describe_report(report), make_lanes(report)
    graph = render_graph(report.title, list_nodes(told, {one.id: one.depends_on for one in plan_file.plan.phases}))
    timeline = render_timeline(report.title, lanes, report.now) if lanes else ""
    return {**told, "graph": _STYLE.sub("", graph), "timeline": _STYLE.sub("", timeline)}


def show_diff(_board: Board, asked: PageRequest) -> Document:
    """The work of an attempt against its base: what landed, else what was kept of it."""
    report = gather_plan(open_plan(asked))
    name = (asked.get("run"), asked.get("phase"), asked.get("attempt"))
    found = next((one for one in report.attempts if (one.run, one.phase, str(one.number)) == name), None)
    if found is None:
        raise UsageError("there is no such attempt", remedy="open it from the evidence")
    text, what = _read_diff(asked.project.root, found)
    is_cut, shown = len(text) > _MOST_DIFF, mask(text[:_MOST_DIFF])
    return {"title": found.title, "what": what, "is_cut": is_cut, "text": shown, "commit": found.commit or None}


def _read_diff(root: str, attempt: Attempt) -> tuple[str, str]:
    options = ("--no-color", "--no-ext-diff", "--no-textconv", "-M")
    if attempt.commit:
        return run_git(root, "show", "--format=", *options, attempt.commit, "--"), "as it landed"
    if attempt.snapshot is not None:
        pair = (attempt.snapshot.base, attempt.snapshot.commit)
        return run_git(root, "diff", *options, *pair, "--"), "kept, not landed"
    return "", "nothing was kept of it so far"


def show_tasks(_board: Board, asked: PageRequest) -> Document:
    """The tasks by their states: of each how many, and the first cards; `status` and `from` ask for more of one."""
    with read_book(asked.project.root) as book:
        briefs = list(book.briefs())
    undone = {task.number for task in briefs if task.status not in TERMINAL}
    begin = int(asked.get("from")) if asked.get("from").isdecimal() else 0
    columns = []
    for status in [asked.get("status")] if asked.get("status") in STATUSES else STATUSES:
        found = [task for task in reversed(briefs) if task.status == status]
        cards = [
            {**describe_brief(task), "blocked_by": [need for need in task.dependencies if need in undone]}
            for task in found[begin : begin + _CARDS]
        ]
        columns.append({"status": status, "count": len(found), "from": begin, "tasks": cards})
    return {"columns": [column for column in columns if column["count"] or asked.get("status")]}


def show_task(board: Board, asked: PageRequest) -> Document:
    if not asked.get("number").isdecimal():
        raise UsageError("a task is known by its number", remedy="planrail task list")
    return board.tell(asked, "task", "show", asked.get("number"))


def show_queue(board: Board, asked: PageRequest) -> Document:
    return {**board.tell(asked, "queue"), **board.tell(asked, "list", "upcoming")}


def show_costs(_board: Board, asked: PageRequest) -> Document:
    """What each plan, phase and attempt has used. A program that tells nothing is shown as unknown, not as nothing."""
    plans = []
    for report in gather_all(asked.project.root):
        told: Document = describe_report(report)
        names = ("run", "phase", "attempt", "title", "status", "began", "seconds", "tokens", "cost")
        agents = {run.order.run: pick(run.order.options, "agent model?") for run in report.runs}
        attempts = [
            {**{name: one[name] for name in names}, **agents.get(one["run"], {}), "told": bool(one["tokens"])}
            for one in told["attempts"]
        ]
        plans.append({"path": told["path"], "title": told["title"], "attempts": attempts})
    return {"plans": plans}


PAGES: dict[str, Callable[[Board, PageRequest], object]] = {
    "start": show_start,
    "inbox": show_inbox,
    "plans": show_plans,
    "plan": show_plan,
    "run": show_run,
    "report": show_report,
    "diff": show_diff,
    "tasks": show_tasks,
    "task": show_task,
    "queue": show_queue,
    "costs": show_costs,
}
