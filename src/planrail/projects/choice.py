"""Which plan of the project somebody means by a name, a part of one, a path, or nothing at all."""

import os

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import quote
from planrail.plans.files import lifecycle
from planrail.plans.files.plan_files import match_names
from planrail.projects.listing import ListedPlan, main_plans


def choose_plan(plans: list[ListedPlan], name: str | None) -> ListedPlan:
    """The plan that is meant, archived or not; without a name the newest that is not. Else an error that lists them."""
    if not name:
        current = main_plans(plans)
        if not current:
            raise PlanrailError("no plan written yet", remedy='planrail plans new "what is to be done"')
        return current[0]
    lying_open = [plan for plan in plans if plan.stage != lifecycle.ARCHIVED]
    return _one(_matches(lying_open, name) or _matches(plans, name), name, "planrail plans --all")


def choose_archived(plans: list[ListedPlan], name: str) -> ListedPlan:
    archived = [plan for plan in plans if plan.stage == lifecycle.ARCHIVED]
    return _one(_matches(archived, name), name, "see which are archived: planrail plans --all")


def _matches(plans: list[ListedPlan], name: str) -> list[ListedPlan]:
    """Names select among the project's plans; so does the path of one of them. Nothing else is ever opened."""
    by_path = [plan for plan in plans if plan.path == os.path.realpath(name)]
    if by_path:
        return by_path
    meant = set(match_names([os.path.basename(plan.path) for plan in plans], name))
    return [plan for plan in plans if os.path.basename(plan.path) in meant]


def _one(matches: list[ListedPlan], name: str, remedy: str) -> ListedPlan:
    if not matches:
        raise UsageError(f"this project has no such plan: {name!r}", remedy=remedy)
    if len(matches) > 1:
        paths = "".join(f"\n    {quote(plan.path)}" for plan in matches[:12])
        raise UsageError(f"{name!r} means {len(matches)} plans; name one", remedy=f"the newest first:{paths}")
    return matches[0]
