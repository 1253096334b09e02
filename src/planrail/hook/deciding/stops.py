"""What happens when an agent wants to end its turn. A planning begins with a request, and each stop is an answer."""

from planrail.base.records import replace
from planrail.hook.deciding.plan_mode import follow_mode, mark_of, report_changes
from planrail.hook.sessions.events import GO_ON, HOLD, REFUSE, Effect, Event, EventOutcome, HookAnswer, World, join
from planrail.hook.sessions.state import DRAFT, PROPOSED, Session

# Claude Code ends a turn by force at the ninth stop that is held with no tool between (measured, 2.1.197 and 2.1.325),
# and loses what was said last. A tool, or a user who types, starts the count anew.
MOST_HOLDS = {"claude": 8}
_PAUSE = "planrail: the planning pauses here, because the agent would be stopped by force. Type `continue` to go on."


def begin_request(session: Session, text: str, world: World, *, is_plain: bool) -> EventOutcome:
    """Begin a planning in a session that is in plan mode. Plain: words that were said after a bare command."""
    begun = world.begin(text, session.plan, is_plain=is_plain)
    if begun.refusal:
        return EventOutcome(session, HookAnswer(REFUSE, begun.refusal))
    plan, blocking = begun.plan or session.plan, session.blocking and begun.block
    planning = replace(session, authoring=begun.authoring, awaits_request=False, blocking=blocking, plan=plan, holds=0)
    return EventOutcome(planning, HookAnswer(message=begun.complaint))


def decide_stop(session: Session, event: Event, world: World) -> EventOutcome:
    """The answer to a stop: held for the next phase of a planning, else at most once for a full window.

    For a full window it is never held where the agent already goes on for an earlier hold.
    """
    # A turn that ends without the plan being accepted has answered the proposal: it is not before the user any more.
    followed = follow_mode(session, event, world).change(proposing=False)
    session = followed.session
    if session.plan:
        from planrail.hook.deciding.executing import answer_stop

        followed = answer_stop(followed, event, world)
        session = followed.session
        if followed.answer.decision:
            return followed
    is_carried = session.authoring != "" and session.planning
    if event.stop_active and not is_carried:
        return replace(followed, session=leave_mark(session, world) if session.planning else session)
    if session.planning:
        followed = report_changes(session, world).after(followed)
        session = leave_mark(followed.session, world)
        followed = replace(followed, session=session)
        if event.agent == "codex" and not is_carried:
            from planrail.hook.deciding.examining import examine_message

            followed = examine_message(followed, event, world)
            if followed.answer.decision:
                return followed
            session = followed.session
    if is_carried and not event.waits_for_tasks:
        followed = decide_authored_stop(followed, event, world)
        if followed.answer.decision or event.stop_active:
            return followed
        session = followed.session
    if session.spared:
        return followed.change(spared=False)
    if session.held or event.waits_for_tasks or session.loop or world.loop() is not None:
        return followed
    fill = world.fill()
    if fill is None or fill.percent < fill.hold:
        return followed
    from planrail.hook.deciding.filling import decide_hold

    return decide_hold(session, fill, world).after(followed)


def decide_authored_stop(outcome: EventOutcome, event: Event, world: World) -> EventOutcome:
    """The stop of a session that is carried through phases: what it said is judged, and it goes on or is free."""
    session = outcome.session
    authored = world.author(session)
    answer = join(outcome.answer, HookAnswer(message=authored.message))
    if authored.reason and session.holds >= MOST_HOLDS.get(event.agent, 1_000):
        paused = leave_mark(replace(session, holds=0), world)
        return replace(outcome, session=paused, answer=join(answer, HookAnswer(message=_PAUSE)))
    if authored.reason:
        held = leave_mark(replace(session, holds=session.holds + (not authored.is_repeated), stage=DRAFT), world)
        return replace(outcome, session=held, answer=replace(answer, decision=HOLD, reason=authored.reason))
    after = replace(session, holds=0, authoring="" if authored.is_over else session.authoring)
    effects = outcome.effects
    if authored.is_proposed:
        after = replace(after, stage=PROPOSED, proposed_mark=mark_of(world.text(session.plan)))
        effects = (*effects, Effect("record_stage", session.plan, stage=PROPOSED))
    return replace(outcome, session=leave_mark(after, world), answer=replace(answer, decision=GO_ON), effects=effects)


def leave_mark(session: Session, world: World) -> Session:
    """The session with a note of how the agent leaves its plan, so that a user's edit is noticed."""
    return replace(session, plan_mark=mark_of(world.text(session.plan))) if session.plan else session


def notice_edit(session: Session, world: World) -> Session:
    """The session with a notice for the agent where another changed its plan since its last turn."""
    mark = mark_of(world.text(session.plan)) if session.plan and session.plan_mark else session.plan_mark
    if mark == session.plan_mark:
        return session
    text = (
        f"The user edited the plan file since your last turn: {session.plan}. Read it again before you go on, and keep"
        " what they changed."
    )
    report = f"{session.report}\n\n{text}" if session.report else text
    return replace(session, plan_mark=mark, report=report)
