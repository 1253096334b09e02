"""What happens when the user types something: commands, reminders, and how full the window is."""

from planrail.base.records import replace
from planrail.hook.deciding.capsule import render_capsule, render_head, render_status, render_unreadable
from planrail.hook.deciding.plan_mode import enter, follow_mode, leave, render_rules, with_notices
from planrail.hook.deciding.reminders import is_full_turn, render_reentry, render_sparse
from planrail.hook.sessions import triggers
from planrail.hook.sessions.events import REFUSE, Effect, Event, EventOutcome, HookAnswer, World
from planrail.hook.sessions.state import DRAFT, PROPOSED, Session
from planrail.hook.sessions.triggers import Command, read_command, spell

_TAKEN = (
    "The plan {plan} belongs to another session, and is not loaded. Tell the user: `planrail list sessions` shows which"
    " one; `planrail detach --session ID` lets go of it there."
)
_NO_PHASES = (
    "planrail: the agent's own plan mode is on, which has no phases. For those, leave it and give the command again."
)
_UNFINISHED = (
    "The planning has not finished: this plan has not been through all its phases, and what stands in {plan} now would"
    " be approved as it is. To approve it all the same, give the command once more."
)
_BLOCKING = {
    True: "Tool blocking is on: while planning, tools that could change something are denied.",
    False: "Tool blocking is off: the guard lets every tool pass, also while planning. Back on with /plan block on.",
}
_ALONE = "Nobody is here who could approve a plan, so plan mode is not entered. Start the agent interactively."


def decide_prompt(session: Session, event: Event, world: World) -> EventOutcome:
    if not event.prompt.strip():
        return EventOutcome(session)
    if event.is_human or not session.planning:
        # A user who types has answered the proposal; an approval would have been heard before. And after a clear, a
        # note about a task wakes the agent as well as a user does.
        stage = DRAFT if session.stage == PROPOSED and not session.planning else session.stage
        session = replace(session, proposing=False, stage=stage)
    followed = follow_mode(session, event, world)
    if not event.is_human:
        return with_notices(followed)
    session, command = followed.session, read_command(event.prompt)
    if session.execution:
        from planrail.hook.deciding.executing import end_row

        session = end_row(session)
    if session.planning:  # the holds in a row end, and what the user changed in the plan is noticed
        from planrail.hook.deciding.stops import notice_edit

        session = notice_edit(replace(session, holds=0), world)
    is_again = command is not None and command.verb == triggers.APPROVE
    session = replace(session, is_confirming=session.is_confirming and is_again)
    followed = replace(followed, session=session)
    if command and command.verb in (triggers.APPROVE, triggers.AGAIN) and not session.own_mode:
        session = replace(session, proposed_mark="")  # they want this very text after all
    decided = _obey(command, session, event, world) if command else None
    if decided is not None and decided.answer.decision != REFUSE and session.planning and decided.session.planning:
        decided = _remind(decided.session, world).after(decided)
    if decided is None:
        decided = EventOutcome(session)
        if session.planning and session.awaits_request and session.own_mode:  # the first after a bare `/plan`
            from planrail.hook.deciding.stops import begin_request

            decided = begin_request(session, event.prompt, world, is_plain=True)
        if session.planning and decided.answer.decision != REFUSE:
            decided = _remind(decided.session, world).after(decided)
        fill = world.fill()
        if fill is not None and fill.percent >= fill.warn:
            from planrail.hook.deciding.filling import decide_warning

            decided = decide_warning(decided.session, event, fill, world).after(decided)
    return with_notices(decided.after(followed))


def _obey(command: Command, session: Session, event: Event, world: World) -> EventOutcome | None:
    """What a command does; None where the prompt is to be treated like any other."""
    if command.is_phrase and command.verb != triggers.PLAN and not session.own_mode:
        return None
    match command.verb:
        case triggers.PLAN:
            return _plan(command.text, session, event, world)
        case triggers.OPEN:
            return _open(session, event, world)
        case triggers.OFF:
            return _off(session, event, world)
        case triggers.APPROVE:
            return _approve(session, event, world)
        case triggers.AGAIN:
            return None
        case triggers.BLOCK:
            is_on = command.text != "off"
            return _tell(replace(session, blocking=is_on), _BLOCKING[is_on])
        case triggers.STATUS:
            return _status(session, world)
        case _:
            return _load(command.text, session, world, is_execution=command.verb == triggers.EXECUTE)


def _tell(session: Session, text: str, effects: "tuple[Effect, ...]" = ()) -> EventOutcome:
    """An answer to the user alone: the prompt does not reach the agent."""
    return EventOutcome(session, HookAnswer(REFUSE, text), effects)


def _plan(text: str, session: Session, event: Event, world: World) -> EventOutcome:
    if session.planning:
        return _begin(text, session, world) if text else _tell(session, _describe(session, world))
    if event.unattended:
        return _tell(session, _ALONE)
    entered = enter(session, event, world, own_mode=True, text=text)
    if entered.answer.decision == REFUSE:
        return entered
    if text:
        return _remind(entered.session, world).after(entered)
    said = f"Plan mode is on. Say what to plan. {_describe(entered.session, world)}"
    return _tell(entered.session, said).after(entered)


def _begin(text: str, session: Session, world: World) -> EventOutcome:
    """A new request in a session that plans already. A planning that is under way is not thrown away by it."""
    if not session.own_mode:
        return EventOutcome(session, HookAnswer(message=_NO_PHASES))
    from planrail.hook.deciding.stops import begin_request

    if session.authoring and not session.proposed_mark:
        return _tell(session, f"A planning is under way here. End it first: {spell(session.agent, triggers.OFF)}.")
    # What was proposed keeps its file; the new plan gets one of its own.
    fresh = replace(session, plan="", stage=DRAFT, proposed_mark="", plan_mark="") if session.authoring else session
    return begin_request(fresh, text, world, is_plain=False)


