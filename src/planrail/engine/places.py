"""Where the things of a run lie that several parts of it look for."""

import os

from planrail.ledger.places import ledger_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.runs.model import Order

_INTENT = "intent-"


def repository_lock(order: "Order") -> str:
    """The lock that guards the refs and the checkouts of the repository."""
    return os.path.join(ledger_folder(order.root), "repository.lock")


def waiting_branch(order: "Order") -> str:
    """The branch on which work waits that cannot land now."""
    return f"refs/heads/planrail/{order.slug}"


def intent_of(folder: str, commit: str) -> str:
    """Where a landing writes down what it is about to do."""
    return os.path.join(folder, f"{_INTENT}{commit[:12]}")


def list_intents(folder: str) -> list[str]:
    """The landings of a run that were begun and are not known to have ended."""
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith(_INTENT)]
