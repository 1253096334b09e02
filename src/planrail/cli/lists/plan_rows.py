"""A plan of the project as rows for people, and for programs."""

import os

from planrail.base.wording import clip, paint, pick
from planrail.plans.files import lifecycle, plan_files
from planrail.projects.listing import ListedPlan

BAR = 40
_SIGNS = {
    lifecycle.DRAFT: ("○", "dim"),
    lifecycle.PROPOSED: ("◇", "cyan"),
    lifecycle.APPROVED: ("◆", "cyan"),
    lifecycle.RUNNING: ("◐", "yellow"),
    lifecycle.IN_PROGRESS: ("◐", "yellow"),
    lifecycle.COMPLETE: ("✔", "green"),
    lifecycle.ARCHIVED: ("–", "dim"),
}
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


def describe(plan: ListedPlan) -> dict[str, object]:
    return {
        **pick(plan, "name path title stage"),
        "progress": pick(plan, "done total"),
        "phase": pick(plan, "id=phase title=phase_title") if plan.phase else None,
        "item": plan.item or None,
        "modified": int(plan.modified),
        **pick(plan, "session? agent? changed_since_approval=is_changed problem?"),
    }


def progress(plan: ListedPlan) -> str:
    """Done and all, with the percentage; a plan without items has none."""
    if not plan.total:
        return "nothing to tick off"
    return f"{plan.done}/{plan.total} ({plan.done * 100 // plan.total} %)"


def render_bar(done: int, total: int) -> str:
    """A bar of forty cells; full only where all is done, and not empty where something is."""
    cells = done * BAR // total if total else 0
    if done and not cells:
        cells = 1
    return "█" * cells + "░" * (BAR - cells)


def render_age(seconds: float) -> str:
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "now"


def shorten_path(path: str) -> str:
    """The path as one would type it: from here, or from the home folder."""
    here, home = os.path.realpath(os.getcwd()), os.path.realpath(os.path.expanduser("~"))
    if plan_files.is_inside(path, here):
        return os.path.relpath(path, here)
    return "~" + path[len(home) :] if plan_files.is_inside(path, home) else path


def render_row(plan: ListedPlan, width: int, now: float) -> list[str]:
    name = f"{clip(plan.name, width):<{width}}"
    count = f"{plan.done}/{plan.total}" if plan.total else "–"
    first = f"{render_stage(plan)}  {paint(name, 'bold')}  {count:>7}  {render_age(now - plan.modified):>6}"
    where = " · ".join(part for part in (name_phase(plan), clip(plan.item, 60), note(plan)) if part)
    path = paint(f"               {shorten_path(plan.path)}", "dim")
    return [first, f"               {where}", path] if where else [first, path]


def render_stage(plan: ListedPlan) -> str:
    sign, colour = _SIGNS[plan.stage]
    return paint(f"{sign} {plan.stage.replace('_', ' '):<11}", colour)


def name_phase(plan: ListedPlan) -> str:
    if plan.phase_title in ("", plan.phase):
        return plan.phase
    return f"{plan.phase} {clip(plan.phase_title, 60)}"


def note(plan: ListedPlan) -> str:
    if plan.problem:
        return plan.problem
    if plan.is_changed and plan.stage in (lifecycle.DRAFT, lifecycle.RUNNING):
        return "its text has changed since it was proposed"
    return ""
