"""The one terminal transition of a run: whatever the exit is, it releases, logs, reports and cleans up here.

Its last act is to write down how it ended: killed before that, a run is one that can be resumed or stopped again.
A run that is paused or parked, or whose verified work waits to land, has not ended: it keeps its working trees and lets
go of the plan, so that it can be resumed on this machine, after any number of restarts.
"""

import contextlib
import os
import shutil
from collections.abc import Callable

from planrail.agents.jobs.runner import stop_job
from planrail.base.crash_points import reach
from planrail.base.errors import PlanrailError
from planrail.base.identity import safe_name
from planrail.base.run_model import Ending, Order, Workspace
from planrail.git.git_writing import run_git
from planrail.git.workspaces.work_snapshots import drop_refs, take_snapshot
from planrail.git.workspaces.workspaces import close_workspace
from planrail.runs.checks.running import end_forgotten_checks
from planrail.runs.steps.crew import SIDE
from planrail.runs.steps.own_checkout import tell_left
from planrail.runs.steps.rooms import recall_fitting
from planrail.runs.steps.site import finish_landings
from planrail.store.runs.run_folders import AGENTS, KEPT, WAITING, save_ending


def end_run(order: Order, folder: str, ending: Ending, record: Callable[[Ending], None]) -> Ending:
    """End a run, or let it rest. Done again after a crash, it ends in the same state. `record` is told before."""
    if ending.state not in WAITING:
        stop_agents(folder)
        end_forgotten_checks(folder)
        finish_landings(order.root)
        if ending.state in KEPT:
            keep_work(order, folder)
            ending = tell_left(order, ending)
        close_rooms(order, folder)
        if ending.state not in KEPT:
            drop_refs(order.root, f"refs/planrail/runs/{order.run}/")
        reach("end.cleaned")
    record(ending)
    save_ending(folder, ending)
    reach("end.recorded")
    return ending


def stop_agents(folder: str) -> None:
    jobs = os.path.join(folder, AGENTS)
    for name in sorted(os.listdir(jobs)) if os.path.isdir(jobs) else ():
        stop_job(os.path.join(jobs, name))


def keep_work(order: Order, folder: str) -> None:
    """Keep what agents had begun and nobody has a snapshot of: never destroy work to clean up."""
    for name in sorted(os.listdir(order.workspaces)) if os.path.isdir(order.workspaces) else ():
        index = os.path.join(folder, f"index-{name}")
        fitted = recall_fitting(index)
        if name.partition("-")[0] == "work" and fitted.base:
            workspace = Workspace(os.path.join(order.workspaces, name), fitted.base, index)
            ref = f"refs/planrail/runs/{order.run}/left/{safe_name(name)}"
            with contextlib.suppress(PlanrailError):  # the disk may be what ended the run
                own = (*fitted.made.kept, SIDE, order.path)
                left = take_snapshot(order.root, workspace, ref, "what was begun", leave_out=own)
                if not left.paths or _is_kept(order, ref, left.tree):
                    run_git(order.root, "update-ref", "-d", ref)


def _is_kept(order: Order, ref: str, tree: str) -> bool:
    """Whether another snapshot of the run has these very files."""
    prefix = f"refs/planrail/runs/{order.run}/"
    told = run_git(order.root, "for-each-ref", "--format=%(refname) %(tree)", prefix).splitlines()
    return any(line.split() == [name, tree] for line in told if (name := line.split()[0]) != ref)


def close_rooms(order: Order, folder: str) -> None:
    """Remove the private working trees; what was in them is in snapshots."""
    for trees in (order.rooms, order.workspaces):
        if not trees or not os.path.isdir(trees):
            continue
        for name in sorted(os.listdir(trees)):
            close_workspace(os.path.join(trees, name), root=order.root, index=os.path.join(folder, f"index-{name}"))
        shutil.rmtree(trees, ignore_errors=True)
