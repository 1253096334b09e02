"""What a machine finds of runs that have moved on without it: their agents end, their working trees and folders go.

A worker that was cut off, or away, may have been taken over. What an agent had begun here is kept in a snapshot.
"""

import contextlib
import os
import shutil

from planrail.engine.endings import close_rooms, keep_work, stop_agents
from planrail.errors import PlanrailError
from planrail.ledger.run_folders import list_runs, load_order
from planrail.ledger.run_locks import is_live
from planrail.state_folder import state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.ledger.run_folders import RunState


def clones_folder() -> str:
    """Where a worker keeps its clones of repositories."""
    return os.path.join(state_folder(), "clones")


def list_clones() -> list[str]:
    """The clones of this state folder."""
    folder = clones_folder()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [place for name in names if os.path.isdir(os.path.join(place := os.path.join(folder, name), ".git"))]


def tidy(root: str) -> list[str]:
    """Clear away the runs of a clone that are at home elsewhere by now, or over; their names."""
    gone = [run for run in list_runs(root) if _is_left_behind(run)]
    for run in gone:
        with contextlib.suppress(PlanrailError, OSError):
            _clear(run)
    return [run.order.run for run in gone]


def _is_left_behind(run: "RunState") -> bool:
    if run.shared is None or not os.path.isdir(run.folder) or is_live(run.folder):
        return False
    return run.is_over or not run.is_home or run.order.root != load_order(run.folder).root


def _clear(run: "RunState") -> None:
    order = load_order(run.folder)  # as it was here
    stop_agents(run.folder)
    keep_work(order, run.folder)
    close_rooms(order, run.folder)
    shutil.rmtree(run.folder)
