"""What a worker finds when it comes: runs that were cut off, parked ones in no queue, and what moved on without it.

A run that a person interrupted is theirs to resume. One that asks before each phase waits for its person, too. What an
agent had begun here, of a run that another machine has taken over, is kept in a snapshot.
"""

import contextlib
import os
import shutil

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.git.remotes.mirrors import mirror_name
from planrail.runs.request.ordering import read_ground
from planrail.runs.request.requests import RunRequest
from planrail.runs.request.stopping import end_away_run, end_dead_run
from planrail.runs.steps.workspaces import close_workspaces, keep_work, stop_agents
from planrail.store.ledger import has_ledger, open_ledger, open_tables
from planrail.store.runs import run_facts
from planrail.store.runs.run_folders import (
    ENDING,
    INTERRUPTED,
    RunState,
    list_runs,
    load_order,
    load_run,
    run_folder,
    runs_folder,
)
from planrail.store.runs.run_locks import hold_run, is_live
from planrail.team import queue
from planrail.team.planned import read_planned
from planrail.team.queueing import Submission, Wish
from planrail.team.submitting import describe
from planrail.team.worker.sources import Source


def recover(root: str) -> list[Submission]:
    """Submit the runs of a repository that shall go on by themselves and are in no queue."""
    if not has_ledger(root):
        return []
    queued = {row.plan for row in read_planned(root).submissions}
    found = [run for run in list_runs(root) if run.order.plan not in queued and not run.is_live and _goes_on(run)]
    submitted = []
    for run in found:
        with contextlib.suppress(PlanrailError):  # its plan or its branch is gone: a person has to look
            submitted.append(_submit(root, run))
    return submitted


def _goes_on(run: RunState) -> bool:
    if run.ending is not None:
        return run.ending.state == "parked" and bool(run.ending.until)
    if run.state != INTERRUPTED or not run.order.options.auto:
        return False
    with open_ledger(run.order.root) as ledger:
        last = run_facts.last_event(ledger, run.order.plan, run.order.run)
    return last is None or last.event != INTERRUPTED  # a crash says nothing, a person who interrupts does


def _submit(root: str, run: RunState) -> Submission:
    order = run.order
    ground = read_ground(os.path.join(root, order.path), target=order.target)
    wanted = describe(ground, Wish(RunRequest(order.path, auto=True)), order.options.agent)
    due = float(run.ending.until) if run.ending is not None else 0.0
    with open_tables(root) as tables:
        return queue.submit(tables, replace(wanted, run=order.run, due=due))


def clones_folder() -> str:
    return os.path.join(state_folder(), "clones")


def clone_folder(submission: Submission) -> str:
    """Where this worker's clone of a repository is, or would be."""
    return os.path.join(clones_folder(), mirror_name(submission.remote, submission.target))


def list_clones() -> list[str]:
    folder = clones_folder()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [place for name in names if os.path.isdir(os.path.join(place := os.path.join(folder, name), ".git"))]


def has_open_runs() -> bool:
    """Whether a clone here has a run without a last word that nobody here is at work on."""
    return any(_list_open(clone) for clone in list_clones())


def tidy_clones(url: str) -> None:
    """Clear away what is left in the clones here of runs of a team that went on elsewhere."""
    os.environ["PLANRAIL_DATABASE"] = url
    for clone in list_clones():
        with contextlib.suppress(PlanrailError):
            tidy(clone)


def tidy(root: str) -> list[str]:
    """Clear away the runs of a clone that are at home elsewhere by now, or over; their folders."""
    gone = [folder for folder in _list_open(root) if _is_left_behind(root, folder)]
    for folder in gone:
        with contextlib.suppress(PlanrailError, OSError), hold_run(folder):
            if _is_left_behind(root, folder):  # it may just have moved in
                _clear(folder)
    return gone


def _list_open(root: str) -> list[str]:
    """The folders of runs that have no last word here, and that nobody here is at work on."""
    place = runs_folder(root)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    folders = [os.path.join(place, name) for name in names if not name.endswith(".tmp")]
    return [folder for folder in folders if not os.path.exists(os.path.join(folder, ENDING)) and not is_live(folder)]


def _is_left_behind(root: str, folder: str) -> bool:
    run, here = load_run(root, folder), load_order(folder)
    return run.shared is not None and (run.is_over or not run.is_home or run.order.root != here.root)


def _clear(folder: str) -> None:
    order = load_order(folder)  # as it was here
    stop_agents(folder)
    keep_work(order, folder)
    close_workspaces(order, folder)
    shutil.rmtree(folder)


def end_stopped_run(source: Source, submission: Submission) -> None:
    """End what is left of the run of a submission that was stopped: here if it is at home here, else on record."""
    os.environ.update(source.variables(submission.repository))
    root = clone_folder(submission) if submission.remote else submission.root
    for run in list_runs(root, submission.plan):
        folder = run_folder(run.order.root, run.order.run)
        if run.is_over:
            continue
        if run.is_home and os.path.isdir(folder):
            end_dead_run(replace(run, folder=folder))
        else:
            end_away_run(run, root)
