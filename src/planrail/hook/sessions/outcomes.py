"""What a decision comes to: the session as it shall be, the answer, and what else is to be done."""

from planrail.base.records import record
from planrail.hook.sessions.answers import SILENCE, Answer
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.world import Ticket


@record
class LeaveTicket:
    """Write a ticket for the session that comes after a clear."""

    ticket: Ticket


@record
class ClaimTicket:
    """Take a ticket, so that nobody else can."""

    ticket: Ticket


@record
class EndLoop:
    """Bring a loop to its end."""

    path: str


@record
class OpenEditor:
    """Show the plan to the person."""

    path: str


@record
class RecordStage:
    """Note that a plan was proposed or approved."""

    plan: str
    stage: str
    is_edited: bool = False  # by the person, since it was proposed


@record
class EndPlanning:
    """Note that a planning has ended before its last phase, or with an approval."""

    authoring: str
    is_approved: bool


Effect = LeaveTicket | ClaimTicket | EndLoop | OpenEditor | RecordStage | EndPlanning


@record
class Outcome:
    """`session` None: there is nothing to keep. `retire`: the session has ended, and may be resumed."""

    session: Session | None
    answer: Answer = SILENCE
    effects: tuple[Effect, ...] = ()
    retire: bool = False
