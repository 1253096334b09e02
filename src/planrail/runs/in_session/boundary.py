"""The boundary between two phases: what comes next, and a plan that comes back after a clear."""

import time

from planrail.approval.feedback import find_sessions
from planrail.base.records import record, replace
from planrail.base.state_folder import state_folder
from planrail.hook.sessions.state import PLAN_COMPLETED, PLAN_PENDING, Session
from planrail.hook.sessions.store import update
from planrail.plans.model import Plan
from planrail.plans.states import Proof, State


@record
class Boundary:
    """Where a plan stands after a phase. `open` are phases that are not finished, `claimed` those nobody has proven."""

    next: str
    open: tuple[str, ...]
    claimed: tuple[str, ...]
    proven: int
    adopted: int

    @property
    def is_complete(self) -> bool:
        return not (self.open or self.claimed)


def stand_at(plan: Plan) -> Boundary:
    """Where a plan stands, as the document and the ledger say together. A phase that is skipped needs no proof."""
    done = [phase for phase in plan.phases if phase.status is State.DONE]
    return Boundary(
        plan.next.phase if plan.next else "",
        tuple(phase.id for phase in plan.phases if not phase.status.is_terminal),
        tuple(phase.id for phase in done if phase.proof not in (Proof.PROVEN, Proof.ADOPTED)),
        sum(phase.proof is Proof.PROVEN for phase in done),
        sum(phase.proof is Proof.ADOPTED for phase in done),
    )


def set_ticket(place: str, boundary: Boundary) -> list[str]:
    """Have the plan come back, after a clear, in the sessions that are at work on it. Their ids."""
    intent, now = (PLAN_COMPLETED if boundary.is_complete else PLAN_PENDING), int(time.time())

    def want(current: Session | None) -> Session | None:
        return replace(current, intent=intent, intent_at=now) if current is not None else None

    found = [session for session in find_sessions(place) if not session.planning]
    for session in found:
        update(state_folder(), session.agent, session.id, want)
    return [session.id for session in found]
