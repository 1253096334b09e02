"""Sessions that begin and end: how a plan goes through a clear, by a ticket that only one session can claim."""

from planrail.base.records import replace
from planrail.hook.deciding import capsule
from planrail.hook.deciding.plan_mode import enter, render_rules
from planrail.hook.deciding.reminders import render_proposal
from planrail.hook.sessions.events import PLAN_MODE, Effect, Event, EventOutcome, HookAnswer, World
from planrail.hook.sessions.state import NO_PLAN, PLAN_COMPLETED, PLAN_PENDING, Session, Summary
from planrail.hook.sessions.world import Ticket

MINUTE = 60  # by which two clocks of one clear may differ
HOUR = 3_600
DAY = 24 * HOUR  # how long a session is kept that is not heard of
CLEAR = "clear"
_CARRIED = ("plan", "stage", "proposing", "mode_before", "snapshot", "authoring")  # from a session to its ticket


def decide_end(session: Session, event: Event, world: World) -> EventOutcome:
    """What a session leaves when it ends: by a clear a ticket, otherwise itself, in case it is resumed."""
    if event.source != CLEAR:
        return EventOutcome(session, retire=True)
    is_empty = not (session.plan or session.loop or session.intent or session.planning)
    process = event.process or session.process
    waiting = [ticket.session for ticket in world.tickets()] if is_empty and not process else []
    if is_empty and (not waiting or session.id in waiting):
        # Otherwise an empty one keeps the next session from taking a neighbour's for its own.
        return EventOutcome(session, is_over=True)
    # A plan that is still being written is nothing to carry out.
    intent = "" if session.planning else session.intent
    if not intent and session.loop:
        intent = PLAN_PENDING if session.plan else NO_PLAN
    loop, path = session.loop, session.loop.get("path")
    if isinstance(path, str) and not loop.get("is_ended"):
        from planrail.hook.sessions.loops import read_loop

        if read_loop(world.text(path), path) is None:  # it ended by itself, and not for the clear
            loop = {**loop, "is_over": True}
    carried = {name: getattr(session, name) for name in _CARRIED}
    carried |= {"intent": intent, "loop": loop, "planning": session.planning and session.own_mode}
    project = session.project or world.project()
    ticket = Ticket(session.agent, session.id, project, process, world.now, **carried)
    return EventOutcome(session, effects=(Effect("leave_ticket", ticket=ticket),), is_over=True)


def decide_start(session: Session, event: Event, world: World) -> EventOutcome:
    if event.source not in (CLEAR, "compact"):
        if session.planning and session.own_mode:
            return EventOutcome(session, HookAnswer(context=render_rules(session, world)))
        return EventOutcome(session, HookAnswer(context=render_proposal(world.settings().get("propose"))))
    is_clear = event.source == CLEAR
    outcome = _after_clear(session, event, world) if is_clear else _after_compaction(session, world)
    if event.mode == PLAN_MODE or outcome.session.planning:
        return outcome  # an agent that plans is told of its planning alone
    text = world.prime()  # where the project's tasks stand, behind the plan
    if text and len(outcome.answer.context) + len(text) + 2 > capsule.LIMIT:
        text = "This project has open tasks: `planrail prime` tells where they stand."
    return outcome.tell(text)


def _after_compaction(session: Session, world: World) -> EventOutcome:
    """The window is empty again; the plan is still there, and the agent must not have forgotten it."""
    fresh = replace(session, warned=0, held=False)
    if session.planning:
        return EventOutcome(fresh, HookAnswer(context=render_rules(session, world)))
    if not session.plan:
        return EventOutcome(fresh)
    summary = world.summary(session.plan)
    if not summary.status or summary.status == "complete":
        return EventOutcome(fresh, HookAnswer(context=capsule.render_mention(session.plan, summary)))
    is_wanted = session.intent == PLAN_PENDING
    render = capsule.render_resume if is_wanted else capsule.render_capsule
    text = render(session.plan, summary, world.text(session.plan))
    kept = replace(fresh, intent="" if is_wanted else session.intent, summary=summary)
    return EventOutcome(kept, HookAnswer(context=text))


def decide_first(session: Session, event: Event, world: World) -> EventOutcome:
    """The first event of a session that may come after a clear, whichever it is: its start may not have been told.

    Only the agent's process tells a new session from an old one that has no plan. And only a start says that nobody has
    typed anything since a proposal: without it, going to work is no approval.
    """
    own = choose_tickets(world.tickets(), event.process, world.project())
    if not own or world.began_before(own[0].at - MINUTE):
        return EventOutcome(session)
    return _claim(own[0], session, event, world).change(proposing=False)


