"""All runs of this project, the newest first.

With --json: {"runs": [{"run", "plan", "path", "title", "state", "live", "phase", "step", "started", "elapsed", "agent",
"landing", "text", "next", "folder"}]}.
"""

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import project_root
from planrail.base.masking import mask
from planrail.base.wording import Answer, clip, paint, pick
from planrail.runs.reporting.gathering import elapsed, last_word
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


def run(arguments: Namespace) -> Answer:
    now, runs = time.time(), list_runs(project_root(os.getcwd()))
    shown = runs if arguments.all else runs[:_MOST]
    lines = [line for found in shown for line in _render(found, now)] or ["no plan of this project was run so far"]
    if len(runs) > len(shown):
        lines.append(paint(f"  … and {len(runs) - len(shown)} more: planrail list runs --all", "dim"))
    command = next_of(runs[0]) if runs else "planrail plans"
    return Answer({"runs": [describe(found, now) for found in runs]}, lines, command=command)


def describe(found: RunState, now: float) -> dict[str, object]:
    phase, _, step = split_key(found.current) if not found.is_over else ("", 0, "")
    ending = found.ending
    return {
        **pick(found, "run=order.run plan=order.plan path=order.path title=order.title state live=is_live"),
        "phase": phase or (ending.phase if ending is not None else "") or None,
        "step": step or None,
        "started": int(found.started),
        "elapsed": round(elapsed(found, now), 1),
        **pick(found.order.options, "agent landing"),
        "text": mask(last_word(found)) or None,
        "next": next_of(found),
        "folder": found.folder,
    }


def _render(found: RunState, now: float) -> Iterator[str]:
    sign, colour = _SIGNS.get(found.state, ("–", "dim"))
    state = paint(f"{sign} {found.state.replace('_', ' '):<12}", colour)
    yield f"{state}  {paint(found.order.run, 'bold')}  {render_time(elapsed(found, now)):>8}  {found.order.path}"
    phase, attempt, step = split_key(found.current) if not found.is_over else ("", 0, "")
    if found.state == RUNNING and phase:
        yield f"                phase {phase}, attempt {attempt}: {describe_step(step)}"
    elif told := last_word(found):
        yield f"                {clip(mask(retype(found, told)), 160)}"
