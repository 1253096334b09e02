"""A plan by its name, also where its file is not in this checkout: what was begun for it is known by its path.

A file can be gone, or on a branch that nobody has pulled yet; what was begun for it must be stopped all the same.
"""

import os

from planrail.cli.approval.book import open_paper, project_root
from planrail.cli.running.planned import read_planned
from planrail.errors import UnreadablePlan
from planrail.ledger.run_folders import list_runs


def identify_named(plan: str) -> tuple[str, str]:
    """The repository and the identity of the plan that somebody names; `UnreadablePlan` where nobody knows it."""
    try:
        paper = open_paper(plan)
    except UnreadablePlan:
        found = find_unseen(plan)
        if found is None:
            raise
        return found
    return paper.root, paper.id


def find_unseen(plan: str) -> tuple[str, str] | None:
    """The repository and the identity of a plan whose file is not here, as what was begun for it calls it."""
    if os.path.lexists(plan):
        return None
    root = project_root(os.getcwd())
    path = os.path.relpath(os.path.realpath(plan), os.path.realpath(root))
    planned = read_planned(root)
    named = [(row.path, row.plan) for row in planned.schedules]
    named += [(row.path, row.plan) for row in planned.submissions]
    named += [(run.order.path, run.order.plan) for run in list_runs(root)]
    known = next((identity for name, identity in named if name == path), None)
    return (root, known) if known is not None else None
