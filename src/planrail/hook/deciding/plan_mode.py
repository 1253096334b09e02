"""Entering and leaving plan mode, whichever side did it."""

from planrail.base.records import replace
from planrail.hook.sessions import events
from planrail.hook.sessions.events import PLAN_MODE, REFUSE, Effect, Event, EventOutcome, HookAnswer, World, join
from planrail.hook.sessions.state import APPROVED, DRAFT, PLAN_PENDING, PROPOSED, Session

# Permission modes of agents: the automatic one, the one in which nobody is asked, and the safe one.
AUTO, BYPASS, DEFAULT = "auto", "bypassPermissions", "default"
# What begins anew whenever plan mode is entered or left.
_ANEW = {"turns": 0, "proposing": False, "holds": 0, "answered": "", "feedback": "", "examined": False}
_ENTERED = {"asked_from": "", "exit_notice": "", "reported": "", "intent": "", "proposed_mark": "", "plan_mark": ""}
_LEFT = {"planning": False, "own_mode": False, "mode_before": "", "planned_before": True, "reentered": False}
_LEFT |= {"compare_due": False, "authoring": "", "awaits_request": False}


def follow_mode(session: Session, event: Event, world: World) -> EventOutcome:
    """The session after an agent's own mode was heard: it has entered plan mode, left it, or neither."""
    if not event.mode or event.subagent:
        return EventOutcome(session)
    if session.proposing and not session.planning and event.mode != PLAN_MODE:
        # A clear came while a proposal was before the user. An agent that goes to work at once, before anything is
        # typed, does so because the user approved and had the context cleared with it; else they have to type first.
        if event.kind not in (events.TOOL, events.STOP):
            return EventOutcome(session)
        approved = replace(session, proposing=False, stage=APPROVED, intent="")
        return EventOutcome(approved, effects=(Effect("record_stage", session.plan, stage=APPROVED),))
    if event.mode == PLAN_MODE:
        if session.planning:
            # A planning in phases goes on, whatever mode the agent is in: the user ended neither.
            return EventOutcome(replace(session, own_mode=session.own_mode and session.authoring != ""))
        return enter(session, event, world, own_mode=False)
    heard = replace(session, mode=event.mode)
    if session.planning and not session.own_mode:
        return leave(heard, event, world, is_approved=False)
    return EventOutcome(heard)


def enter(session: Session, event: Event, world: World, *, own_mode: bool, text: str = "") -> EventOutcome:
    """Plan mode on. A notice about leaving it that is still due is no longer true, and dropped."""
    prepared = world.prepare(text, own_mode=own_mode, plan=session.plan)
    if prepared.refusal:
        return EventOutcome(session, HookAnswer(REFUSE, prepared.refusal))
    plan = session.plan or prepared.plan
    entered = replace(
        session,
        **_ANEW,
        **_ENTERED,
        project=world.project(),
        process=event.process or session.process,
        planning=True,
        own_mode=own_mode,
        mode_before=session.mode or session.asked_from,
        reentered=session.planned_before and bool(plan),
        snapshot=prepared.snapshot,
        embedded=prepared.embedded,
        plan=plan,
        stage=DRAFT,
        blocking=prepared.block,
        authoring=prepared.authoring,
        awaits_request=own_mode and not text,
    )
    return EventOutcome(entered, HookAnswer(message=prepared.complaint))


def leave(session: Session, event: Event, world: World, *, is_approved: bool) -> EventOutcome:
    """Plan mode off. What changed meanwhile is compared before anything else happens."""
    changed = report_changes(session, world, is_leaving=True)
    told, plan = changed.session, changed.session.plan
    is_empty = bool(plan) and told.own_mode and not world.text(plan).strip()
    kept = "" if is_empty else plan
    stage = APPROVED if is_approved else DRAFT if told.stage == PROPOSED else told.stage
    from planrail.hook.deciding.reminders import render_exit

    left = replace(
        told,
        **_ANEW,
        **_LEFT,
        exit_notice=render_exit(kept, is_approved=is_approved),
        plan=kept,
        stage="" if is_empty else stage,
        intent=PLAN_PENDING if is_approved and plan else "",
        intent_at=world.now,
        spared=is_approved and bool(plan),
        # The plan in a few lines, from now on: the status line and the next warning want them.
        summary=None if is_empty else world.summary(plan) if is_approved and plan else told.summary,
    )
    answer = join(changed.answer, HookAnswer(message=describe_exit(session.mode_before, event.mode)))
    effects = [Effect("end_planning", session.authoring, is_approved=is_approved)] if session.authoring else []
    if is_approved and kept:
        is_edited = session.proposed_mark not in ("", mark_of(world.text(plan)))
        effects.append(Effect("record_stage", plan, stage=APPROVED, is_edited=is_edited))
    return EventOutcome(left, answer, tuple(effects))


def describe_exit(before: str, mode: str) -> str:
    """What to tell the user about the mode that an agent is in after planning; "" where it is the one from before."""
    if not before or not mode or mode == before:
        return ""
    if mode != DEFAULT:
        return f"plan exit → {mode} · before planning it was {before}"
    why = "auto mode unavailable" if before == AUTO else f"{before} is no longer permitted"
    return f"plan exit → {DEFAULT} · {why}"


def report_changes(session: Session, world: World, *, is_leaving: bool = False) -> EventOutcome:
    """Compare the tree with its state at entry; tell the user at once, and the agent at the next occasion."""
    changes = world.changes(session, is_leaving=is_leaving) if session.snapshot else None
    if changes is None or changes.mark == session.reported:
        return EventOutcome(replace(session, compare_due=False))
    told = replace(session, reported=changes.mark, report=changes.report, compare_due=False)
    return EventOutcome(told, HookAnswer(message=changes.report))


def with_notices(outcome: EventOutcome) -> EventOutcome:
    """The outcome with all notices that are due told to the agent; a prompt that is refused does not reach it."""
    notices = "\n\n".join(filter(None, (outcome.session.report, outcome.session.exit_notice)))
    if not notices or outcome.answer.decision == REFUSE:
        return outcome
    return outcome.change(report="", exit_notice="").tell(notices)


def render_rules(session: Session, world: World) -> str:
    """What holds while planning, and how to plan: as the planning's phase asks, where the stops carry one."""
    from planrail.hook.deciding.reminders import render_full, render_limits

    if session.authoring:
        return f"{render_limits(session.plan)}\n\n{world.phase(session.authoring)}"
    approve = ""  # where the agent's own dialog does that
    if session.own_mode:
        from planrail.hook.sessions.triggers import APPROVE, spell

        approve = spell(session.agent, APPROVE)
    return render_full(session.plan, world.settings(), approve=approve, agent=session.agent)


def mark_of(text: str) -> str:
    """What tells one text from another, for a moment: not a proof, only whether something changed."""
    import binascii

    data = text.encode("utf-8", "surrogatepass")
    return f"{len(data)}:{binascii.crc32(data)}" if data.strip() else ""
