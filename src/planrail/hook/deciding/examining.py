"""Is an agent asked for more before the user sees its plan? Once: what cannot be derived from it, and lint's errors."""

from planrail.base.records import replace
from planrail.hook.sessions.events import DENY, HOLD, Event, EventOutcome, HookAnswer, World, join
from planrail.hook.sessions.state import Session

_ASK = (
    "planrail, before the user sees this plan (asked once): {problems}\n"
    "Put it right in the plan and propose it again; where there is nothing to add, propose it as it is."
)
_TOLD = "planrail: the plan is as the agent left it, although {problems}"
# Codex proposes a plan in its last message of a turn.
_BEGIN, _END = "<proposed_plan>", "</proposed_plan>"
_PATHS = ("planFilePath", "plan_path", "plan_file_path")


def examine(session: Session, text: str, world: World, decision: str = DENY) -> tuple[Session, HookAnswer]:
    """What is answered to a plan that is about to be put before the user: nothing, one question, or one line."""
    if not text.strip() or world.settings().get("block") is False:
        return session, HookAnswer()
    problems = world.examine(text)
    if not problems:
        return session, HookAnswer()
    said = "; ".join(problems)
    if session.examined:
        return session, HookAnswer(message=_TOLD.format(problems=said))
    return replace(session, examined=True), HookAnswer(decision, _ASK.format(problems=said))


def examine_message(outcome: EventOutcome, event: Event, world: World) -> EventOutcome:
    """The same at a stop, for an agent whose plan is its last message: the turn goes on where it is asked."""
    _, begin, rest = event.last_message.partition(_BEGIN)
    if not begin:
        return outcome
    session, answer = examine(outcome.session, rest.partition(_END)[0], world, HOLD)
    return replace(outcome, session=session, answer=join(outcome.answer, answer))


def examine_file(session: Session, event: Event, world: World) -> EventOutcome:
    """The same for an agent whose plan mode is not heard of, and that names the file of its plan by its tool."""
    named = next((path for name in _PATHS if isinstance(path := event.input.get(name), str) and path), "")
    asked, answer = examine(session, world.text(named) if named.startswith("/") else "", world)
    return EventOutcome(asked, answer)
