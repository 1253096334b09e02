"""Say what to do next in a plan, and the command for it."""

from planrail.base.wording import Answer, paint
from planrail.cli.plan_routes import next_command
from planrail.cli.screen import GLYPHS
from planrail.plans.model import Plan
from planrail.plans.states import Route

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from planrail.store.runs.run_folders import RunState
    from planrail.team.looking import RunLook


def configure(parser: "ArgumentParser") -> None:
    parser.add_argument("plan", metavar="PLAN", nargs="?", help="the plan file; without it, the project's usual ones")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: "Namespace") -> Answer:
    from planrail.projects.open_plan import find_plan, open_known_plan

    path = arguments.plan or find_plan()
    plan = open_known_plan(path)
    request, rests = _look_up(path)
    command = next_command(plan)
    if request is not None or rests is not None:
        from planrail.team.next_steps import command_to_go_on, following

        command = following(request) if request else command_to_go_on(rests) if rests else command
    phase, item = (plan.next.phase, plan.next.item) if plan.next else (None, None)
    if request is not None:
        phase, item = next((look.id for look in request.phases if look.is_next), None), None
    told = {"phase": phase, "item": item, "command": command, "route": plan.route, "status": plan.status}
    lines = _render_request(request) if request else _render_rest(rests) if rests else _render(plan)
    once = "        (once it is done)" if command.startswith("planrail done ") else ""
    return Answer({"plan": plan.path, **told}, lines, command=command + once)


def _look_up(path: str) -> "tuple[RunLook | None, RunState | None]":
    """What a document does not know: how the plan stands where phases of it wait in a pull request, else its run that
    rests."""
    import time

    from planrail.projects.plan_proofs import may_be_known

    if not may_be_known(path):
        return None, None
    from planrail.approval.book import open_plan_file
    from planrail.store.runs.run_folders import list_runs
    from planrail.team.looking import look
    from planrail.team.next_steps import find_rest

    plan_file = open_plan_file(path)
    newest = next(iter(list_runs(plan_file.root, plan_file.id)), None)
    if newest is not None and newest.is_over and newest.order.options.landing == "pr":
        seen = look(plan_file, time.time())
        if any(phase.is_in_request for phase in seen.phases):
            return seen, None
    return None, find_rest(plan_file.root, plan_file.id)


def _render_rest(rests: "RunState") -> "Iterator[str]":
    from planrail.base.masking import mask
    from planrail.runs.reporting.gathering import last_word
    from planrail.team.next_steps import retype

    yield f"the run {rests.order.run} is {rests.state}: {mask(retype(rests, last_word(rests)))}".rstrip(": ")


def _render_request(seen: "RunLook") -> "Iterator[str]":
    waiting = [look.id for look in seen.phases if look.is_in_request]
    yield f"in the pull request: {', '.join(f'phase {name}' for name in waiting)}"
    upcoming = next((look for look in seen.phases if look.is_next), None)
    if upcoming is not None:
        yield f"next is {paint(f'phase {upcoming.id}', 'bold')}: {upcoming.title}"
    elif seen.run is not None and seen.run.ending is not None:
        yield seen.run.ending.text


_SENTENCES = {
    Route.RUN: "start",
    Route.RESUME: "go on with",
    Route.DEFER: "already under way is",
    Route.FINALISE: "every phase is finished; the plan is not marked so",
    Route.COMPLETE: "the plan is complete",
    Route.NONE: "there is nothing to execute",
}


def _render(plan: Plan) -> "Iterator[str]":
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    if upcoming is None:
        yield f"{plan.title}: {_SENTENCES[plan.route]}"
        for phase in plan.phases:
            if not phase.status.is_terminal:
                yield paint(f"  {phase.id} {phase.title} is {phase.status} ({phase.reason})", "dim")
        return
    yield f"{_SENTENCES[plan.route]} {paint(f'phase {upcoming.id}', 'bold')}: {upcoming.title}"
    yield f"  {paint(*GLYPHS[upcoming.status])} {upcoming.status}  {paint(upcoming.reason, 'dim')}"
    if plan.next and plan.next.item:
        yield f"  first: {plan.next.item}"
    waiting = [name for name in upcoming.depends_on if (needed := plan.phase(name)) and not needed.status.is_terminal]
    if waiting:
        yield paint(f"  but it depends on {', '.join(waiting)}, which is not finished", "yellow")
