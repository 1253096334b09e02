"""A plan by its name, also where its file is not in this checkout: what was begun for it is known by its path.

A file can be gone, or on a branch that nobody has pulled yet; what was begun for it must be stopped all the same.
"""

import contextlib
import os

from planrail.approval.book import Paper, open_paper, project_root
from planrail.base.errors import PlanrailError, UnreadablePlan
from planrail.base.wording import quote
from planrail.projects.open_plan import find_plan
from planrail.store.runs.run_folders import list_runs
from planrail.team.planned import read_planned


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


def find_paper(plan: str | None, command: str = "status") -> Paper:
    """The plan that is named; else that of the run which is at work here, or of the newest; else the project's own."""
    if plan:
        try:
            return open_paper(plan)
        except UnreadablePlan:
            if find_unseen(plan) is None:
                raise
            remedy = (
                f"git pull, or git switch to its branch; planrail queue, planrail runs; planrail stop {quote(plan)}"
            )
            raise UnreadablePlan(
                f"{plan} is not in this checkout, though it was run or scheduled", remedy=remedy
            ) from None
    root = project_root(os.getcwd())
    for order in (found.order for found in sorted(list_runs(root), key=lambda found: not found.is_live)):
        for top in dict.fromkeys((root, order.root)):  # a run in another worktree has a plan of this name here as well
            with contextlib.suppress(PlanrailError):  # its file is gone
                return open_paper(os.path.relpath(os.path.join(top, order.path)), top)
    return open_paper(find_plan(command=command))