def _describe(session: Session, world: World) -> str:
    text = world.text(session.plan).strip() if session.plan else ""
    problem = world.summary(session.plan).problem if text else ""
    where = f" It will be written to {session.plan}." if session.plan else ""
    said = f"{session.plan}\n\n{text}\n\nTo edit it: /plan open." if text else f"No plan written yet.{where}"
    if problem:
        said = f"The plan cannot be read: {problem}."
    if not session.own_mode:
        return said
    approve, off = spell(session.agent, triggers.APPROVE), spell(session.agent, triggers.OFF)
    return f"{said} Approve with {approve}, leave without approval with {off}."


def _open(session: Session, event: Event, world: World) -> EventOutcome:
    if not session.planning:
        return _plan("", session, event, world)
    if not session.plan:
        return _tell(session, "No plan written yet.")
    return _tell(session, f"Opening {session.plan}", (Effect("open_editor", session.plan),))


def _off(session: Session, event: Event, world: World) -> EventOutcome:
    if not session.planning:
        return _tell(session, f"Plan mode is not on. Enter it with {spell(session.agent, triggers.PLAN)}.")
    if not session.own_mode:
        return _tell(session, "This is the agent's own plan mode: leave it there (in Claude Code with shift+tab).")
    left = leave(session, event, world, is_approved=False)
    return _tell(left.session, "Plan mode is off; nothing was approved.").after(left)


def _approve(session: Session, event: Event, world: World) -> EventOutcome:
    if not session.planning:
        return _tell(session, "There is nothing to approve here: this session does not plan.")
    if not session.own_mode:
        return _tell(session, "This is the agent's own plan mode: approve in its dialog, when it presents the plan.")
    if not session.plan or not world.text(session.plan).strip():
        return _tell(session, "No plan written yet, so there is nothing to approve.")
    if session.authoring and not session.proposed_mark and not session.is_confirming:
        return _tell(replace(session, is_confirming=True), _UNFINISHED.format(plan=session.plan))
    from planrail.hook.deciding.consent import describe_weak

    weak = describe_weak(session.plan, world)
    if not weak:
        return leave(session, event, world, is_approved=True)
    noted = (Effect("record_stage", session.plan, stage=PROPOSED),)
    return _tell(replace(session, stage=PROPOSED), weak, noted)


def _status(session: Session, world: World) -> EventOutcome:
    plan = session.plan or world.find_plan("")
    summary = world.summary(plan) if plan else None
    if summary is None or not summary.status:
        start = spell(session.agent, triggers.PLAN)
        return EventOutcome(session, HookAnswer(context=f"There is no plan here yet. The user can start one: {start}."))
    render = render_unreadable if summary.problem else render_status
    return EventOutcome(session, HookAnswer(context=render(plan, summary)))


def is_load(event: Event) -> bool:
    command = read_command(event.prompt) if event.is_human else None
    return command is not None and command.verb in (triggers.LOAD, triggers.EXECUTE)


def _load(name: str, session: Session, world: World, *, is_execution: bool) -> EventOutcome:
    """Tie a plan to the session, and tell the agent what it says; or, to carry it out, its current phase alone."""
    if not name and not session.plan:
        from planrail.hook.deciding.clears import DAY, choose_tickets, render_choice

        # Which plan is meant, where a session that this may have been left one?
        left = [ticket for ticket in choose_tickets(world.tickets(), "", world.project()) if ticket.plan]
        silent = world.silent_sessions(DAY)
        if left or silent:
            return EventOutcome(session, HookAnswer(context=render_choice(left, silent)))
    plan = world.find_plan(name) if name or not session.plan else session.plan
    summary = world.summary(plan) if plan else None
    if summary is None or not summary.status:
        looked_for = f" No plan matches `{(name or plan)[:100]}`." if name or plan else ""
        listed = "".join(f"\n- {known}" for known in world.plan_names()[:10]) or "\n- none"
        start = (
            f"The user names one (execute the plan in FILE.md), or begins one: {spell(session.agent, triggers.PLAN)}."
        )
        text = f"**Plan Not Found**{looked_for} Available plans:{listed}\n{start}"
        return EventOutcome(session, HookAnswer(context=text))
    if plan != session.plan and world.is_taken(plan):
        return EventOutcome(session, HookAnswer(context=_TAKEN.format(plan=plan)))
    if summary.problem:
        return EventOutcome(session, HookAnswer(context=render_unreadable(plan, summary)))
    attached = replace(session, project=world.project(), plan=plan, summary=summary, stage=session.stage or DRAFT)
    claims = tuple(Effect("claim_ticket", ticket=ticket) for ticket in world.tickets() if ticket.plan == plan)[:1]
    if is_execution and summary.phase_id and not session.planning:
        assigned = world.assignment(plan)
        told = f"{render_head(plan, summary)}\n\n{assigned.text}"
        return EventOutcome(attached, HookAnswer(context=told, message=assigned.notice), claims)
    return EventOutcome(attached, HookAnswer(context=render_capsule(plan, summary, world.text(plan))), claims)


def _remind(session: Session, world: World) -> EventOutcome:
    turn = session.turns + 1
    text = render_rules(session, world) if is_full_turn(turn) else render_sparse(session.plan)
    if session.authoring and not is_full_turn(turn):
        text = f"{text}\n\n{world.phase(session.authoring)}"
    text = f"{render_reentry(session.plan)}\n\n{text}" if session.reentered else text
    return EventOutcome(replace(session, turns=turn, reentered=False), HookAnswer(context=text))
