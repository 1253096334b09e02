"""What a machine finds of runs that have moved on without it: their agents end, their working trees and folders go.

A worker that was cut off, or away, may have been taken over. What an agent had begun here is kept in a snapshot.
"""

import contextlib
import os
import shutil

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.runs.steps.endings import close_rooms, keep_work, stop_agents
from planrail.store.runs.run_folders import ENDING, load_order, load_run, runs_folder
from planrail.store.runs.run_locks import hold_run, is_live


def clones_folder() -> str:
    """Where a worker keeps its clones of repositories."""
    return os.path.join(state_folder(), "clones")


def list_clones() -> list[str]:
    """The clones of this state folder."""
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
    close_rooms(order, folder)
    shutil.rmtree(folder)
