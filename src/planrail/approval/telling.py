"""Telling sessions what a person said to the plan that they have in their hands."""

import os

from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.hook.sessions.endings import change_ended, list_ended
from planrail.hook.sessions.state import ANSWERED_NO, ANSWERED_NOTE, ANSWERED_YES, Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load_file, update


def tell_sessions(plan_path: str, kind: str, text: str) -> list[str]:
    """Let every session that has this plan know: `kind` is approved, rejected or noted. Returns the ids of those.

    They hear it at their next event: a tool, a stop, or somebody who types. One that has ended may be resumed.
    """
    answered = {"approved": ANSWERED_YES, "rejected": ANSWERED_NO, "noted": ANSWERED_NOTE}[kind]

    def hear(current: Session) -> Session:
        return replace(current, answered=answered, feedback=text)

    told = find_sessions(plan_path)
    for session in told:
        # In this order: whoever is resumed between the two is active for the second.
        change_ended(state_folder(), session.agent, session.id, hear)
        update(state_folder(), session.agent, session.id, lambda current: hear(current) if current else None)
    return [session.id for session in told]


def find_sessions(plan_path: str) -> list[Session]:
    """The sessions whose plan this is, also those that have ended and may be resumed."""
    wanted = os.path.realpath(plan_path)
    found = {}
    for _, place in (*list_sessions(state_folder()), *list_ended(state_folder())):
        try:
            session = load_file(place)
        except UnreadableState:
            continue
        if session.plan and os.path.realpath(session.plan) == wanted:
            found[session.agent, session.id] = session
    return list(found.values())
