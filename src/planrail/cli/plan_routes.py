"""What to type, for the route that a plan is on as its document says; and the phase that was typed."""

from planrail.base.errors import PlanrailError, UsageError
from planrail.base.wording import quote
from planrail.plans.model import Phase, Plan
from planrail.plans.states import Route


def next_command(plan: Plan) -> str:
    name = quote(plan.path)
    match plan.route:
        case Route.RUN | Route.RESUME:
            return f"planrail run {name} {quote(plan.next.phase)}" if plan.next else f"planrail run {name}"
        case Route.DEFER:
            return _look_after(plan, name)
        case Route.FINALISE:
            return f"planrail set {name} --plan complete"
        case Route.COMPLETE:
            return f"planrail show {name}"
        case Route.NONE:
            return f"planrail lint {name}"


def _look_after(plan: Plan, name: str) -> str:
    """Somebody is at work: a run, which tells how far it is; or a person or an agent by hand, as the document says."""
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    if upcoming is None or upcoming.claim is None:
        return f"planrail status {name}"
    return f"planrail done {name} {quote(upcoming.id)}"


def find_phase(plan: Plan, name: str, kind: type[PlanrailError] = UsageError) -> Phase:
    """The phase of this id, else an error of this kind."""
    phase = plan.phase(name)
    if phase is None:
        ids = ", ".join(known.id for known in plan.phases[:20]) or "none"
        raise kind(f"{plan.path} has no phase {name!r}; it has: {ids}", remedy=f"planrail show {quote(plan.path)}")
    return phase
