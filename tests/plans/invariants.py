"""What holds for every plan, whatever the document says."""

from planrail.plans.model import Plan
from planrail.plans.states import PlanStatus, Route, State
from planrail.plans.text.source import PlanSource

_ROUTES = {
    Route.RUN: {State.TODO, State.UNKNOWN},
    Route.RESUME: {State.PARTIAL, State.IN_PROGRESS},
    Route.DEFER: {State.IN_PROGRESS},
}


def check(plan: Plan, source: PlanSource) -> None:
    """Assert everything that a reader of any plan may rely on."""
    check_next(plan)
    check_phases(plan, source)
    lines = _line_count(source)
    assert [problem.line for problem in plan.diagnostics] == sorted(problem.line for problem in plan.diagnostics)
    assert all(1 <= problem.line <= lines and problem.rule and problem.message for problem in plan.diagnostics)


def check_next(plan: Plan) -> None:
    """What comes next is open work, and the route fits it."""
    is_finished = all(phase.status.is_terminal for phase in plan.phases)
    if plan.next is None:
        assert plan.route in (Route.NONE, Route.COMPLETE, Route.FINALISE)
        assert (plan.route is Route.NONE) == (not plan.phases or not is_finished or _has_open_work(plan))
        return
    upcoming = [phase for phase in plan.phases if phase.id == plan.next.phase and not phase.status.is_terminal]
    assert upcoming
    assert upcoming[0].status is not State.BLOCKED
    assert upcoming[0].status in _ROUTES[plan.route]


def check_phases(plan: Plan, source: PlanSource) -> None:
    """Each phase has a state with a reason, and stands somewhere in the text."""
    lines, ids = _line_count(source), {phase.id for phase in plan.phases}
    for phase in plan.phases:
        assert phase.reason
        assert 1 <= phase.line <= lines
        assert (phase.proof is not None) == (phase.claim is not None and phase.status is not State.UNKNOWN)
        assert all(0 <= item.line <= lines for item in phase.items)
        if phase.claim and phase.claim.start >= 0:
            assert phase.claim.start <= max(phase.claim.start, phase.claim.end) <= len(source.text)
        if plan.dialect == "markdown":
            assert set(phase.depends_on) <= ids - {phase.id}
    if plan.phases and all(phase.status.is_terminal for phase in plan.phases):
        assert plan.status is (PlanStatus.IN_PROGRESS if _has_open_work(plan) else PlanStatus.COMPLETE)


def _has_open_work(plan: Plan) -> bool:
    """Whether the plan names work that is open beside its phases."""
    return any(problem.rule == "open-work" for problem in plan.diagnostics)


def _line_count(source: PlanSource) -> int:
    return source.text.count("\n") + source.text.count("\r") + 1
