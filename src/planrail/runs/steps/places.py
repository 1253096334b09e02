"""Where the things of a run lie that several parts of it look for."""

import os

from planrail.base.identity import safe_name
from planrail.base.run_model import Order
from planrail.store.places import ledger_folder

_OF = "@"  # between a run and a commit


def repository_lock(root: str) -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(root), "repository.lock")


def waiting_branch(order: Order) -> str:
    """The branch on which work waits that cannot land now."""
    return f"refs/heads/planrail/{order.slug}"


def intent_of(order: Order, commit: str) -> str:
    """Where a landing writes down what it is about to do: one folder for all runs of a repository."""
    return os.path.join(_landings(order.root), f"{safe_name(order.run)}{_OF}{commit[:12]}")


def list_intents(root: str) -> list[tuple[str, str]]:
    """The landings of a repository that are under way, or were when their planrail died: each with its run."""
    place = _landings(root)
    try:
        names = sorted(os.listdir(place))
    except FileNotFoundError:
        return []
    return [(name.partition(_OF)[0], os.path.join(place, name)) for name in names]


def _landings(root: str) -> str:
    return os.path.join(ledger_folder(root), "landings")
