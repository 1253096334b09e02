"""What to type about a run that rests: asked by every command that names a next step, so that all say the same."""

import os

from planrail.cli.screen import quote
from planrail.ledger.run_folders import RUNNING, RunState, list_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.model import Order


def find_rest(root: str, plan: str) -> RunState | None:
    """The run of a plan that rests: paused, parked, interrupted, or with work that waits to land."""
    newest = next(iter(list_runs(root, plan)), None)
    return newest if newest is not None and not newest.is_over and newest.state != RUNNING else None


def command_to_go_on(run: RunState) -> str:
    """What goes on with a run that rests, as one would type it here."""
    command = run.ending.command if run.ending is not None else ""
    return retype(run.order, command or f"planrail resume {run.order.path}")


def retype(order: "Order", words: str) -> str:
    """What a run says, with its plan as one would type it here."""
    typed = quote(os.path.relpath(os.path.join(order.root, order.path)))
    return words.replace(quote(order.path), order.path).replace(order.path, typed)  # it may be quoted already
