"""Where a worker carries out a run: in the repository itself, or in a clone of its own that lands on the remote.

A run has a home, the machine and the folder that it was begun in. A worker on that machine goes on there, with
its agents and its working trees. Where the home is lost, the run moves: what had landed stays, the attempt that was
under way begins anew. What an agent had begun here, of a run that another machine has taken over, is kept.

And what a worker finds when it comes: runs that were cut off, and parked ones in no queue. A run that a person
interrupted is theirs to resume; one that asks before each phase waits for its person, too.
"""

import contextlib
import os
import shutil

from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.run_model import Order
from planrail.base.state_folder import state_folder
from planrail.git.remotes.mirrors import mirror_name, open_mirror, write_plan_file
from planrail.runs.checks.check_places import choose_check_folder
from planrail.runs.request.carrying import seal_anew
from planrail.runs.request.ordering import read_context
from planrail.runs.request.stopping import end_away_run, end_dead_run
from planrail.runs.steps.workspaces import close_workspaces, keep_work, stop_agents
from planrail.store.ledger import has_ledger, open_ledger, open_store
from planrail.store.places import common_directory
from planrail.store.runs import run_facts, run_folders
from planrail.store.runs.run_folders import INTERRUPTED, RunState, list_runs, load_order, load_run, run_folder
from planrail.store.runs.run_locks import hold_run, is_live
from planrail.store.team import VARIABLE
from planrail.team.engines import open_dispatch
from planrail.team.planned import read_planned
from planrail.team.pruning import prune, read_keep
from planrail.team.queueing import Submission
from planrail.team.registry import list_repositories
from planrail.team.submitting import describe_rest
from planrail.team.worker.sources import Source

REMOTE = "origin"  # what a clone calls where it came from


# ---- homes ----


def open_home(submission: Submission, served: str = "") -> str:
    """The repository of a submission: its own folder where it has no remote, else this worker's clone of that.

    `served` is the repository whose own queue the submission was in. A queue can be moved, or copied, with it.
    """
    if submission.remote:
        root = open_mirror(clone_folder(submission), submission.remote, submission.target)
        write_plan_file(root, submission.target, submission.path)
        return root
    there = common_directory(submission.root)
    if served and there is None:
        return served
    if there is None:
        raise PlanrailError(f"{submission.root} is gone", remedy=f"planrail stop {submission.path}")
    if served and there != common_directory(served):
        text = f"{served} is a copy of {submission.root}, and what was asked for there is done there"
        raise PlanrailError(text, remedy=f"planrail stop {submission.path}, in the copy")
    return submission.root


def find_order(found: RunState, root: str, remote: str) -> Order:
    """The order of an unfinished run, for the worker that goes on with it here: at its home, or in a new one."""
    order = found.order
    is_here = found.is_home and os.path.isdir(run_folder(order.root, order.run))
    if order.root == root or is_here:
        return order
    if not open_store(root).is_shared or not remote:
        text = f"the run of {order.path} is at home in {order.root}, which is not here"
        raise PlanrailError(text, remedy=f"planrail resume {order.path}, there")
    workspaces = os.path.join(state_folder(), "workspaces", order.run)
    return replace(order, root=root, workspaces=workspaces, check_folder=choose_check_folder(""), remote=remote)


def move_in(found: RunState, order: Order) -> None:
    """Give a run its new home, where it needs one; the caller holds the plan.

    Of what its old home had begun nothing is left here but what is on record.
    """
    if found.order.root == order.root:
        return
    open_store(order.root).move_run(order)  # first: nobody here takes the folder for one that was left behind
    seal_anew(order, run_folders.new_folder(order.root, order, found.text))


# ---- what was cut off ----


def recover(root: str) -> list[Submission]:
    """Submit the runs of a repository that shall go on by themselves and are in no queue."""
    if not has_ledger(root):
        return []
    queued = {row.plan for row in read_planned(root).submissions}
    found = [run for run in list_runs(root) if run.order.plan not in queued and not run.is_live and _goes_on(run)]
    submitted = []
    for run in found:
        with contextlib.suppress(PlanrailError):  # its plan or its branch is gone: a person has to look
            context = read_context(os.path.join(root, run.order.path), target=run.order.target)
            rest = describe_rest(context, run.order, float(run.ending.until) if run.ending is not None else 0.0)
            with open_dispatch(root) as dispatch:
                submitted.append(dispatch.submit(rest))
    return submitted


def _goes_on(run: RunState) -> bool:
    if run.ending is not None:
        return run.ending.state == "parked" and bool(run.ending.until)
    if run.state != INTERRUPTED or not run.order.options.auto:
        return False
    with open_ledger(run.order.root) as ledger:
        last = run_facts.last_event(ledger, run.order.plan, run.order.run)
    return last is None or last.event != INTERRUPTED  # a crash says nothing, a person who interrupts does


# ---- clones ----


def clone_folder(submission: Submission) -> str:
    """Where this worker's clone of a repository is, or would be."""
    return os.path.join(state_folder(), "clones", mirror_name(submission.remote, submission.target))


def list_clones() -> list[str]:
    folder = os.path.join(state_folder(), "clones")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [place for name in names if os.path.isdir(os.path.join(place := os.path.join(folder, name), ".git"))]


def has_open_runs() -> bool:
    """Whether a clone here has a run without a last word that nobody here is at work on."""
    return any(_list_open(clone) for clone in list_clones())


def tidy_clones(url: str) -> None:
    """Clear away what is left in the clones here of runs of a team that went on elsewhere."""
    os.environ[VARIABLE] = url
    for clone in list_clones():
        with contextlib.suppress(PlanrailError):
            tidy(clone)


def tidy(root: str) -> list[str]:
    """Clear away the runs of a clone that are at home elsewhere by now, or over; their folders."""
    gone = [folder for folder in _list_open(root) if _is_left_behind(root, folder)]
    for folder in gone:
        with contextlib.suppress(PlanrailError, OSError), hold_run(folder):
            if _is_left_behind(root, folder):  # it may just have moved in
                order = load_order(folder)  # as it was here
                stop_agents(folder)
                keep_work(order, folder)
                close_workspaces(order, folder)
                shutil.rmtree(folder)
    return gone


def prune_homes(source: Source) -> None:
    """Let go of what the settings of each repository that is served here do not want to keep any longer."""
    roots = [source.root]
    if source.url:
        os.environ[VARIABLE] = source.url
        roots = [*list_clones(), *filter(os.path.isdir, list_repositories())]
    for root in roots:
        with contextlib.suppress(PlanrailError):  # the others are looked at all the same
            days = read_keep(root)
            if days and open_store(root).url == source.url:
                prune(root, days, "a worker")


def _list_open(root: str) -> list[str]:
    """The folders of runs that have no last word here, and that nobody here is at work on."""
    place = run_folders.runs_folder(root)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    folders = [os.path.join(place, name) for name in names if not name.endswith(".tmp")]
    unended = [folder for folder in folders if not os.path.exists(os.path.join(folder, run_folders.ENDING))]
    return [folder for folder in unended if not is_live(folder)]


def _is_left_behind(root: str, folder: str) -> bool:
    run, here = load_run(root, folder), load_order(folder)
    return run.shared is not None and (run.is_over or not run.is_home or run.order.root != here.root)


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
