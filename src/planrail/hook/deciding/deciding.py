"""The one door: an event comes to a session, and a decision comes out."""

from planrail.base.records import replace
from planrail.hook.sessions import events
from planrail.hook.sessions.events import SILENCE, Event, EventOutcome, HookAnswer, World, join
from planrail.hook.sessions.state import Session

_HEARING = (events.PROMPT, events.TOOL, events.STOP)
# What a session goes by is its own: a sub-agent is held to its rules, and decides nothing for it.
_OF_THE_SESSION = (events.PROMPT, events.STOP, events.FAILED, events.TASK, events.START, events.END)
_FIRST = (events.PROMPT, events.TOOL, events.TOOL_DONE)  # where an agent can be told something
MOST = 9_900  # characters: agents cut what a hook tells them at about 10,000


def decide(session: Session, event: Event, world: World) -> EventOutcome:
    """What shall be after an event, with nothing in it that is too long to arrive."""
    if session.is_fork or event.kind == events.START:
        session = _inherit(session, event, world)
    if session.answered and event.kind in _HEARING and not event.subagent:
        from planrail.hook.deciding.consent import hear_answer

        heard = hear_answer(session, event, world)
        outcome = heard if heard.answer.decision else _decide(heard.session, event, world).after(heard)
    elif event.process and event.kind in _FIRST and session.is_blank and not event.subagent:
        outcome = _decide_first(session, event, world)
    else:
        outcome = _decide(session, event, world)
    # Which process of the agent it runs in: another one, when it is resumed.
    if event.process and event.kind != events.END and not outcome.session.is_blank:
        outcome = outcome.change(process=event.process)
    if session.told_next and event.kind in (events.STOP, events.PROMPT) and not event.subagent:
        said = join(HookAnswer(message=session.told_next), outcome.answer)
        outcome = replace(outcome.change(told_next=""), answer=said)
    told = {"context": outcome.answer.context, "reason": outcome.answer.reason}
    cut = {name: text[: MOST - 1] + "…" for name, text in told.items() if len(text) > MOST}
    return replace(outcome, answer=replace(outcome.answer, **cut)) if cut else outcome


def _inherit(session: Session, event: Event, world: World) -> Session:
    """The session with what its parent had, if it is a branch of one; marked where that shows only later."""
    if event.kind == events.START:
        if event.source not in ("fork", "resume") or not session.is_blank:
            return session
    elif not session.is_fork or event.kind not in (events.TOOL, events.TOOL_DONE, events.PROMPT):
        return session
    parent = world.parent()
    if isinstance(parent, Session):
        return replace(parent, id=session.id, process=event.process, is_fork=False, proposing=False, authoring="")
    return replace(session, is_fork=parent and (session.is_fork or event.source == "fork"))


def _decide_first(session: Session, event: Event, world: World) -> EventOutcome:
    """A decision in a session that nothing is known of: what the conversation before it left is taken up first."""
    from planrail.hook.deciding.clears import decide_first
    from planrail.hook.deciding.prompts import is_load

    taken = decide_first(session, event, world)
    outcome = _decide(taken.session, event, world)
    if not taken.effects:
        return outcome
    told = replace(taken, answer=SILENCE) if is_load(event) else taken  # otherwise the plan would be there twice
    others = tuple(effect for effect in outcome.effects if effect not in taken.effects)
    return replace(outcome, effects=others).after(told)


def _decide(session: Session, event: Event, world: World) -> EventOutcome:
    """What shall be after an event. Each kind's module is loaded when it is needed: a tool call pays for no other."""
    if event.subagent and event.kind in _OF_THE_SESSION:
        return EventOutcome(session)
    match event.kind:
        case events.TOOL | events.PERMISSION | events.TOOL_DONE:
            from planrail.hook.deciding.tools import decide_permission, decide_tool, decide_tool_done

            deciders = {events.TOOL: decide_tool, events.PERMISSION: decide_permission}
            return deciders.get(event.kind, decide_tool_done)(session, event, world)
        case events.PROMPT:
            from planrail.hook.deciding.prompts import decide_prompt

            return decide_prompt(session, event, world)
        case events.STOP:
            from planrail.hook.deciding.stops import decide_stop

            return decide_stop(session, event, world)
        case events.FAILED | events.TASK:
            from planrail.hook.deciding.executing import decide_failure, decide_task

            return (decide_task if event.kind == events.TASK else decide_failure)(session, event, world)
        case events.START | events.END:
            from planrail.hook.deciding.clears import decide_end, decide_start

            return (decide_start if event.kind == events.START else decide_end)(session, event, world)
        case events.SUBAGENT_START:
            if not session.planning:
                return EventOutcome(session)
            from planrail.hook.deciding.reminders import render_subagent
            from planrail.hook.deciding.tools import plan_file_of

            plan = plan_file_of(session, event) if session.plan else ""
            return EventOutcome(session, HookAnswer(context=render_subagent(plan)))
        case _:
            return EventOutcome(session)
