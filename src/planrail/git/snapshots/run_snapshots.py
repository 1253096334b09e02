"""Snapshots of checkouts in which a phase of a run works itself, beside those of agents that plan."""

import os

from planrail.base.state_folder import state_folder
from planrail.git.snapshots.model import list_snapshots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.git.snapshots.look import Snapshot

AGENT = "run"  # in the place of the agent that plans
UNDO = "planrail undo"


def snapshots_folder() -> str:
    return os.path.join(state_folder(), "snapshots")


def undo_command(snapshot: "Snapshot") -> str:
    """What a person types to take back all that changed in the checkout since a phase began there."""
    return f"{UNDO} --session {snapshot.session}"


def find_left(root: str, run: str = "") -> "Snapshot | None":
    """The snapshot of a run that has worked in a checkout, the newest where none is named, and has not landed that."""
    top = os.path.realpath(root)
    found = [one for one in list_snapshots(snapshots_folder()) if one.agent == AGENT and one.root == top]
    return next((one for one in reversed(found) if run in ("", one.session)), None)
