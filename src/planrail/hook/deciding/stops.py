"""What happens when an agent wants to end its turn."""

from planrail.base.records import replace
from planrail.hook.deciding.plan_mode import follow_mode, report_changes
from planrail.hook.sessions.events import Event, Outcome, join
from planrail.hook.sessions.state import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.world import World


def _note_plan(session: Session, world: "World") -> Session:
    if not (session.planning and session.plan):
        return session
    from planrail.hook.deciding.authored import leave_mark

    return leave_mark(session, world)


def decide_stop(session: Session, event: Event, world: "World") -> Outcome:
    """The answer to a stop: held for the next phase of a planning, else at most once for a full window.

    For a full window it is never held where the agent already goes on for an earlier hold.
    """
    # A turn that ends without the plan being accepted has answered the proposal: it is not before the person any more.
    followed = follow_mode(session, event, world)
    session = replace(followed.session or session, proposing=False)
    followed = replace(followed, session=session)
    is_carried = session.authoring != "" and session.planning
    if event.stop_active and not is_carried:
        return replace(followed, session=_note_plan(session, world))
    if session.planning:
        session, answer = report_changes(session, world)
        session = _note_plan(session, world)
        followed = replace(followed, session=session, answer=join(followed.answer, answer))
    if is_carried and not event.waits_for_tasks:
        from planrail.hook.deciding.authored import decide_authored_stop

        followed = decide_authored_stop(followed, event, world)
        if followed.answer.decision or event.stop_active:
            return followed
        session = followed.session or session
    if session.spared:
        return replace(followed, session=replace(session, spared=False))
    if session.held or event.waits_for_tasks or session.loop or world.loop() is not None:
        return followed
    fill = world.fill()
    if fill is None or fill.percent < fill.hold:
        return followed
    from planrail.hook.deciding.filling import decide_hold

    held = decide_hold(session, fill, world)
    return replace(held, effects=followed.effects + held.effects, answer=join(followed.answer, held.answer))
