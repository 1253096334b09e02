"""Tie a plan to a session by hand: it is then shown there, and comes back after a clear."""

import os
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.projects import find_project
from planrail.base.records import replace
from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, quote
from planrail.hook import AGENTS
from planrail.hook.disk_world import DiskWorld
from planrail.hook.sessions.events import Event
from planrail.hook.sessions.state import DRAFT, Session
from planrail.hook.sessions.store import UnreadableState, load
from planrail.projects.open_plan import open_plan
from planrail.projects.session_files import change_session, describe_letting_go


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan file")
    parser.add_argument("--session", metavar="ID", required=True, help="the agent's id of the session")
    parser.add_argument("--agent", default="claude", choices=AGENTS)


def run(arguments: Namespace) -> Answer:
    path = os.path.realpath(arguments.plan)
    plan = open_plan(path)
    agent, identity = arguments.agent, arguments.session
    if not identity.strip():
        raise PlanrailError("a session has an id", remedy="planrail list sessions lists those that are known")
    event = Event(agent, "", identity, cwd=os.getcwd())
    world = DiskWorld(event, state_folder(), Session(agent, identity), now=0)

    def attach(current: Session | None) -> Session:
        session = current or Session(agent, identity)
        project = session.project or find_project(os.getcwd())
        told = describe_letting_go(session) if session.plan != path else session.told_next
        tied = replace(session, project=project, plan=path, summary=world.summary(path), stage=session.stage or DRAFT)
        return replace(tied, told_next=told)

    try:
        is_known = load(state_folder(), agent, identity) is not None
    except UnreadableState:
        is_known = True  # and the change below says what is wrong with it
    change_session(agent, identity, attach)
    lines = [f"{plan.title or os.path.basename(path)} is attached to the session {identity} of {agent}."]
    if not is_known:
        lines.append("planrail had not heard of that session before; an agent shows the plan once it has this id.")
    return Answer(None, lines, command=f"planrail next {quote(arguments.plan)}")
