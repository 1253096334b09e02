"""What to type, for the route that a plan is on as its document says."""

from planrail.base.wording import quote
from planrail.plans.model import Plan
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
    """At work is a run, which tells how far it is; or a person or an agent by hand, as the document says."""
    upcoming = plan.phase(plan.next.phase) if plan.next else None
    if upcoming is None or upcoming.claim is None:
        return f"planrail status {name}"
    return f"planrail done {name} {quote(upcoming.id)}"
