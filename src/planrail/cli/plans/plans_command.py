"""The plans of this project: list them, show or open one, begin a new one, archive one and take it back."""

import os
import time

from planrail.base.wording import Answer, clip, paint, quote
from planrail.cli.lists.plan_rows import describe, name_phase, note, progress, render_bar, render_stage
from planrail.cli.main import dispatch
from planrail.plans.text.source import load
from planrail.projects.listing import (
    ListedPlan,
    Project,
    choose_archived,
    choose_plan,
    hold_to_proofs,
    list_project_plans,
    locate_project,
    main_plans,
    unwritten_plan,
)
from planrail.projects.next_step import BEGIN
from planrail.projects.open_plan import list_usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

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


def run(arguments: "Namespace") -> Answer | int:
    if arguments.action is None:
        flags = [f"--{name}" for name in ("all", "json") if getattr(arguments, name)]
        return dispatch(["list", "plans", *flags])
    now = time.time()
    project = locate_project(os.getcwd(), os.environ)
    if arguments.action == "new":
        from planrail.projects.changes import begin_plan

        path = begin_plan(project, " ".join(arguments.text), int(now))
        return _tell(path, "draft", "written to", "open")
    plans = list_project_plans(project, now, list_usual(project.root))
    match arguments.action:
        case "show":
            if not arguments.name and not main_plans(plans):
                return _answer_none(unwritten_plan(project, now))
            [plan] = hold_to_proofs([choose_plan(plans, arguments.name)])
            return _answer_one(plan, load(plan.path).text)
        case "open":
            from planrail.approval.people.terminals import open_in_editor

            plan = choose_plan(plans, arguments.name)
            open_in_editor(plan.path)
            return Answer({"path": plan.path}, command=f"planrail lint {quote(plan.path)}")
        case _:
            return _move(arguments, project, plans, now)


def _answer_one(plan: ListedPlan, text: str) -> Answer:
    lines = [text.rstrip("\n") or paint("no plan written yet", "dim"), ""]
    lines.append(f"{render_stage(plan)}  {render_bar(plan.done, plan.total)}  {progress(plan)}")
    about = (("now", name_phase(plan)), ("first", plan.item), ("note", note(plan)))
    lines += [f"  {label}: {clip(value, 100)}" for label, value in about if value]
    following = f"planrail next {quote(plan.path)}" if plan.total else f"planrail plans open {quote(plan.name)}"
    return Answer({**describe(plan), "text": text}, [*lines, f"  {plan.path}"], command=following)


def _answer_none(path: str) -> Answer:
    lines = ["no plan written yet", *([f"  a session will write it to {path}"] if path else [])]
    document = {"name": None, "path": path or None, "text": None}
    return Answer(document, lines, command=BEGIN)


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
