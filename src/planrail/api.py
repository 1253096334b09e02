"""planrail as a library: what `import planrail` offers. Nothing of planrail is loaded before one of these is asked for.

`read_plan`, `lint` and `set_status` are stable; the others are there, and may still change. Whatever cannot be done
raises `PlanrailError`, with a `message` that says why and what was kept safe, and a `remedy`. The folder of a feature
(`specs/001-login`) stands for the plan in it that runs, as on the command line.
"""

import os
import sys
import time

from planrail.approval.person import find_person
from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.wording import Answer
from planrail.git.embedded import planning_policy
from planrail.guard.judging import GuardVerdict
from planrail.guard.second_opinion import decide
from planrail.planning.headless.board import Screen
from planrail.plans.lint.document import Problem
from planrail.plans.model import Plan
from planrail.projects.linting import lint_file
from planrail.projects.open_plan import open_known_plan, resolve_plan
from planrail.projects.setting import set_phase
from planrail.runs.request import approving
from planrail.runs.request.display import Display
from planrail.runs.request.requests import RunRequest
from planrail.team import guiding, starting
from planrail.team.looking import look
from planrail.team.planned import find_plan_file
from planrail.team.run_status import describe

__all__ = [
    "PlanrailError",
    "RunEnd",
    "RunRequest",
    "approve",
    "judge_command",
    "lint",
    "read_plan",
    "resume_run",
    "run_status",
    "set_status",
    "start_run",
]


@record
class RunEnd:
    """How a call for a run ended. `state`: complete, phase_done, paused, parked, failed, interrupted, queued …"""

    state: str
    text: str
    command: str  # what to type next
    run: str
    phase: str
    exit_code: int


def read_plan(path: str) -> Plan:
    """The plan in a file of any format: its phases, their states and why, what comes next, and what is proven of it."""
    return open_known_plan(resolve_plan(path))


def lint(path: str, *, root: str | None = None, is_grounding: bool = True) -> list[Problem]:
    """What is wrong with a plan. What it cites is looked up below `root`, else in its own repository."""
    return lint_file(resolve_plan(path), root, is_grounding=is_grounding).problems


def set_status(path: str, phase: str, status: str) -> bool:
    """Set the status of one phase, and change not one other byte. False where the file says so already."""
    return set_phase(resolve_plan(path), phase, status).edit is not None


def judge_command(command: str, folder: str = ".") -> GuardVerdict:
    """Would this shell command be allowed in a folder while an agent plans? `decision` is allow or deny."""
    return decide("Bash", {"command": command}, planning_policy(os.path.abspath(folder)))


def approve(plan: str) -> bool:
    """Ask the person at this terminal for their approval of a plan. A program cannot give it in their place."""
    return approving.approve(approving.ApproveRequest(resolve_plan(plan)), find_person()).is_approved


def start_run(request: RunRequest) -> RunEnd:
    """Carry out an approved plan, or go on with the run that it has. In the main thread: it listens to signals."""
    request = replace(request, plan=resolve_plan(request.plan)) if request.plan else request
    return _end(starting.start_run(request, guiding.Delivery(is_quiet=True), _display()))


def resume_run(plan: str = "", *, budget: str = "") -> RunEnd:
    """Go on with a run that was killed, paused or parked: that of this plan, or the only one there is."""
    return _end(starting.resume_run(starting.ResumeRequest(resolve_plan(plan), budget), _display()))


def run_status(plan: str | None = None) -> dict[str, object]:
    """How the run of a plan stands, as `planrail status --json` says it. Without a plan: that of the newest run."""
    return describe(look(find_plan_file(resolve_plan(plan) if plan else None), time.time()))


def _display() -> Display:
    return Display(Screen(sys.stderr, is_quiet=True))


def _end(answer: Answer) -> RunEnd:
    if answer.document is None:  # it was interrupted
        text, command = answer.warnings[0]
        return RunEnd("interrupted", text, command, "", "", answer.code)
    state, run, phase = (str(answer.document.get(name) or "") for name in ("state", "run", "phase"))
    return RunEnd(state, str(answer.document.get("text") or ""), answer.command, run, phase, answer.code)
