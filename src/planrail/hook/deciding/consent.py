"""What a person said about a plan, as a session hears it: by the agent's dialog, by a word, or from outside."""

from planrail.base.records import replace
from planrail.hook.deciding.plan_mode import leave, mark_of
from planrail.hook.sessions.events import HOLD, SILENCE, STOP, Answer, Event, Outcome
from planrail.hook.sessions.state import ANSWERED_NOTE, ANSWERED_YES, APPROVED, DRAFT, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.world import World

DIALOG = "dialog"
LEAD = "lead"

_WEAK = (
    "A yes in this session is not enough here: the settings ask for {needed}. The plan is proposed, and stays"
    " read-only until then. In a terminal of your own:\n\n    planrail approve {plan}"
)
_NEEDED = {
    "terminal": "an approval in a terminal",
    "key": "an approval with a hardware key",
    LEAD: "the yes of the team's lead, in whose queue it is now",
}
_SAME = (
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


def missing_strength(world: "World") -> str:
    """What a yes in the session lacks by the settings; "" where it is enough."""
    needed = world.settings().get("consent", DIALOG)
    return "" if needed == DIALOG else _NEEDED.get(str(needed), str(needed))


def describe_weak(session: Session, needed: str) -> str:
    """What a person is told whose yes is not enough."""
    return _WEAK.format(needed=needed, plan=session.plan)


def refuse_same(session: Session, text: str) -> str:
    """Why this text cannot be proposed: it was before, and nothing has changed; "" where it can."""
    return _SAME if session.proposed_mark and mark_of(text) == session.proposed_mark else ""


def hear_answer(session: Session, event: Event, world: "World") -> Outcome:
    """The session after an answer that was given outside it. An approval is on record there: it is not noted twice."""
    if session.answered == ANSWERED_YES:
        return _hear_yes(session, event, world)
    if session.answered == ANSWERED_NOTE:
        return Outcome(_report(replace(session, answered="", feedback=""), session.feedback))
    text = session.feedback or _NO_REASON
    stage = DRAFT if session.stage else session.stage
    heard = replace(session, answered="", feedback="", stage=stage, proposing=False, intent="")
    heard = replace(heard, proposed_mark=mark_of(world.text(session.plan)) if session.plan else "")
    if event.kind == STOP:
        return Outcome(heard, Answer(HOLD, text))
    return Outcome(_report(heard, text))


def _report(session: Session, text: str) -> Session:
    return replace(session, report=f"{session.report}\n\n{text}" if session.report else text)


def _hear_yes(session: Session, event: Event, world: "World") -> Outcome:
    note = session.feedback
    heard = replace(session, answered="", feedback="")
    if session.planning and session.own_mode:
        left = leave(heard, event, world, is_approved=True)
        notice = "\n\n".join(part for part in (left.session.exit_notice, note) if part)
        effects = tuple(effect for effect in left.effects if effect.what != "record_stage")
        return replace(left.change(exit_notice=notice), effects=effects)
    said = _EXIT_NOW if session.planning else _APPROVED_OUTSIDE
    report = "\n\n".join(part for part in (session.report, said, note) if part)
    return Outcome(replace(heard, stage=APPROVED, report=report), SILENCE)
