"""All runs of this project, the newest first.

With --json: {"runs": [{"run", "plan", "path", "title", "state", "live", "phase", "step", "started", "elapsed", "agent",
"landing", "text", "next", "folder"}]}.
"""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.approval.book import project_root
from planrail.base.masking import mask
from planrail.base.wording import clip, paint
from planrail.cli.screen import print_json, print_next, say
from planrail.runs.reporting.run_times import elapsed, last_word
from planrail.store.journal_lines import describe_step, render_time, split_key
from planrail.store.runs.run_folders import RUNNING, RunState, list_runs
from planrail.team.next_steps import next_of, retype

_SIGNS = {
    "running": ("◐", "yellow"),
    "complete": ("✔", "green"),
    "phase_done": ("✔", "green"),
    "failed": ("✖", "red"),
    "interrupted": ("◌", "red"),
}
_MOST = 20


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help=f"all of them, not only the newest {_MOST}")
    parser.add_argument("--json", action="store_true", help="print JSON (always all)")


def run(arguments: Namespace) -> int:
    now, runs = time.time(), list_runs(project_root(os.getcwd()))
    if arguments.json:
        print_json({"runs": [describe(found, now) for found in runs]})
        return 0
    shown = runs if arguments.all else runs[:_MOST]
    for found in shown:
        _print(found, now)
    if not runs:
        say("no plan of this project was run so far")
    if len(runs) > len(shown):
        say(paint(f"  … and {len(runs) - len(shown)} more: planrail runs --all", "dim"))
    print_next(next_of(runs[0]) if runs else "planrail plans")
    return 0


def describe(found: RunState, now: float) -> dict[str, object]:
    phase, _, step = split_key(found.current) if not found.is_over else ("", 0, "")
    ending = found.ending
    return {
        "run": found.order.run,
        "plan": found.order.plan,
        "path": found.order.path,
        "title": found.order.title,
        "state": found.state,
        "live": found.is_live,
        "phase": phase or (ending.phase if ending is not None else "") or None,
        "step": step or None,
        "started": int(found.started),
        "elapsed": round(elapsed(found, now), 1),
        "agent": found.order.options.agent,
        "landing": found.order.options.landing,
        "text": mask(last_word(found)) or None,
        "next": next_of(found),
        "folder": found.folder,
    }


def _print(found: RunState, now: float) -> None:
    sign, colour = _SIGNS.get(found.state, ("–", "dim"))
    state = paint(f"{sign} {found.state.replace('_', ' '):<12}", colour)
    took = render_time(elapsed(found, now))
    say(f"{state}  {paint(found.order.run, 'bold')}  {took:>8}  {found.order.path}")
    phase, attempt, step = split_key(found.current) if not found.is_over else ("", 0, "")
    if found.state == RUNNING and phase:
        say(f"                phase {phase}, attempt {attempt}: {describe_step(step)}")
    elif told := last_word(found):
        say(f"                {clip(mask(retype(found.order, told)), 160)}")
