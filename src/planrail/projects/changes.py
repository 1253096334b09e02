"""Changing the project's plan files: a new one, into the archive, back from it. Each change is recorded."""

import os
import secrets

from planrail.base.errors import PlanrailError
from planrail.base.wording import clip
from planrail.plans.files import lifecycle, plan_files
from planrail.plans.files.lifecycle import PlanRecord, ReachedStage
from planrail.plans.files.plan_files import ARCHIVE, SUFFIX, FileRefusal
from planrail.plans.text.source import load
from planrail.projects.listing import ListedPlan, Project
from planrail.projects.open_plan import open_plan

_TITLE = 72
_SKELETON = """# {title}

## Goal

{goal}

## Scope

<!-- what belongs to it -->

## Non-Scope

<!-- what does not, although one might think so -->

## Steps

### Phase 1: {title}

- [ ] The first thing to do

## Verification

<!-- the commands that show that it works -->

## Risks

<!-- what could go wrong, and how one would notice -->

## Open Questions

<!-- what has to be asked before it can begin -->
"""


def begin_plan(project: Project, text: str, at: int) -> str:
    root = project.root if project.directory in project.folders else None
    title = clip(" ".join(text.split()), _TITLE)
    skeleton = _SKELETON.format(title=title or "A new plan", goal=text.strip())
    made = plan_files.create(project.directory, text, choose=secrets.randbelow, text=skeleton, root=root)
    path = os.path.realpath(_done(made))
    step = ReachedStage(lifecycle.DRAFT, lifecycle.hash_of(open_plan(path), load(path).text), at)
    _record(project, path, step)
    return path


def archive_plan(project: Project, plan: ListedPlan, at: int) -> str:
    """Move a plan, and those of its sub-agents, into the archive beside it. Returns its new path."""
    if plan.is_held:
        raise PlanrailError(
            f"{plan.name} is in use: a session is at work on it", remedy="end the session, then archive it"
        )
    _done(lifecycle.decide_move(plan.stage, lifecycle.ARCHIVED))
    path = _move_all(project, plan.path, os.path.join(os.path.dirname(plan.path), ARCHIVE))
    _record(project, path, ReachedStage(lifecycle.ARCHIVED, plan.hash, at))
    return path


def restore_plan(project: Project, plan: ListedPlan, at: int) -> str:
    """Move a plan back from the archive. Returns its new path."""
    known = lifecycle.load(project.state, plan.path)
    stage = lifecycle.decide_restored(known, plan.hash)
    path = _move_all(project, plan.path, os.path.dirname(os.path.dirname(plan.path)))
    _record(project, path, ReachedStage(stage, plan.hash, at))
    return path


def _move_all(project: Project, path: str, folder: str) -> str:
    moved = _done(plan_files.move(path, folder))
    lifecycle.move(project.state, path, moved)
    beside, start = os.path.dirname(path), os.path.basename(path).removesuffix(SUFFIX) + "-agent-"
    for name in plan_files.list_plans(beside):
        if name.startswith(start):
            _done(plan_files.move(os.path.join(beside, name), folder))
    return moved


def _record(project: Project, path: str, step: ReachedStage) -> None:
    lifecycle.save(project.state, path, lambda known: lifecycle.advance(known or PlanRecord(path, project.root), step))


def _done(outcome: str | FileRefusal) -> str:
    if isinstance(outcome, FileRefusal):
        raise PlanrailError(outcome.reason, remedy=outcome.remedy or "planrail plans --all")
    return outcome
