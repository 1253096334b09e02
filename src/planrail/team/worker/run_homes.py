"""Where a worker carries out a run: in the repository itself, or in a clone of its own that lands on the remote.

A run has a home, the machine and the folder that it was begun in. Whoever stands on that machine goes on there, with
its agents and its working trees. Where the home is lost, the run moves: what had landed stays, the attempt that was
under way begins anew.
"""

import os

from planrail.base.errors import PlanrailError
from planrail.base.records import record, replace
from planrail.base.run_model import Order
from planrail.base.state_folder import state_folder
from planrail.git.remotes.mirrors import open_mirror, write_plan_file
from planrail.runs.checks.room_places import choose_rooms
from planrail.runs.request.carrying import seal_anew
from planrail.store.ledger import open_store
from planrail.store.places import common_directory
from planrail.store.runs.run_folders import RunState, new_folder, run_folder
from planrail.team.queueing import Submission
from planrail.team.worker.recovering import clone_folder

REMOTE = "origin"  # what a clone calls where it came from


@record
class Home:
    """A repository to work in. `remote`: where its target is published; "": the target is the repository's own."""

    root: str
    remote: str = ""


def open_home(submission: Submission, served: str = "") -> Home:
    """The repository of a submission: its own folder where it has no remote, else this worker's clone of that.

    `served` is the repository whose own queue the submission was in.
    """
    if not submission.remote:
        return Home(_find_place(submission, served))
    root = open_mirror(clone_folder(submission), submission.remote, submission.target)
    write_plan_file(root, submission.target, submission.path)
    return Home(root, REMOTE)


def _find_place(submission: Submission, served: str) -> str:
    """Where a submission without a remote is carried out. A queue can be moved, or copied, with its repository."""
    there = common_directory(submission.root)
    if served and there is None:
        return served
    if there is None:
        raise PlanrailError(f"{submission.root} is gone", remedy=f"planrail stop {submission.path}")
    if served and there != common_directory(served):
        text = f"{served} is a copy of {submission.root}, and what was asked for there is done there"
        raise PlanrailError(text, remedy=f"planrail stop {submission.path}, in the copy")
    return submission.root


def find_order(found: RunState, home: Home) -> Order:
    """The order of an unfinished run, for whoever goes on with it here: at its home, or in a new one."""
    order = found.order
    is_here = found.is_home and os.path.isdir(run_folder(order.root, order.run))
    if order.root == home.root or is_here:
        return order
    if not open_store(home.root).is_shared or not home.remote:
        text = f"the run of {order.path} is at home in {order.root}, which is not here"
        raise PlanrailError(text, remedy=f"planrail resume {order.path}, there")
    workspaces = os.path.join(state_folder(), "workspaces", order.run)
    return replace(order, root=home.root, workspaces=workspaces, rooms=choose_rooms(""), remote=home.remote)


def move_in(found: RunState, order: Order) -> None:
    """Give a run its new home, where it needs one; whoever calls this holds the plan.

    Of what its old home had begun nothing is left here but what is on record.
    """
    if found.order.root == order.root:
        return
    open_store(order.root).move_run(order)  # first: nobody here takes the folder for one that was left behind
    seal_anew(order, new_folder(order.root, order, found.text))
