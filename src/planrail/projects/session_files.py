"""Changing a session's file from the command line, with errors that people can act on."""

import os
from collections.abc import Callable

from planrail.approval.people.terminals import find_agent
from planrail.base.errors import PlanrailError, ToolFailed
from planrail.base.state_folder import state_folder
from planrail.base.wording import clip
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


def describe_letting_go(session: Session) -> str:
    """What the user of a session is told when its plan is let go of by an agent before it is complete; "" else.

    An agent that could do so in silence would not be held to anything.
    """
    summary = session.summary
    if not session.plan or (summary is not None and summary.status == "complete") or find_agent(os.environ) is None:
        return ""
    name = os.path.basename(session.plan)
    root = os.path.join(session.project, "")
    again = session.plan.removeprefix(root) if session.project and session.plan.startswith(root) else name
    phase = f" {clip(summary.phase, 100)} is not done." if summary is not None and summary.phase else ""
    return (
        f"planrail: the agent let go of the plan {name}, and is not held to it any more.{phase}"
        f" If you did not want that, type: !load-plan {again}"
    )
