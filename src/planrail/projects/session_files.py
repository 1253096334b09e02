"""Changing a session's file from the command line, with errors that people can act on."""

from collections.abc import Callable

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.state_folder import state_folder
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, update


def change_session(agent: str, identity: str, change: Callable[[Session | None], Session | None]) -> None:
    """Change a session as one step, or say why that cannot be."""
    try:
        update(state_folder(), agent, identity, change)
    except UnreadableState as error:
        remedy = f"forget it: planrail detach --session {identity} --agent {agent}"
        raise PlanrailError(f"the session cannot be read: {error}", remedy=remedy) from error
    except OSError as error:
        text = f"the session could not be written: {error.strerror}"
        raise ToolFailed(text, remedy="check the state folder: planrail doctor") from error
