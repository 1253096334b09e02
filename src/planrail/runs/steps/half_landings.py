"""Landings that were cut off between the target and its checkouts: whoever comes next brings them to their end.

A landing holds the lock of the repository. Who has the lock and finds that one is under way has found one whose
planrail is dead. Landing anything else first would leave that work staged as its own reverse in the checkout.
"""

from planrail.base.errors import PlanrailError
from planrail.git.repository_lock import hold
from planrail.runs.landing.targets import finish_landing
from planrail.runs.steps.places import list_intents, repository_lock, waiting_branch
from planrail.store.runs.run_folders import load_order, run_folder


def finish_landings(root: str) -> None:
    """No landing is left half way: the target and its checkouts have it, or neither has."""
    if not list_intents(root):
        return
    with hold(repository_lock(root)):
        for run, intent in list_intents(root):
            finish_landing(root, repository_lock(root), _waiting_branch(root, run), intent)


def _waiting_branch(root: str, run: str) -> str:
    """Where the work of a run waits; also of one that cannot be read any more."""
    try:
        return waiting_branch(load_order(run_folder(root, run)))
    except PlanrailError:
        return f"refs/heads/planrail/{run}"
