"""What happens when an agent wants to end its turn."""

from planrail.records import replace
from planrail.sessions.answers import join
from planrail.sessions.events import Event
from planrail.sessions.filling import decide_hold
from planrail.sessions.outcomes import Outcome
from planrail.sessions.plan_mode import follow_mode, report_changes
from planrail.sessions.state import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.sessions.world import World


def decide_stop(session: Session, event: Event, world: "World") -> Outcome:
    """The answer to a stop: held at most once for a full window, and never where the agent already goes on for one.

    Hosts end a turn by force after eight holds in a row; planrail holds one.
    """
    # A turn that ends without the plan being accepted has answered the proposal: it is not before the person any more.
    followed = follow_mode(session, event, world)
    session = replace(followed.session or session, proposing=False)
    followed = replace(followed, session=session)
    if event.stop_active:
        return followed
    if session.planning:
        session, answer = report_changes(session, world)
        followed = replace(followed, session=session, answer=join(followed.answer, answer))
    if session.spared:
        return replace(followed, session=replace(session, spared=False))
    if session.held or event.waits_for_tasks or session.loop or world.loop() is not None:
        return followed
    fill = world.fill()
    if fill is None or fill.percent < fill.hold:
        return followed
    held = decide_hold(session, fill, world)
    return replace(held, effects=followed.effects + held.effects, answer=join(followed.answer, held.answer))