def _after_clear(session: Session, event: Event, world: World) -> EventOutcome:
    candidates = choose_tickets(world.tickets(), event.process, world.project())
    if not candidates or not session.is_blank:
        return EventOutcome(session)
    silent = [] if event.process else world.silent_sessions(HOUR)
    if len(candidates) + len(silent) == 1:
        return _claim(candidates[0], session, event, world)
    # Nobody can tell which session this is. If it may be one that planned, it is held: a guard is never lost.
    asked = EventOutcome(session, HookAnswer(context=render_choice(candidates, silent)))
    if not any(ticket.planning for ticket in candidates):
        return asked
    entered = enter(session, event, world, own_mode=True)
    rules = render_rules(entered.session, world)
    return EventOutcome(entered.session, HookAnswer(context=rules)).after(entered.after(asked))


def choose_tickets(tickets: list[Ticket], process: str, project: str) -> list[Ticket]:
    """The tickets that can be meant: the agent's own process knows for certain, else those of the project.

    One that was left by a known process goes to that process or to nobody, and that process takes no other.
    """
    if process:
        return [ticket for ticket in tickets if ticket.process == process][:1]
    return [ticket for ticket in tickets if ticket.project == project and not ticket.process]


def render_choice(candidates: list[Ticket], silent: list[Session]) -> str:
    """The plans that may be meant. `silent` ones are still held by a session that may have ended without a word."""
    cleared = [f"- {ticket.plan or 'a session without a plan'}" for ticket in candidates]
    held = [
        f"- {other.plan}, which another session has; if that one is over, the user frees the plan in a terminal:"
        f" planrail detach --session {other.id} --agent {other.agent}"
        for other in silent
    ]
    plans = "\n".join((cleared + held)[:10])
    several = "Several sessions" if len(cleared + held) > 1 else "Another session"
    return (
        f"{several} in this project may be the one that this one follows, and planrail cannot tell:\n"
        f"{plans}\nAsk the user which plan to go on with; `!load-plan NAME` brings it back. Load none by yourself."
    )


def _claim(ticket: Ticket, session: Session, event: Event, world: World) -> EventOutcome:
    if not (ticket.plan or ticket.loop or ticket.intent or ticket.planning):
        return EventOutcome(session, effects=(Effect("claim_ticket", ticket=ticket),))
    summary = world.summary(ticket.plan) if ticket.plan else None
    process, was_planned = event.process or ticket.process, ticket.planning or ticket.stage != ""
    taken = replace(session, project=ticket.project, process=process, planned_before=was_planned)
    taken = replace(taken, planning=ticket.planning, own_mode=ticket.planning, mode_before=ticket.mode_before)
    if ticket.planning or (summary is not None and summary.status != ""):
        taken = replace(taken, plan=ticket.plan, stage=ticket.stage, summary=summary, proposing=ticket.proposing)
    if ticket.planning:
        taken = replace(taken, snapshot=ticket.snapshot, authoring=ticket.authoring)
    running = None if ticket.loop or ticket.planning else world.loop()
    loop = capsule.render_loop_resume(ticket.loop) if ticket.loop else capsule.render_loop(running) if running else ""
    rules = render_rules(taken, world) if ticket.planning else ""
    text = "\n\n".join(filter(None, (_plan_text(ticket, summary, world), loop, rules)))
    return EventOutcome(taken, HookAnswer(context=text), (Effect("claim_ticket", ticket=ticket),))


def _plan_text(ticket: Ticket, summary: Summary | None, world: World) -> str:
    """The plan with the instruction to resume it where that was wanted, a mention otherwise."""
    if ticket.proposing and summary is not None and summary.status:
        return capsule.render_proposed(ticket.plan, summary)
    if summary is not None and summary.status and summary.status != "complete":
        if ticket.intent == PLAN_PENDING and not ticket.planning:
            return capsule.render_resume(ticket.plan, summary, world.text(ticket.plan))
        return capsule.render_mention(ticket.plan, summary)
    if ticket.intent and (not ticket.loop or ticket.loop.get("is_over")):  # a loop says itself how to go on
        kind = PLAN_COMPLETED if summary is not None and summary.status else ticket.intent
        return capsule.render_return(kind, ticket.plan)
    return capsule.render_mention(ticket.plan, summary) if ticket.plan else ""
