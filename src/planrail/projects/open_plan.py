"""Opening the plan that a command names, or finding the one that is meant."""

import os

from planrail.base.errors import UnreadablePlan, UsageError
from planrail.base.wording import quote
from planrail.git.git import DiskSurroundings
from planrail.plans.model import Plan
from planrail.plans.reading import read
from planrail.plans.text.source import load
from planrail.projects.next_step import PlanFacts, decide_command

# Where a plan is looked for when none is named, in this order, from the current folder up to the repository's root.
USUAL_PLACES = (
    *("PLAN.md", "plan.md", "task_plan.md", ".planning/ROADMAP.md", "IMPLEMENTATION_PLAN.md", "fix_plan.md"),
    *("@fix_plan.md", ".taskmaster/tasks/tasks.json", "tasks/tasks.json", "docs/PLAN.md", "docs/plan.md"),
    *("ROADMAP.md", "TODO.md", "tasks.md"),
)
# Where tools keep several plans; looked at only where none of the above is there.
TOOL_PLACES = (
    *("specs/*/tasks.md", "openspec/changes/*/tasks.md", ".kiro/specs/*/tasks.md", "kitty-specs/*/tasks.md"),
    *(".beads/issues.jsonl", "agent-os/specs/*/tasks.md", ".agent-os/specs/*/tasks.md", "conductor/tracks/*/plan.md"),
    *(".cursor/plans/*.plan.md", ".agent/plans/*.md", "docs/superpowers/plans/*.md", "docs/plans/*.md"),
    *("thoughts/shared/plans/*.md", "plans/*.md", "**/sprint-status.yaml"),
)


def open_plan(path: str) -> Plan:
    return read(load(path), DiskSurroundings(path))


def open_known_plan(path: str) -> Plan:
    """The same, with what the ledger knows of its phases, else what commits say. Nothing dear is imported in vain."""
    from planrail.projects.plan_proofs import add_proofs, is_told, may_be_known

    plan = open_plan(path)
    if not may_be_known(path) and not is_told(path):
        return plan
    from planrail.projects.proof_reading import hash_phases, read_known

    text = load(path).text
    known = read_known(path, plan, text)
    proven = {name: word.text for name, word in known.words.items()}
    return add_proofs(plan, known, hash_phases(proven, plan, text))


def find_plan(start: str = ".", command: str = "next") -> str:
    """The plan of the current project, or a `UsageError` that says which there are to choose from for a command."""
    found = [os.path.relpath(path) for path in list_meant(start)]
    if len(found) == 1:
        return found[0]
    if found:
        names = "".join(f"\n    planrail {command} {name}" for name in found[:12])
        raise UsageError(f"there are {len(found)} plans here; name one", remedy=f"the newest first:{names}")
    raise UsageError("no plan was named, and none of the usual files is here", remedy=decide_command(PlanFacts()))


def list_meant(start: str) -> list[str]:
    """The plans that can be meant where none is named, from a folder up: one in a usual place, else those of tools."""
    for folder in _folders_up(os.path.abspath(start)):
        usual = (os.path.join(folder, place) for place in USUAL_PLACES)
        found = next(([path] for path in usual if os.path.isfile(path)), [])
        found = found or sorted(_glob(folder), key=os.path.getmtime, reverse=True)
        if found:
            return found
    return []


def resolve_plan(argument: str) -> str:
    """The plan file that an argument means: a folder stands for the file in it that runs, so that the folder of a
    feature (`specs/001-login`) is a plan. `UsageError` where it has none, or several."""
    if not os.path.isdir(argument):
        return argument
    is_project = os.path.exists(os.path.join(argument, ".git"))
    names = USUAL_PLACES if is_project else ("tasks.md", *USUAL_PLACES, "tasks.json", "issues.jsonl")
    found = [path for name in names if os.path.isfile(path := os.path.join(argument, name))][:1]
    if not is_project and found[:1] != [os.path.join(argument, "tasks.md")] and _is_feature(argument):
        text = f"{argument} has documents and no tasks.md yet, and the tasks are what runs"
        raise UsageError(text, remedy=f"let its tool write {quote(os.path.join(argument, 'tasks.md'))}")
    found = found or _glob(argument) or _list_documents(argument)
    if len(found) == 1:
        return found[0]
    listed = "".join(f"\n    {quote(path)}" for path in sorted(found)[:12])
    if found:
        raise UsageError(f"{argument} is a folder with {len(found)} plans; name one", remedy=f"one of these:{listed}")
    raise UnreadablePlan(f"{argument} is a folder, not a plan, and none is in it", remedy="name the file of a plan")


def _is_feature(folder: str) -> bool:
    """Whether a folder is that of a feature in the way of spec-kit, OpenSpec or Kiro."""
    return any(os.path.isfile(os.path.join(folder, name)) for name in ("spec.md", "proposal.md", "requirements.md"))


def _list_documents(folder: str) -> list[str]:
    """The documents of a folder that may be plans: those of features in it, else what is written in it."""
    import glob

    from planrail.plans.files.plan_files import list_plans

    below = glob.glob(os.path.join(glob.escape(folder), "*", "tasks.md"))
    return below or [os.path.join(folder, name) for name in list_plans(folder)]


def list_usual(folder: str) -> list[str]:
    """Every file of a folder that lies where plans usually do."""
    return [path for place in USUAL_PLACES if os.path.isfile(path := os.path.join(folder, place))] + _glob(folder)


def _glob(folder: str) -> list[str]:
    import glob

    return [path for place in TOOL_PLACES for path in glob.glob(os.path.join(glob.escape(folder), place))]


def _folders_up(folder: str) -> list[str]:
    """The folder and those above it, up to the repository's root; outside of a repository the folder alone."""
    found = [folder]
    while not os.path.exists(os.path.join(found[-1], ".git")):
        parent = os.path.dirname(found[-1])
        if parent == found[-1]:
            return [folder]
        found.append(parent)
    return found
