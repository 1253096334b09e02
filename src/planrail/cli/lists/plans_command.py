"""The plans of this project, the newest first: how far each is, and what comes next in it."""

import os
import time

from planrail.base.wording import Answer, paint, quote
from planrail.cli.lists.plan_rows import describe, render_row
from planrail.projects.listing import hold_to_proofs, list_project_plans, locate_project, main_plans
from planrail.projects.next_step import BEGIN
from planrail.projects.open_plan import list_usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("--all", action="store_true", help="archived plans, and those of sub-agents, as well")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> Answer:
    now = time.time()
    project = locate_project(os.getcwd(), os.environ)
    plans = list_project_plans(project, now, list_usual(project.root))
    shown = hold_to_proofs(plans if arguments.all else main_plans(plans))
    width = min(48, max((len(plan.name) for plan in shown), default=0))
    lines = [line for plan in shown for line in render_row(plan, width, now)] or ["no plan written yet"]
    if len(shown) < len(plans):
        more = f"  … and {len(plans) - len(shown)} more, archived or of sub-agents: planrail list plans --all"
        lines.append(paint(more, "dim"))
    named = shown[0].name if shown else ""
    named = quote(os.path.relpath(shown[0].path) if named.startswith("-") else named)
    following = f"planrail plans show {named}" if shown else BEGIN
    return Answer({"plans": [describe(plan) for plan in shown]}, lines, command=following)
