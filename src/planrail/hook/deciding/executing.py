"""What a stop comes to while a session executes a plan: held with what is missing, told to the user, or free."""

from planrail.base.records import replace
from planrail.hook.deciding.capsule import clip, shell_word
from planrail.hook.sessions.events import HOLD, Event, EventOutcome, HookAnswer, World
from planrail.hook.sessions.state import PLAN_COMPLETED, PLAN_PENDING, Session, StopRow, take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.world import StopLook

CHECKS, OFF = "checks", "off"  # and "tell"
MOST_HOLDS = 3  # in a row, with nothing less missing
_SAVE = "Save what later work has to know to the memory server, if there is one."
_MOST_MISSING = 2  # that are named: a message has four lines


def is_executing(session: Session, event: Event, world: World) -> bool:
    """Whether a stop may be one with an open phase. Nothing is asked that costs something."""
    has_plan = bool(session.plan) and not (session.planning or session.proposing)
    return has_plan and not event.waits_for_tasks and world.settings().get("at_stop", CHECKS) != OFF


def answer_stop(followed: EventOutcome, event: Event, world: World) -> EventOutcome:
    session = followed.session
    if not is_executing(session, event, world):
        return followed
    return decide_execution(session, event, world).after(followed)


def decide_execution(session: Session, event: Event, world: World) -> EventOutcome:
    """The answer to a stop of a session that has a plan. Bounded: after three holds without progress the turn ends."""
    looked = world.look(session)
    match looked.verdict:
        case "proven":
            return _go_on(session, looked, world)
        case "missing":
            known = take(StopRow(), session.execution)
            after, may_hold = count_hold(known, looked)
            summary = world.summary(session.plan) if looked.proven else session.summary
            held = replace(session, execution=_written(after), summary=summary)
            is_held = may_hold and not looked.is_mixed and world.settings().get("at_stop", CHECKS) == CHECKS
            if is_held and event.agent != "opencode":  # which lets nobody hold a stop
                return EventOutcome(held, HookAnswer(HOLD, render_hold(session.plan, looked)))
            return EventOutcome(held, HookAnswer(message=render_not_done(session.plan, looked)))
        case "told":
            return EventOutcome(session, HookAnswer(message=render_told(session.plan, looked)))
        case _:
            return EventOutcome(session)


def decide_task(session: Session, event: Event, world: World) -> EventOutcome:
    """The agent ticks a task of its own list. Where that is the open phase, it is one as it is for planrail."""
    said, summary = event.last_message.lower(), session.summary
    names = (f"phase {summary.phase_id}".lower(), summary.phase.lower()) if summary is not None else ()
    is_named = any(name and name in said for name in names)
    return (
        decide_execution(session, event, world)
        if is_named and is_executing(session, event, world)
        else EventOutcome(session)
    )


def decide_failure(session: Session, event: Event, world: World) -> EventOutcome:
    """A turn that an error ended: no stop was asked about, so that both are told where the plan stands."""
    summary = session.summary
    if summary is None or not summary.phase or not is_executing(session, event, world):
        return EventOutcome(session)
    phase = f"{clip(summary.phase)} of {session.plan.rpartition('/')[2]}"
    report = f"planrail: your last turn was ended by an error ({clip(event.source)}), and {phase} is open."
    report += " See what is there before you go on."
    told = replace(session, report="\n\n".join(filter(None, (session.report, report))))
    return EventOutcome(told, HookAnswer(message=f"planrail: the turn was ended by an error, and {phase} is not done."))


def count_hold(known: StopRow, looked: "StopLook") -> tuple[StopRow, bool]:
    """The row of holds after another answer, and whether it may be one. Progress is that less is missing than ever."""
    count = len(looked.missing)
    is_row = known.phase == looked.phase and known.holds > 0
    has_progress = not is_row or count < known.fewest
    holds = 1 if has_progress else min(known.holds + 1, MOST_HOLDS + 1)
    fewest = count if has_progress else known.fewest
    return StopRow(looked.phase, looked.mark, looked.missing, holds, fewest), holds <= MOST_HOLDS


def end_row(session: Session) -> Session:
    """The session after the user typed something: what follows is a new row of holds."""
    return replace(session, execution={**session.execution, "holds": 0}) if session.execution.get("holds") else session


def _go_on(session: Session, looked: "StopLook", world: World) -> EventOutcome:
    """A phase was proven and marked: the user is told, and the agent with the next thing that they say."""
    name = session.plan.rpartition("/")[2]
    said = f"{_name_proven(looked)}phase {looked.phase} ({clip(looked.title)}) of {name} is proven, and marked."
    report = ""
    if looked.next:
        following = f"phase {looked.next} ({clip(looked.next_title)})"
        report = (
            f"planrail: {said} Next is {following}: begin it only if the user asks you to go on.\n"
            f"Its text is in {session.plan}; `planrail done {shell_word(session.plan)} {shell_word(looked.next)}`"
            f" proves it. {_SAVE}"
        )
        said += f" Next is {following}: say `execute plan`, after a /clear if you like."
    elif looked.is_complete:
        said += " PLAN COMPLETE."
        report = f"planrail: {said} {_SAVE}"
    intent = PLAN_COMPLETED if looked.is_complete else PLAN_PENDING
    report = "\n\n".join(filter(None, (session.report, report)))
    summary = world.summary(session.plan)
    after = replace(session, execution={}, report=report, intent=intent, intent_at=world.now, summary=summary)
    note = f"\n{clip(looked.note)}" if looked.note else ""
    return EventOutcome(after, HookAnswer(message=f"planrail: {said}{note}"))


def render_hold(plan: str, looked: "StopLook") -> str:
    """Why the stop is held, for the agent: at most four lines."""
    return "\n".join(
        (
            f"{_head(plan, looked, 'is not done.')} Missing:",
            *_render_missing(plan, looked),
            "Finish it and stop again; or say plainly what is not done, or ask the user.",
        )
    )


def render_not_done(plan: str, looked: "StopLook") -> str:
    """The same for the user, where the turn ends all the same."""
    head = _head(plan, looked, "is NOT done, whatever the agent says.")
    return "\n".join((f"{head} Missing:", *_render_missing(plan, looked)))


def render_told(plan: str, looked: "StopLook") -> str:
    what = (
        _head(plan, looked, "is not proven") if looked.phase else f"planrail: {plan.rpartition('/')[2]} is not proven"
    )
    return f"{what}: {looked.why}."


def _head(plan: str, looked: "StopLook", state: str) -> str:
    phase = f"phase {looked.phase} ({clip(looked.title)}) of {plan.rpartition('/')[2]}"
    return f"planrail: {_name_proven(looked)}{phase} {state}"


def _name_proven(looked: "StopLook") -> str:
    if not looked.proven:
        return ""
    are = "phases {} are" if len(looked.proven) > 1 else "phase {} is"
    return f"{are.format(', '.join(looked.proven))} proven, and marked; "


def _render_missing(plan: str, looked: "StopLook") -> "list[str]":
    lines = [f"- {clip(text)}" for text in looked.missing]
    if len(lines) <= _MOST_MISSING:
        return lines
    command = f"planrail check {shell_word(plan)} {shell_word(looked.phase)}"
    return [*lines[: _MOST_MISSING - 1], f"- and {len(lines) - _MOST_MISSING + 1} more: {command}"]


def _written(execution: StopRow) -> "dict[str, object]":
    return {name: getattr(execution, name) for name in StopRow.__slots__}  # type: ignore[attr-defined] # a record
