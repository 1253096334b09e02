"""The plans of this project: list them, show or open one, begin a new one, archive one and take it back."""

import os
import time

from planrail.base.wording import Answer, clip, paint, pick, quote
from planrail.plans.files import lifecycle, plan_files
from planrail.plans.text.source import load
from planrail.projects.listing import (
    ListedPlan,
    Project,
    choose_archived,
    choose_plan,
    list_project_plans,
    locate_project,
    main_plans,
    unwritten_plan,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

BAR = 40
_SIGNS = {
    lifecycle.DRAFT: ("○", "dim"),
    lifecycle.PROPOSED: ("◇", "cyan"),
    lifecycle.APPROVED: ("◆", "cyan"),
    lifecycle.RUNNING: ("◐", "yellow"),
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


def answer_list(plans: list[ListedPlan], now: float, hidden: int) -> Answer:
    width = min(48, max((len(plan.name) for plan in plans), default=0))
    lines = [line for plan in plans for line in _render_row(plan, width, now)] or ["no plan written yet"]
    if hidden:
        lines.append(paint(f"  … and {hidden} more, archived or of sub-agents: planrail plans --all", "dim"))
    following = f"planrail plans show {quote(plans[0].name)}" if plans else 'planrail plans new "what is to be done"'
    return Answer({"plans": [describe(plan) for plan in plans]}, lines, command=following)


def answer_one(plan: ListedPlan, text: str) -> Answer:
    lines = [text.rstrip("\n") or paint("no plan written yet", "dim"), ""]
    lines.append(f"{_stage(plan)}  {render_bar(plan.done, plan.total)}  {progress(plan)}")
    about = (("now", _phase(plan)), ("first", plan.item), ("note", _note(plan)))
    lines += [f"  {label}: {clip(value, 100)}" for label, value in about if value]
    following = f"planrail next {quote(plan.path)}" if plan.total else f"planrail plans open {quote(plan.name)}"
    return Answer({**describe(plan), "text": text}, [*lines, f"  {plan.path}"], command=following)


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


def _render_row(plan: ListedPlan, width: int, now: float) -> list[str]:
    name = f"{clip(plan.name, width):<{width}}"
    count = f"{plan.done}/{plan.total}" if plan.total else "–"
    first = f"{_stage(plan)}  {paint(name, 'bold')}  {count:>7}  {render_age(now - plan.modified):>6}"
    where = " · ".join(part for part in (_phase(plan), clip(plan.item, 60), _note(plan)) if part)
    path = paint(f"             {shorten_path(plan.path)}", "dim")
    return [first, f"             {where}", path] if where else [first, path]


def _stage(plan: ListedPlan) -> str:
    sign, colour = _SIGNS[plan.stage]
    return paint(f"{sign} {plan.stage:<9}", colour)


def _phase(plan: ListedPlan) -> str:
    if plan.phase_title in ("", plan.phase):
        return plan.phase
    return f"{plan.phase} {clip(plan.phase_title, 60)}"


def _note(plan: ListedPlan) -> str:
    if plan.problem:
        return plan.problem
    if plan.is_changed and plan.stage in (lifecycle.DRAFT, lifecycle.RUNNING):
        return "its text has changed since it was proposed"
    return ""


_ACTIONS = {
    "show": "show a plan, how far it is, and where it lies",
    "open": "open a plan in your editor",
    "new": "begin a new plan",
    "archive": "put a plan into the archive beside it",
    "restore": "take a plan back from the archive",
}
_NAMELESS = ("show", "open")  # without a name they mean the newest


def configure(parser: "ArgumentParser") -> None:
    from argparse import SUPPRESS

    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--all", action="store_true", help="list archived plans, and those of sub-agents, as well")
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for name, summary in _ACTIONS.items():
        action = actions.add_parser(name, help=summary, description=summary)
        if name == "new":
            action.add_argument("text", metavar="TEXT", nargs="+", help="what is to be done, in a sentence")
        else:
            times = "?" if name in _NAMELESS else None
            action.add_argument("name", metavar="NAME", nargs=times, help="its name, or a part that only one has")
        action.add_argument("--json", action="store_true", default=SUPPRESS, help="print JSON")


def run(arguments: "Namespace") -> Answer:
    now = time.time()
    project = locate_project(os.getcwd(), os.environ)
    if arguments.action == "new":
        from planrail.projects.changes import begin_plan

        path = begin_plan(project, " ".join(arguments.text), int(now))
        return _tell(path, "draft", "written to", "open")
    plans = list_project_plans(project, now)
    match arguments.action:
        case None:
            shown = plans if arguments.all else main_plans(plans)
            return answer_list(shown, now, len(plans) - len(shown))
        case "show":
            if not arguments.name and not main_plans(plans):
                return _answer_none(unwritten_plan(project, now))
            plan = choose_plan(plans, arguments.name)
            return answer_one(plan, load(plan.path).text)
        case "open":
            from planrail.approval.people.terminals import open_in_editor

            plan = choose_plan(plans, arguments.name)
            open_in_editor(plan.path)
            return Answer({"path": plan.path}, command=f"planrail lint {quote(plan.path)}")
        case _:
            return _move(arguments, project, plans, now)


def _answer_none(path: str) -> Answer:
    lines = ["no plan written yet", *([f"  a session will write it to {path}"] if path else [])]
    document = {"name": None, "path": path or None, "text": None}
    return Answer(document, lines, command='planrail plans new "what is to be done"')


def _move(arguments: "Namespace", project: Project, plans: list[ListedPlan], now: float) -> Answer:
    from planrail.projects.changes import archive_plan, restore_plan

    if arguments.action == "archive":
        path = archive_plan(project, choose_plan(plans, arguments.name), int(now))
        return _tell(path, "archived", "moved to", "restore")
    path = restore_plan(project, choose_archived(plans, arguments.name), int(now))
    stage = next(plan.stage for plan in list_project_plans(project, now) if plan.path == path)
    return _tell(path, stage, "moved back to", "show")


def _tell(path: str, stage: str, done: str, following: str) -> Answer:
    name = quote(path.rpartition("/")[2].removesuffix(".md"))
    lines = [f"{done} {path}  ({stage})"]
    return Answer({"path": path, "stage": stage}, lines, command=f"planrail plans {following} {name}")
