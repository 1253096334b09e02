"""Is a run at home here? A repository can be moved, or copied with its ledger, while a run of it rests."""

from planrail.base.errors import PlanrailError
from planrail.base.run_model import Order
from planrail.base.wording import quote
from planrail.store.places import common_directory

HOME, MOVED, COPIED = "home", "moved", "copied"


def find_home(order: Order, root: str) -> str:
    """Whether the repository that a run was found in is the one that it was begun in: home, moved or copied."""
    here, there = common_directory(root), common_directory(order.root)
    if here is not None and here == there:
        return HOME
    return MOVED if there is None else COPIED


def refuse_elsewhere(order: Order, root: str) -> None:
    """A run goes on where it was begun, and nowhere else."""
    home = find_home(order, root)
    if home == HOME:
        return
    what = f"{order.root} is gone" if home == MOVED else f"it belongs to {order.root}, of which this is a copy"
    raise PlanrailError(
        f"the run of {order.path} cannot go on here: {what}; nothing was started",
        remedy=f"planrail stop {quote(order.path)}, then planrail run {quote(order.path)}",
    )
