"""Opening the plan that a command names, or finding the one that is meant."""

import os

from planrail.errors import UsageError
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.source import load
from planrail.repo.surroundings import DiskSurroundings

# Where a plan is looked for when none is named, in this order, from the current folder up to the repository's root.
USUAL_PLACES = (
    "PLAN.md",
    "plan.md",
    "task_plan.md",
    ".planning/ROADMAP.md",
    "IMPLEMENTATION_PLAN.md",
    "fix_plan.md",
    "@fix_plan.md",
    ".taskmaster/tasks/tasks.json",
    "tasks/tasks.json",
    "docs/PLAN.md",
    "docs/plan.md",
    "ROADMAP.md",
    "TODO.md",
    "tasks.md",
)


def open_plan(path: str) -> Plan:
    """Read the plan at a path, with what stands around it."""
    return read(load(path), DiskSurroundings(path))


def find_plan(start: str = ".") -> str:
    """The plan of the current project, or a `UsageError` that says where planrail looked."""
    folder = os.path.abspath(start)
    while True:
        for place in USUAL_PLACES:
            candidate = os.path.join(folder, place)
            if os.path.isfile(candidate):
                return os.path.relpath(candidate)
        parent = os.path.dirname(folder)
        if parent == folder or os.path.exists(os.path.join(folder, ".git")):
            break
        folder = parent
    raise UsageError("no plan was named, and none of the usual files is here", remedy="planrail next PLAN.md")
