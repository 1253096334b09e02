"""Conversations that are branched off: the new session takes over what held the old one."""

from planrail.base.records import replace
from planrail.hook.sessions.events import PROMPT, START, TOOL, TOOL_DONE, Event
from planrail.hook.sessions.state import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.hook.sessions.world import World

FORK = "fork"
RESUME = "resume"


def inherit(session: Session, event: Event, world: "World") -> Session:
    """The session with what its parent had, if it is a branch of one; marked where that shows only later."""
    if event.kind == START:
        if event.source not in (FORK, RESUME) or not session.is_blank:
            return session
    elif not session.is_fork or event.kind not in (TOOL, TOOL_DONE, PROMPT):
        return session
    parent = world.parent()
    if isinstance(parent, Session):
        return replace(parent, id=session.id, process=event.process, is_fork=False, proposing=False, authoring="")
    return replace(session, is_fork=parent and (session.is_fork or event.source == FORK))
