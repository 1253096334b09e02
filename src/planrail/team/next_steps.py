"""What to type about a run or its plan: asked by every command that names a next step, so that all say the same."""

import os
import re

from planrail.base.records import replace
from planrail.base.wording import quote, quote_file
from planrail.git.snapshots.model import UNDO, find_left
from planrail.projects.next_step import PlanFacts, decide_command, facts_of
from planrail.projects.open_plan import open_known_plan
from planrail.runs.phases.choosing import type_again
from planrail.runs.request.phase_table import IN_REQUEST
from planrail.store.journal_lines import STUCK, judge_life_signs
from planrail.store.places import common_directory
from planrail.store.runs.run_folders import KEPT, RUNNING, RunState
from planrail.team.looking import RunLook
from planrail.team.queueing import QUEUED

_REPORT = "planrail report"


def command_to_go_on(run: RunState) -> str:
    """What goes on with a run that rests, as one would type it here."""
    order, command = run.order, run.ending.command if run.ending is not None else ""
    if _find_root(run) != order.root and os.path.isdir(run.folder):  # there is no going on with it here
        command = f"planrail stop {order.path}"
    return retype(run, command or f"planrail resume {order.path}")


def command_after(run: RunState) -> str:
    """What follows a run that failed or was stopped, by its own last word; what it left may be taken back by now."""
    order, command = run.order, run.ending.command if run.ending is not None else ""
    if command.startswith(UNDO) and find_left(_find_root(run), order.run) is None:
        command = f"{_REPORT} {order.path}"
    return retype(run, command or f"planrail run {order.path}")


def command_to_try_again(run: RunState) -> str:
    """The same for who has just looked at it, and would be led in a circle by another look."""
    command, options = command_after(run), run.order.options
    phase = run.ending.phase if run.ending is not None and not options.finish else ""
    return retype(run, type_again(run.order, phase)) if command.startswith(_REPORT) else command


def retype(run: RunState, words: str) -> str:
    """What a run says, with its plan as one would type it here."""
    return name_here(run.order.path, _find_root(run), words)


def _find_root(run: RunState) -> str:
    """The repository of a run: its own, or the one that it was found in, where that is another: a copy, or a person's
    own where a worker has a clone."""
    own = run.order.root
    is_away = run.found_in is not None and common_directory(run.found_in) != common_directory(own)
    return run.found_in if is_away and run.found_in is not None else own


def name_here(path: str, root: str, words: str) -> str:
    """Words with the path of a plan, from the root on, as one would type it here; it may be so already."""
    typed, known = quote_file(root, path), map(re.escape, (quote(path), path))
    return re.sub(rf"(?<![\w./-])(?:{'|'.join(known)})(?![\w/])", lambda _: typed, words)


def next_of(found: RunState) -> str:
    if found.state == RUNNING:
        return retype(found, f"planrail status {found.order.path}")
    return command_after(found) if found.is_over else command_to_go_on(found)


def following(found: RunLook) -> str:
    return decide_command(gather_facts(found))


def gather_facts(found: RunLook) -> PlanFacts:
    plan_file, run, life, step = found.plan_file, found.run, found.life, found.step
    own = plan_file.source.path
    plan = open_known_plan(own)
    facts = facts_of(plan, quote(os.path.relpath(plan_file.place) if os.path.isabs(own) else own))
    state = run.state if run is not None else ""
    ending = run.ending if run is not None else None
    is_settled = any(look.is_done and ending is not None and look.id == ending.phase for look in found.phases)
    upcoming = next((look.id for look in found.phases if look.is_next), "") if _is_requested(found) else facts.phase
    return replace(
        facts,
        phase=upcoming,
        run=state,
        is_stuck=life is not None and step is not None and judge_life_signs(life, step=step.name) == STUCK,
        is_queued=state not in ("parked", "paused") and any(one.state == QUEUED for one in found.planned.submissions),
        rests=command_to_go_on(run) if run is not None and not run.is_over and state != RUNNING else "",
        again=command_to_try_again(run) if run is not None and state in KEPT and not is_settled else "",
        elsewhere=_fetch_landed(found, facts.path),
    )


def _is_requested(found: RunLook) -> bool:
    return any(look.is_in_request for look in found.phases)


def _fetch_landed(found: RunLook, path: str) -> str:
    """What brings here what is in a pull request, or on the remote; "" where nothing is."""
    ending = found.run.ending if found.run is not None else None
    if ending is not None and ending.state == "pr_ready" and any(one.run_state == IN_REQUEST for one in found.phases):
        is_here = found.done == len(found.phases)  # the plan that is checked out has it: the user has merged and pulled
        return f"planrail run {path}" if is_here else ending.command
    if not any(look.is_remote for look in found.phases):
        return ""
    return ending.command if ending is not None and ending.command.startswith("git ") else "git pull"
