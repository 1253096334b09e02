"""What the user said about a plan, as a session hears it: by the agent's dialog, by a word, or from outside."""

from planrail.base.records import replace
from planrail.hook.deciding.plan_mode import leave, mark_of
from planrail.hook.sessions.events import HOLD, STOP, Event, EventOutcome, HookAnswer, World
from planrail.hook.sessions.state import ANSWERED_NOTE, ANSWERED_YES, APPROVED, DRAFT, Session

DIALOG = "dialog"
LEAD = "lead"

_WEAK = (
    "An approval in this session is not enough here: the settings ask for {needed}. The plan is proposed, and stays"
    " read-only until then. In a terminal of your own:\n\n    planrail approve {plan}"
)
_NEEDED = {"terminal": "an approval in a terminal", "key": "an approval with a hardware key"}
_NEEDED |= {LEAD: "the approval of the team's lead, in whose queue it is now"}
SAME = (
    "This very text was put before the user and not accepted. Revise it by what they said, then propose it. If they"
    " gave no reason, ask them once what to change, and wait. (If they want this text after all, they type: propose it"
    " again)"
)
_APPROVED_OUTSIDE = "The user approved the plan outside this session."
_EXIT_NOW = f"{_APPROVED_OUTSIDE} Call ExitPlanMode, so that the agent's own plan mode ends."
_NO_REASON = (
    "The user rejected the plan, and gave no reason. Ask them once what to change, and wait for the answer. Never"
    " propose it again unchanged."
)


def describe_weak(plan: str, world: World) -> str:
    """What a user is told whose approval in the session is not enough by the settings; "" where it is."""
    needed = str(world.settings().get("consent", DIALOG))
    return "" if needed == DIALOG else _WEAK.format(needed=_NEEDED.get(needed, needed), plan=plan)


def hear_answer(session: Session, event: Event, world: World) -> EventOutcome:
    """The session after an answer that was given outside it. An approval is on record there: it is not noted twice."""
    note, heard = session.feedback, replace(session, answered="", feedback="")
    if session.answered == ANSWERED_YES:
        return _hear_approval(heard, note, event, world)
    if session.answered != ANSWERED_NOTE:
        note = note or _NO_REASON
        mark = mark_of(world.text(session.plan)) if session.plan else ""
        stage = DRAFT if session.stage else session.stage
        heard = replace(heard, stage=stage, proposing=False, intent="", proposed_mark=mark)
        if event.kind == STOP:
            return EventOutcome(heard, HookAnswer(HOLD, note))
    return EventOutcome(replace(heard, report=f"{session.report}\n\n{note}" if session.report else note))


def _hear_approval(heard: Session, note: str, event: Event, world: World) -> EventOutcome:
    if heard.planning and heard.own_mode:
        left = leave(heard, event, world, is_approved=True)
        notice = "\n\n".join(filter(None, (left.session.exit_notice, note)))
        effects = tuple(effect for effect in left.effects if effect.what != "record_stage")
        return replace(left.change(exit_notice=notice), effects=effects)
    said = _EXIT_NOW if heard.planning else _APPROVED_OUTSIDE
    return EventOutcome(replace(heard, stage=APPROVED, report="\n\n".join(filter(None, (heard.report, said, note)))))
