"""A window that fills: the warning at half, the stop that is held once, and loops that are brought to their end."""

from planrail.base.records import replace
from planrail.hook.deciding.capsule import render_reload_block
from planrail.hook.sessions.events import HOLD, Effect, Event, EventOutcome, HookAnswer, World
from planrail.hook.sessions.state import NO_PLAN, PLAN_COMPLETED, PLAN_PENDING, Session, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.loops import Loop
    from planrail.hook.sessions.world import Fill

_STEP = 5  # percent, after which the warning is given in full again


def stand(session: Session, world: World) -> tuple[str, Summary | None]:
    """Whether there is a plan, and whether it is finished. A plan without boxes is not finished, only untracked."""
    summary = world.summary(session.plan) if session.plan else None
    if summary is None or not summary.status:
        return NO_PLAN, None
    return PLAN_COMPLETED if summary.status == "complete" else PLAN_PENDING, summary


def decide_warning(session: Session, event: Event, fill: "Fill", world: World) -> EventOutcome:
    """What to tell an agent whose window is half full."""
    kind, summary = stand(session, world)
    loop = world.loop()
    if loop is not None:
        return _warn_loop(session, event, fill, loop, kind, world)
    kept = session if summary is None else replace(session, intent=kind, intent_at=world.now, summary=summary)
    plan = session.plan if summary else ""
    if session.warned and fill.percent < session.warned + _STEP:
        text = (
            f"CONTEXT WARNING: {fill.percent}% used. Bring the task to a good place, then tell the user to run /clear."
        )
    else:
        kept = replace(kept, warned=fill.percent)
        about = f"\nActive plan: {plan} ({_pending(summary)} pending tasks)" if plan else ""
        update = "Update the plan file with what is done. " if plan else ""
        text = (
            f"CONTEXT WARNING: {fill.percent}% used (warning: {fill.warn}%, critical: {fill.hold}%).{about}\n"
            f"Recommended: finish the current task. {update}Save what must not be lost to the memory server, if there"
            " is one. Show the user this block, and tell the user to run /clear:\n\n"
            f"{render_reload_block(plan, summary)}"
        )
    return EventOutcome(kept, HookAnswer(context=text, message="\n".join(fill.complaints)))


def _pending(summary: Summary | None) -> int:
    return summary.total - summary.done if summary else 0


def _warn_loop(session: Session, event: Event, fill: "Fill", loop: "Loop", kind: str, world: World) -> EventOutcome:
    """A loop goes on by itself, so it is saved at the warning and ended at the hold."""
    is_critical = fill.percent >= fill.hold
    level = "CRITICAL" if is_critical else "WARNING"
    head = f"CONTEXT {level}: {fill.percent}% used (warning: {fill.warn}%, critical: {fill.hold}%)."
    # A loop that was ended for the clear has no iterations left; those that it had are saved already.
    is_ended = bool(session.loop) and 0 < loop.max <= max(1, loop.iteration)
    kept = session.loop if is_ended else loop.to_json()
    if is_critical and loop.kind == "loop":
        kept = {**kept, "is_ended": True}  # for the clear: by planrail, or by the user that it asks to
    saved = replace(session, project=world.project(), process=event.process or session.process, loop=kept)
    saved = replace(saved, intent=session.intent or kind, intent_at=world.now)
    memory = "Save what must not be lost with write_memory, if a memory server is available."
    if loop.kind == "orchestrator":
        text = f"{head} Orchestrator will auto-resume after /clear (iteration {loop.iteration}). {memory}"
        return EventOutcome(saved, HookAnswer(context=f"{text} Tell the user to run /clear."))
    if not is_critical:
        text = (
            f"{head} Ralph loop active (iteration {loop.iteration}): it is saved, and resumed after a clear. {memory}"
        )
        return EventOutcome(saved, HookAnswer(context=text))
    if not loop.has_limit:
        remedy = f"The loop in {loop.path} has no max_iterations, so planrail cannot end it: delete the file to end it"
        text = f"{head} {remedy}. {memory} Tell the user so, and to run /clear then; the loop is resumed after it."
        return EventOutcome(saved, HookAnswer(context=text, message=f"planrail: {remedy}, then run /clear."))
    text = (
        f"{head} Ralph loop active (iteration {loop.iteration}): it ends after this iteration, so that the context can "
        f"be cleared. {memory} Commit what is done, then tell the user to run /clear; the loop is resumed after it."
    )
    return EventOutcome(saved, HookAnswer(context=text), (Effect("end_loop", loop.path),))


def decide_hold(session: Session, fill: "Fill", world: World) -> EventOutcome:
    """Hold the stop of an agent whose window is too full to go on: once, with what to do before a clear."""
    kind, summary = stand(session, world)
    held = replace(session, held=True, intent=kind, intent_at=world.now, project=world.project(), summary=summary)
    block = " ".join(render_reload_block(session.plan if kind == PLAN_PENDING else "", summary).split())
    memory = "save what must not be lost to the memory server, if there is one"
    head, first, after = ".", "Summarise where things stand", ""
    if kind == PLAN_PENDING:
        head, first = (
            f" with {_pending(summary)} pending tasks.",
            f"Update the plan file {session.plan} with what is done",
        )
        after = "\nThen stop: the plan comes back after the clear."
    elif kind == PLAN_COMPLETED:
        head, first = ". Plan completed.", "Report the result"
    steps = f"1. {first}; {memory}.\n2. Tell the user to run /clear, and show them this: {block}"
    return EventOutcome(held, HookAnswer(HOLD, f"Context at {fill.percent}%{head}\n{steps}{after}"))
