"""How do a plan and its run stand, and what comes next? From any terminal, at any time; it reads only.

With --json: {"plan", "path", "title", "status": the plan's own, "run": {"run", "state", "live", "agent", "verifier",
"landing", "started", "elapsed", "text", "until"} or null, "owner": {"owner", "pid", "host", "alive", "since", "phase"}
or null, "phase", "attempt", "step", "step_text", "step_seconds", "tokens", "cost", "minutes", "agent": {"last_lines",
"quiet_seconds", "log"} or null, "stuck": {"answer": "working|waiting|may be stuck", "text", "quiet_seconds",
"step_seconds", "tries", "attempts", "errors"} or null, "progress": {"done", "total"}, "phases": [{"id", "title",
"status", "proof", "run_state", "commit", "note", "needs"}], "schedule": {"every", "cron", "zone", "next", "state",
"why"} or null, "submission": {"state", "due", "text", "worker"} or null, "failed": why what was asked for last came to
nothing or null, "next"}.
"""

import time
from argparse import ArgumentParser, Namespace

from planrail.base.wording import Answer
from planrail.cli.runs.status_lines import render_status
from planrail.team.looking import look
from planrail.team.next_steps import following
from planrail.team.planned import find_plan_file
from planrail.team.run_status import describe


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, that of the newest run here")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    found = look(find_plan_file(arguments.plan), time.time())
    return Answer(describe(found), render_status(found), command=following(found))
