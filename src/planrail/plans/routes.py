"""Routes: how far a plan is, which phase comes next, and what to do with it. Pure decisions over phases."""

from planrail.base.records import replace
from planrail.plans.model import Beside, Diagnostic, Header, Next, Phase, Plan
from planrail.plans.states import PlanStatus, Route, State
from planrail.plans.units.dependencies import find_cycle

NOTHING_BESIDE = Beside()
_NOT_WORKABLE = (State.DONE, State.SKIPPED, State.BLOCKED)
_BEGUN = PlanStatus.IN_PROGRESS
_STATUS = {State.DONE: PlanStatus.COMPLETE, State.IN_PROGRESS: _BEGUN, State.PARTIAL: _BEGUN}
_STATUS[State.TODO] = PlanStatus.NOT_STARTED


def decide_status(phases: list[Phase], header: Header | None, beside: Beside = NOTHING_BESIDE) -> PlanStatus:
    """How far the plan is. Its phases decide; its header is heard only where they say nothing.

    A plan that lists finished work beside its phases has been started, and one that lists open work there is not
    complete, unless it says so itself.
    """
    states = {phase.status for phase in phases}
    if not states - {State.UNKNOWN}:
        has_unknown_marks = any(phase.claim is not None for phase in phases)
        return PlanStatus.UNKNOWN if has_unknown_marks else _header_status(header)
    if all(state.is_terminal for state in states):
        is_said = header is not None and header.state is State.DONE
        return PlanStatus.IN_PROGRESS if beside.open_line and not is_said else PlanStatus.COMPLETE
    if header is not None and not any(phase.claim for phase in phases):
        return _header_status(header) if header.state is not None else PlanStatus.NOT_STARTED
    is_started = beside.is_started or any(state.is_started for state in states)
    return PlanStatus.IN_PROGRESS if is_started else PlanStatus.NOT_STARTED


def _header_status(header: Header | None) -> PlanStatus:
    return _STATUS.get(header.state, PlanStatus.UNKNOWN) if header and header.state else PlanStatus.UNKNOWN


def decide_next(phases: list[Phase]) -> Phase | None:
    """The first phase that is open and whose dependencies are finished; None where there is nothing to do.

    First means in the document's order, unless the document ranks its phases by urgency (the lower, the sooner): then a
    tool keeps it, which offers nothing where all that is open waits.
    """
    finished = {phase.id for phase in phases if phase.status.is_terminal and phase.opens_others}
    open_phases = [phase for phase in phases if phase.status not in _NOT_WORKABLE and phase.is_offered]
    is_ranked = any(phase.urgency for phase in open_phases)
    if is_ranked:
        open_phases.sort(key=lambda phase: phase.urgency)
    for phase in open_phases:
        if not phase.awaits_needs or all(name in finished for name in phase.depends_on):
            return phase
    return open_phases[0] if open_phases and not is_ranked else None


def decide_route(
    phases: list[Phase], upcoming: Phase | None, header: Header | None, status: PlanStatus, *, has_header: bool = True
) -> Route:
    """What to do now. A phase that a worker marked as in progress is the worker's; one that planrail counted is not.

    A plan that has no place for a status of its own (`has_header`) is complete when its phases are.
    """
    if not phases:
        return Route.NONE
    if upcoming is None:
        if status is not PlanStatus.COMPLETE:
            return Route.NONE
        is_marked = header is not None and header.state is State.DONE
        return Route.COMPLETE if is_marked or not has_header else Route.FINALISE
    if upcoming.status is State.PARTIAL:
        return Route.RESUME
    if upcoming.status is State.IN_PROGRESS:
        return Route.DEFER if upcoming.claim and upcoming.claim.is_explicit else Route.RESUME
    return Route.RUN


def conclude(plan: Plan, *, has_header: bool) -> Plan:
    """A plan of whose phases nothing was concluded yet: how far it is, what is next, whether its needs can be met."""
    phases, header, problems, beside = plan.phases, plan.header, plan.diagnostics, plan.beside
    cycle = find_cycle({phase.id: phase.depends_on for phase in phases})
    if cycle:
        problems.append(Diagnostic(phases[0].line, "cycle", "the dependencies form a cycle: " + " → ".join(cycle)))
    upcoming = decide_next(phases)
    status = decide_status(phases, header, beside)
    is_over = bool(phases) and upcoming is None and all(phase.status.is_terminal for phase in phases)
    if is_over and status is PlanStatus.IN_PROGRESS:
        message = "all phases are finished, but work is open beside them: tick it, or make it a phase"
        problems.append(Diagnostic(beside.open_line, "open-work", message))
    return replace(
        plan,
        status=status,
        next=Next(upcoming.id, upcoming.next_item) if upcoming else None,
        route=decide_route(phases, upcoming, header, status, has_header=has_header),
        diagnostics=sorted(problems, key=lambda problem: problem.line),
    )
