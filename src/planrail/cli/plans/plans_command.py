"""The plans of this project: list them, show or open one, begin a new one, archive one and take it back."""

from planrail.base.wording import Answer, quote
from planrail.cli.screen import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.projects.listing import ListedPlan, Project

_ACTIONS = {
    "show": "show a plan, how far it is, and where it lies",
    "open": "open a plan in your editor",
    "new": "begin a new plan",
    "archive": "put a plan into the archive beside it",
    "restore": "take a plan back from the archive",
}
_NAMELESS = ("show", "open")  # without a name they mean the newest


def configure(parser: "ArgumentParser") -> None:
    import argparse

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
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")


def run(arguments: "Namespace") -> int:
    import os
    import time

    from planrail.projects.listing import list_project_plans, locate_project

    now = time.time()
    project = locate_project(os.getcwd(), os.environ)
    if arguments.action == "new":
        return _new(arguments, project, now)
    plans = list_project_plans(project, now)
    match arguments.action:
        case None:
            return _list(arguments, plans, now)
        case "show":
            return _show(arguments, project, plans, now)
        case "open":
            return _open(arguments, plans)
        case _:
            return _move(arguments, project, plans, now)


def _list(arguments: "Namespace", plans: "list[ListedPlan]", now: float) -> int:
    from planrail.cli.plans.plans_screen import answer_list
    from planrail.projects.listing import main_plans

    shown = plans if arguments.all else main_plans(plans)
    return show(answer_list(shown, now, len(plans) - len(shown)), as_json=arguments.json)


def _show(arguments: "Namespace", project: "Project", plans: "list[ListedPlan]", now: float) -> int:
    from planrail.cli.plans.plans_screen import answer_one
    from planrail.plans.text.source import load
    from planrail.projects.choice import choose_plan
    from planrail.projects.listing import main_plans, unwritten_plan

    if not arguments.name and not main_plans(plans):
        return _show_none(arguments, unwritten_plan(project, now))
    plan = choose_plan(plans, arguments.name)
    return show(answer_one(plan, load(plan.path).text), as_json=arguments.json)


def _show_none(arguments: "Namespace", path: str) -> int:
    lines = ["no plan written yet", *([f"  a session will write it to {path}"] if path else [])]
    document = {"name": None, "path": path or None, "text": None}
    return show(Answer(document, lines, command='planrail plans new "what is to be done"'), as_json=arguments.json)


def _open(arguments: "Namespace", plans: "list[ListedPlan]") -> int:
    from planrail.approval.people.terminals import open_in_editor
    from planrail.projects.choice import choose_plan

    plan = choose_plan(plans, arguments.name)
    open_in_editor(plan.path)
    return show(Answer({"path": plan.path}, command=f"planrail lint {quote(plan.path)}"), as_json=arguments.json)


def _new(arguments: "Namespace", project: "Project", now: float) -> int:
    from planrail.projects.changes import begin_plan

    path = begin_plan(project, " ".join(arguments.text), int(now))
    return _report(arguments, path, "draft", "written to", f"planrail plans open {_quoted_name(path)}")


def _move(arguments: "Namespace", project: "Project", plans: "list[ListedPlan]", now: float) -> int:
    from planrail.projects.changes import archive_plan, restore_plan
    from planrail.projects.choice import choose_archived, choose_plan
    from planrail.projects.listing import list_project_plans

    if arguments.action == "archive":
        path = archive_plan(project, choose_plan(plans, arguments.name), int(now))
        return _report(arguments, path, "archived", "moved to", f"planrail plans restore {_quoted_name(path)}")
    path = restore_plan(project, choose_archived(plans, arguments.name), int(now))
    stage = next(plan.stage for plan in list_project_plans(project, now) if plan.path == path)
    return _report(arguments, path, stage, "moved back to", f"planrail plans show {_quoted_name(path)}")


def _report(arguments: "Namespace", path: str, stage: str, done: str, following: str) -> int:
    document = {"path": path, "stage": stage}
    return show(Answer(document, [f"{done} {path}  ({stage})"], command=following), as_json=arguments.json)


def _quoted_name(path: str) -> str:
    return quote(path.rpartition("/")[2].removesuffix(".md"))
