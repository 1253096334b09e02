"""What happened to a plan, the oldest first: proposals, approvals, runs, checks, verdicts, landings.

With --json: {"plan", "path", "title", "events": [{"at", "kind", "run", "phase", "text"}], "agent_log": the file that
the newest agent wrote, or null}.
"""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.masking import mask
from planrail.base.wording import Answer, paint, pick, quote
from planrail.cli.runs.status_lines import list_all, render_event
from planrail.store.runs.run_folders import AGENTS, list_runs
from planrail.team.looking import LOG
from planrail.team.planned import find_plan_file

_MOST = 40


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--all", action="store_true", help=f"all that happened, not only the last {_MOST}")
    parser.add_argument("--json", action="store_true", help="print JSON (always all)")


def run(arguments: Namespace) -> Answer:
    plan_file = find_plan_file(arguments.plan, "log")
    events = list_all(plan_file)
    shown = events if arguments.all else events[-_MOST:]
    typed, log = quote(plan_file.source.path), _find_agent_log(plan_file.root, plan_file.id)
    lines = [render_event(event, plan_file) for event in shown] or ["nothing has happened to this plan so far"]
    if len(shown) < len(events):
        lines.insert(0, paint(f"… {len(events) - len(shown)} before: planrail log {typed} --all", "dim"))
    if log:
        lines.append(paint(f"\nwhat the newest agent wrote: {log}", "dim"))
    told = [{**pick(event, "at kind run? phase?"), "text": mask(event.text)} for event in events]
    document = {**pick(plan_file, "plan=id path title=plan.title"), "events": told, "agent_log": log or None}
    return Answer(document, lines, command=f"planrail status {typed}")


def _find_agent_log(root: str, plan: str) -> str:
    """The log of the agent that wrote last for the newest run; "" where none is on this machine."""
    newest = next(iter(list_runs(root, plan)), None)
    if newest is None:
        return ""
    found = [
        os.path.join(folder, LOG) for folder, _, names in os.walk(os.path.join(newest.folder, AGENTS)) if LOG in names
    ]
    return max(found, key=os.path.getmtime, default="")
