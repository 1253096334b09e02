"""The agent sessions that planrail knows: which plan each has, and whether it plans."""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.base.state_folder import state_folder
from planrail.base.wording import clip, paint, quote
from planrail.cli.screen import print_json, print_next, say
from planrail.hook.deciding.capsule import render_progress
from planrail.hook.deciding.clears import HOUR
from planrail.hook.idle import AGENTS
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load_file
from planrail.hook.sessions.tickets import list_tickets
from planrail.hook.sessions.world import Ticket


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    """List the sessions."""
    cleared = _cleared(state_folder())
    known: list[Session] = []
    damaged: list[str] = []
    for _, path in sorted(list_sessions(state_folder())):
        try:
            known.append(load_file(path))
        except UnreadableState:
            damaged.append(path)
    if arguments.json:
        waiting = [{"agent": left.agent, "id": left.session, "plan": left.plan or None} for left in cleared]
        print_json({"sessions": [_to_json(session) for session in known], "damaged": damaged, "cleared": waiting})
        return 0
    for session in known:
        say(_line(session))
    for left in cleared:
        say(f"{left.agent} {clip(left.session, 40)} · cleared · {os.path.basename(left.plan)} · {left.project}")
    for path in damaged:
        say(paint(f"✖ {path} cannot be read; while it is there, that session is protected", "red"))
    if not known and not damaged and not cleared:
        say("No session has a plan or plans.")
    print_next(_next(known, damaged))
    return 0


def _cleared(state: str) -> list[Ticket]:
    """The sessions whose plan waits for the one that follows them."""
    left = [ticket for agent in AGENTS for ticket in list_tickets(state, agent, now=int(time.time()), lifetime=HOUR)]
    return [ticket for ticket in left if ticket.plan]


def _to_json(session: Session) -> dict[str, object]:
    return {
        "agent": session.agent,
        "id": session.id,
        "project": session.project,
        "planning": session.planning,
        "plan": session.plan or None,
        "stage": session.stage or None,
        "gate": session.is_gate,
        "blocking": session.blocking,
        "mode_before": session.mode_before or None,
        "human_turns": session.turns,
    }


def _line(session: Session) -> str:
    mode = paint("planning", "yellow") if session.planning else session.stage or "idle"
    progress = f" · {render_progress(session.summary)}" if session.summary else ""
    plan = f" · {os.path.basename(session.plan)}{progress}" if session.plan else ""
    return f"{session.agent} {clip(session.id, 40)} · {mode}{plan} · {session.project}"


def _next(known: list[Session], damaged: list[str]) -> str:
    if damaged:
        name = os.path.basename(damaged[0]).removesuffix(".json")
        return f"planrail detach --session {quote(name)} --agent {os.path.basename(os.path.dirname(damaged[0]))}"
    plans = [session.plan for session in known if session.plan]
    return f"planrail show {quote(plans[0])}" if plans else "planrail plans"
