"""Stop a run and its agents, from any terminal, and end its schedule. What had landed stays landed.

What an agent is in the middle of is kept in a snapshot; to go on with it later, press Ctrl-C instead and use resume.
"""

import contextlib
import os
import signal
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import project_root
from planrail.base.errors import Held, PlanrailError
from planrail.base.wording import Answer, pick, plural, quote
from planrail.cli.screen import show
from planrail.runs.request.carrying import HOME, find_home
from planrail.runs.request.stopping import end_away_run, end_dead_run, end_strange_run
from planrail.store.claim_rules import PLAN, Claim, Owner, name_host
from planrail.store.ledger import open_store
from planrail.store.owners import is_surely_here
from planrail.store.runs.run_folders import RunState, is_live, list_runs, load_run
from planrail.team.next_steps import command_after
from planrail.team.planned import Planned, end_planned, identify_named
from planrail.team.queueing import STOPPING
from planrail.team.submitting import name_schedule

_SECONDS = 30  # that a run gets to end by itself
_AT_ONCE = 5


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; without it, all that is run or scheduled")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    """Stop what is meant: first what would begin anew, then what runs."""
    root, plan = identify_named(arguments.plan) if arguments.plan else (project_root(os.getcwd()), None)
    planned = end_planned(root, plan)
    meant = [found for found in list_runs(root) if not found.is_over and plan in (None, found.order.plan)]
    stopped, errors = list[RunState](), list[PlanrailError]()
    for found in meant:
        asked = {row.plan for row in planned.submissions if row.state == STOPPING or found.is_live}
        if found.order.plan in asked and _is_anothers(found, root):  # the worker that has it ends it
            continue
        try:
            stopped.append(_stop(found, root))
        except PlanrailError as error:  # one that cannot be stopped from here does not keep the others going
            errors.append(error)
    document = {
        "stopped": [pick(found.order, "run plan=path") for found in stopped],
        "schedules": [pick(row, "plan=path schedule=expression") for row in planned.schedules],
        "submissions": [pick(row, "plan=path state") for row in planned.submissions],
    }
    answer = Answer(
        document, _render(stopped, planned), command=command_after(stopped[0]) if stopped else "planrail list runs"
    )
    if not errors:
        return answer
    if arguments.json or stopped:
        show(answer, as_json=arguments.json)
    raise errors[0]


def _render(stopped: list[RunState], planned: Planned) -> Iterator[str]:
    for row in planned.schedules:
        yield f"ended the schedule of {row.path} ({name_schedule(row)})"
    for found in stopped:
        yield f"stopped {found.order.path} (run {found.order.run})"
        if found.ending is not None:
            yield f"  {found.ending.text}"
    for submission in planned.submissions:
        is_ending = submission.state == STOPPING
        told = "nothing of it begins any more" if is_ending else "what was submitted is out of the queue"
        yield f"{submission.path}: {told}"
    if not (stopped or planned.schedules or planned.submissions):
        yield "nothing runs here"
    elif len(stopped) > 1:
        yield plural(len(stopped), "run") + " stopped"


def _is_anothers(found: RunState, root: str) -> bool:
    """Whether a run of the team is at home in another repository than this: a worker's clone, another laptop's."""
    return found.shared is not None and (not found.is_home or find_home(found.order, root) != HOME)


def _stop(found: RunState, root: str) -> RunState:
    """Ask the living planrail to end, then end what is left of the run: its agents, its working trees, its claim."""
    if _is_anothers(found, root):
        if found.claim is not None:
            _refuse_stranger(found, found.claim)
        end_away_run(found, root)
        return found
    if find_home(found.order, root) != HOME:
        end_strange_run(found, root)
        return found
    holder = open_store(found.order.root).claims.holder(PLAN, found.order.plan)
    if holder is not None and holder.owner.run == found.order.run:
        _refuse_stranger(found, holder)
        if found.is_live:
            _end_planrail(found, holder.owner)
    end_dead_run(found)
    return load_run(found.order.root, found.folder)


def _refuse_stranger(found: RunState, claim: Claim) -> None:
    """A process of another machine or container cannot be ended from here, and its number is another one's here."""
    owner = claim.owner
    if open_store(found.order.root).claims.lives(claim) and not is_surely_here(owner):
        path = quote(found.order.path)
        raise Held(
            f"{found.order.path} runs as process {owner.pid} on {name_host(owner.host)}, which is not seen from here",
            remedy=f"planrail stop {path} there; or planrail claim takeover {path} --owner ME --pid $$ --reason TEXT",
        )


def _end_planrail(found: RunState, owner: Owner) -> None:
    """Ask it, wake it where it is suspended, and kill it where it does not answer: a run survives that."""
    for numbers, seconds in (((signal.SIGTERM, signal.SIGCONT), _SECONDS), ((signal.SIGKILL,), _AT_ONCE)):
        for number in numbers:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if is_surely_here(owner):
                    os.kill(owner.pid, number)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and is_live(found.folder):
            time.sleep(0.05)
        if not is_live(found.folder):
            return
