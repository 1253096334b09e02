"""Which plan does a person mean in a session, who names one, or none?"""

import os
import time
from collections.abc import Mapping

from planrail.base.errors import PlanrailError
from planrail.plans.files.lifecycle import COMPLETE
from planrail.plans.files.plan_files import find_in_project, is_inside
from planrail.projects.listing import ListedPlan, choose_plan, list_project_plans, locate_project, main_plans
from planrail.projects.open_plan import list_meant, list_usual


def find_meant(folder: str, cwd: str, name: str, session: str, environment: Mapping[str, str]) -> tuple[str, list[str]]:
    """The path of the plan, "" where none or none alone can be meant; and the names of those that no other session has.

    Without a name it is the newest under way of the project's own plans, else what `planrail next` finds.
    """
    root, now = os.path.realpath(folder), time.time()
    here = os.path.realpath(cwd or root)
    meant = list(map(os.path.realpath, list_meant(here if is_inside(here, root) else root)))
    others = {path for path in (*meant, *map(os.path.realpath, list_usual(root))) if is_inside(path, root)}
    project = locate_project(root, environment)
    own = {plan.path for plan in list_project_plans(project, now)}
    plans = list_project_plans(project, now, others)
    free = [plan for plan in main_plans(plans) if plan.session in ("", session)]
    names = [plan.name if plan.path in own else os.path.relpath(plan.path, root) for plan in free]
    if not name:
        return _choose(
            [plan for plan in free if plan.path in own], [plan for plan in free if plan.path in meant]
        ), names
    try:
        return choose_plan(plans, name).path, names
    except PlanrailError:
        return find_in_project(root, name), names


def _choose(own: list[ListedPlan], meant: list[ListedPlan]) -> str:
    """Where several documents can be meant, none is: the person names one."""
    under_way = [plan for plan in own if plan.stage != COMPLETE]
    chosen = under_way or (meant if len(meant) == 1 else []) or own
    return chosen[0].path if chosen else ""
