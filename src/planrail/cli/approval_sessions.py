"""Telling sessions what a person said to the plan that they have in their hands."""

import os

from planrail.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from planrail.sessions.state import Session


def tell_sessions(plan_path: str, kind: str, text: str) -> list[str]:
    """Let every session that has this plan know: `kind` is approved or rejected. Returns the ids of those sessions.

    They hear it at their next event: a tool, a stop, or somebody who types.
    """
    from planrail.sessions.state import ANSWERED_NO, ANSWERED_YES
    from planrail.sessions.store import update
    from planrail.state_folder import state_folder

    answered = ANSWERED_YES if kind == "approved" else ANSWERED_NO

    def hear(current: "Session | None") -> "Session | None":
        return replace(current, answered=answered, feedback=text) if current is not None else None

    told = find_sessions(plan_path)
    for session in told:
        update(state_folder(), session.agent, session.id, hear)
    return [session.id for session in told]


def find_sessions(plan_path: str) -> "list[Session]":
    """The sessions whose plan this is."""
    from planrail.sessions.store import UnreadableState, list_sessions, load_file
    from planrail.state_folder import state_folder

    wanted = os.path.realpath(plan_path)
    found = []
    for _, place in list_sessions(state_folder()):
        try:
            session = load_file(place)
        except UnreadableState:
            continue
        if session.plan and os.path.realpath(session.plan) == wanted:
            found.append(session)
    return found
