"""What comes next for a plan? One decision for every command that names a next step, so that all name the same.

`run`, `resume`, `status`, `next`, `report` and `watch` gather the facts, each as far as it must; here they are weighed.
"""

import os

from planrail.base.records import record
from planrail.base.state_folder import state_folder
from planrail.base.wording import quote
from planrail.plans.files.plan_files import ARCHIVE
from planrail.plans.model import Plan
from planrail.plans.states import Route

BEGIN = 'planrail plans new "what is to be done"'
RUNNING = "running"
_FAILED = ("failed", "stopped")


@record
class PlanFacts:
    """What is known of a plan. `path` and the commands are as one would type them here; `path` is "" without a plan.

    What an open phase still lacks (an approval, a test command, a commit of its edits) is no fact of its own: `planrail
    run` asks for all of that, and without a terminal it names what does it.
    """

    path: str = ""
    route: Route = Route.NONE
    phase: str = ""  # the one that comes next
    has_phases: bool = True
    by_hand: bool = False  # a person or an agent is at work on it, as the document says
    is_archived: bool = False
    run: str = ""  # the state of its newest run, "" where there is none
    is_stuck: bool = False
    is_queued: bool = False
    rests: str = ""  # what goes on with its run, where that rests
    again: str = ""  # what does it once more, where it failed or was stopped and nothing has made up for it
    elsewhere: str = ""  # what brings here what has landed elsewhere


def decide_command(facts: PlanFacts) -> str:
    """The one command to type next. Pure."""
    path = facts.path
    if not path:
        return BEGIN
    if facts.run == RUNNING:
        return f"planrail {'stop' if facts.is_stuck else 'watch'} {path}"
    if facts.is_queued:
        return "planrail queue"
    if waiting := facts.rests or (facts.again if facts.run in _FAILED else "") or facts.elsewhere:
        return waiting
    if facts.is_archived:
        name = path.rpartition("/")[2]
        return f"planrail plans restore {name.removesuffix('.md')}"
    return _follow_route(facts)


def _follow_route(facts: PlanFacts) -> str:
    path = facts.path
    match facts.route:
        case Route.RUN | Route.RESUME:
            return f"planrail run {path} {quote(facts.phase)}" if facts.phase else f"planrail run {path}"
        case Route.DEFER:  # at work is a run, or a person or an agent by hand
            return f"planrail done {path} {quote(facts.phase)}" if facts.by_hand else f"planrail watch {path}"
        case Route.FINALISE:
            return f"planrail set {path} --plan complete"
        case Route.COMPLETE:  # nothing is left to do: what is there to see
            return f"planrail show {path}"
        case Route.NONE:  # all that is open waits for something else, or there is nothing in it
            return f"planrail {'show' if facts.has_phases else 'lint'} {path}"


def facts_of(plan: Plan, path: str = "") -> PlanFacts:
    """What a document alone says, with what is known of its phases."""
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    return PlanFacts(
        path or quote(plan.path),
        plan.route,
        plan.next.phase if plan.next else "",
        has_phases=bool(plan.phases),
        by_hand=upcoming is not None and upcoming.claim is not None,
        is_archived=_is_archived(os.path.realpath(plan.path)),
    )


def _is_archived(place: str) -> bool:
    """Whether planrail has put it into the archive beside its folder."""
    if os.path.basename(os.path.dirname(place)) != ARCHIVE:
        return False
    from planrail.plans.files import lifecycle

    known = lifecycle.load(state_folder(), place)
    return known is not None and known.stage == lifecycle.ARCHIVED


def next_command(plan: Plan) -> str:
    return decide_command(facts_of(plan))
