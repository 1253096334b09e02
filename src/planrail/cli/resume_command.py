"""Go on with a run that was killed, interrupted, paused or parked: from its last finished step, with its agent."""

from planrail.cli.running.wishes import add_texts
from planrail.cli.screen import quote
from planrail.errors import PlanrailError, UsageError
from planrail.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from planrail.cli.running.ordering import Ground
    from planrail.ledger.run_folders import RunState


def configure(parser: "ArgumentParser") -> None:
    """Declare the arguments."""
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan; not needed where only one run waits")
    parser.add_argument("--budget", metavar="LIMITS", help="other ceilings, until it rests again")
    add_texts(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")


def run(arguments: "Namespace") -> int:
    """Go on with the run of a plan."""
    import os

    from planrail.cli.running.homes import refuse_elsewhere
    from planrail.cli.running.ordering import read_ground
    from planrail.cli.running.plan_texts import Call, settle_text

    waiting, root = _waiting(arguments.plan)
    if _is_a_workers(waiting):
        return _wake(waiting, root, arguments)
    refuse_elsewhere(waiting.order, root)
    ground = read_ground(_path(waiting), target=waiting.order.target)
    settle_text(ground, arguments, Call(("resume", os.path.relpath(_path(waiting))), is_new=False))
    return resume_run(waiting, ground, arguments)


def _is_a_workers(waiting: "RunState") -> bool:
    """Whether a run is carried out in a worker's own clone: there it goes on, and nowhere else."""
    return bool(waiting.order.remote)


def _wake(waiting: "RunState", root: str, arguments: "Namespace") -> int:
    """Put a run of the team back into the queue, with the word of the person who says that it goes on."""
    from planrail.cli.screen import print_json, print_next, say
    from planrail.ledger import queue
    from planrail.ledger.tables import open_tables

    with open_tables(root) as tables:
        woken = queue.wake(tables, waiting.order.plan, is_answered=True)
    path = quote(waiting.order.path)
    if woken is None:
        raise PlanrailError(
            f"the run of {waiting.order.path} is in the hands of a worker", remedy=f"planrail status {path}"
        )
    if arguments.json:
        print_json({"plan": waiting.order.path, "run": waiting.order.run, "state": woken.state})
    else:
        say(f"{waiting.order.path} is in the queue again")
        print_next(f"planrail status {path}")
    return 0


def resume_run(waiting: "RunState", ground: "Ground", arguments: "Namespace", *, auto: bool = False) -> int:
    """Go on with this run; from now on without asking, where `auto` is said."""
    from planrail.cli.running.conducting import go_on
    from planrail.cli.running.wishes import merge_budgets
    from planrail.runs.budgets import read_budget

    order = waiting.order
    if getattr(arguments, "budget", None):
        budget = merge_budgets(order.options.budget, read_budget(arguments.budget))
        order = replace(order, options=replace(order.options, budget=budget))
    if auto:
        order = replace(order, options=replace(order.options, auto=True))
    return go_on(order, ground, is_json=arguments.json)


def _waiting(plan: str | None) -> "tuple[RunState, str]":
    """The run that is meant and the repository that it was found in, or an error that says which there are."""
    import os

    from planrail.cli.approval.book import project_root
    from planrail.cli.running.named_plans import identify_named
    from planrail.ledger.run_folders import list_runs

    root, named_plan = identify_named(plan) if plan else (project_root(os.getcwd()), None)
    runs = [run for run in list_runs(root) if not run.is_over and named_plan in (None, run.order.plan)]
    if not runs:
        named = f" of {plan}" if plan else " here"
        raise PlanrailError(f"no run{named} waits to be resumed", remedy="planrail runs")
    if len(runs) > 1:
        names = "".join(f"\n    planrail resume {quote(run.order.path)}" for run in runs)
        raise UsageError(f"{len(runs)} runs wait; name one", remedy=f"the newest first:{names}")
    return runs[0], root


def _path(waiting: "RunState") -> str:
    import os

    return os.path.join(waiting.order.root, waiting.order.path)
