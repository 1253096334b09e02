"""Say what to do next in a plan, and the command for it."""

from planrail.base.wording import Answer, paint
from planrail.cli.screen import GLYPHS
from planrail.plans.model import Plan
from planrail.plans.states import Route
from planrail.projects.next_step import next_command

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
    seen = _look_up(path)
    phase, item = (plan.next.phase, plan.next.item) if plan.next else (None, None)
    command, lines = next_command(plan), _render(plan)
    if seen is not None:
        from planrail.team.next_steps import following

        command = following(seen)
        if any(look.is_in_request for look in seen.phases):
            phase, item = next((look.id for look in seen.phases if look.is_next), None), None
            lines = _render_request(seen)
        elif seen.run is not None and (not seen.run.is_over or seen.run.state == "failed") and not seen.run.is_live:
            lines = _render_rest(seen.run)
    told = {"phase": phase, "item": item, "command": command, "route": plan.route, "status": plan.status}
    once = "        (once it is done)" if command.startswith("planrail done ") else ""
    return Answer({"plan": plan.path, **told}, lines, command=command + once)


def _look_up(path: str) -> "RunLook | None":
    """What a document does not know: how its runs stand, and what waits in the queue or in a pull request."""
    import time

    from planrail.projects.plan_proofs import may_be_known

    if not may_be_known(path):
        return None
    from planrail.approval.book import open_plan_file
    from planrail.team.looking import look

    return look(open_plan_file(path), time.time())


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
