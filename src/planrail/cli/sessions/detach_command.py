"""Let go of a session's plan, or forget a session whose file is damaged."""

import os
from argparse import ArgumentParser, Namespace

from planrail.approval.people.terminals import find_agent
from planrail.base.errors import PlanrailError
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer
from planrail.hook import AGENTS
from planrail.hook.sessions.endings import drop_ticket
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, load, remove
from planrail.projects.session_files import change_session, describe_letting_go

_FORGOTTEN = "planrail: the agent had this session forgotten, whose file was damaged: it is held to no plan any more."


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", required=True, help="the agent's id of the session")
    parser.add_argument("--agent", default="claude", choices=AGENTS)


def run(arguments: Namespace) -> Answer:
    """Detach the plan. A session that plans goes on planning: only a person in it, or its end, changes that."""
    agent, identity = arguments.agent, arguments.session
    try:
        session = load(state_folder(), agent, identity)
    except UnreadableState:
        remove(state_folder(), agent, identity)
        if find_agent(os.environ) is not None:  # which may have damaged it
            change_session(agent, identity, lambda _: Session(agent, identity, told_next=_FORGOTTEN))
        text = f"The file of session {identity} was damaged; it is forgotten."
        return Answer(None, [text], command="planrail doctor")
    ticket = drop_ticket(state_folder(), agent, identity) if session is None else None
    if ticket is not None:
        text = (
            f"{ticket.plan or 'Nothing'} waits for the successor of session {identity} no more. The file is untouched."
        )
        return Answer(None, [text], command="planrail list sessions")
    if session is None or not session.plan:
        raise PlanrailError(f"session {identity} of {agent} has no plan", remedy="see: planrail list sessions")
    if session.planning:
        raise PlanrailError(
            f"session {identity} plans, and {session.plan} is its plan",
            remedy="leave plan mode there first: /plan off",
        )

    def detach(current: Session | None) -> Session | None:
        gone: dict[str, object] = {"plan": "", "stage": "", "summary": None, "intent": "", "held": False, "warned": 0}
        return current and replace(current, **gone, execution={}, told_next=describe_letting_go(current))

    change_session(agent, identity, detach)
    text = f"{session.plan} is no longer attached to session {identity}. The file is untouched."
    return Answer(None, [text], command="planrail list sessions")
