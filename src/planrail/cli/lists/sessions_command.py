"""The agent sessions that planrail knows, this project's first: which plan each has, and whether it plans."""

import os
import time
from argparse import ArgumentParser, Namespace

from planrail.base.projects import find_project
from planrail.base.state_folder import state_folder
from planrail.base.wording import Answer, clip, paint, pick, quote
from planrail.hook import AGENTS
from planrail.hook.deciding.capsule import render_progress
from planrail.hook.deciding.clears import HOUR
from planrail.hook.sessions.endings import list_tickets
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load_file


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    tickets = (list_tickets(state_folder(), agent, now=int(time.time()), lifetime=HOUR) for agent in AGENTS)
    cleared = [ticket for left in tickets for ticket in left if ticket.plan]  # it waits for the session that follows
    known: list[Session] = []
    damaged: list[str] = []
    for _, path in sorted(list_sessions(state_folder())):
        try:
            known.append(load_file(path))
        except UnreadableState:
            damaged.append(path)
    here = find_project(os.getcwd())
    known.sort(key=lambda session: not _is_here(session.project, here))
    cleared.sort(key=lambda left: not _is_here(left.project, here))
    fields = "agent id project planning plan? stage? gate=is_gate blocking mode_before? human_turns=turns"
    waiting = [pick(left, "agent id=session plan?") for left in cleared]
    told = {"sessions": [pick(session, fields) for session in known], "damaged": damaged, "cleared": waiting}
    lines = [_line(session) for session in known]
    for left in cleared:
        place = f"{os.path.basename(left.plan)} · {left.project}"
        lines.append(f"{left.agent} {clip(left.session, 40)} · cleared · {place}")
    for path in damaged:
        lines.append(paint(f"✖ {path} cannot be read; while it is there, that session is protected", "red"))
    lines = lines or ["No session has a plan or plans."]
    return Answer(told, lines, command=_next([one.plan for one in known if _is_here(one.project, here)], damaged))


def _is_here(project: str, here: str) -> bool:
    return os.path.realpath(project) == here


def _line(session: Session) -> str:
    mode = paint("planning", "yellow") if session.planning else session.stage or "idle"
    progress = f" · {render_progress(session.summary)}" if session.summary else ""
    plan = f" · {os.path.basename(session.plan)}{progress}" if session.plan else ""
    return f"{session.agent} {clip(session.id, 40)} · {mode}{plan} · {session.project}"


def _next(plans: list[str], damaged: list[str]) -> str:
    """A command about this project, by the plans that its sessions have; but one that is damaged comes first."""
    if damaged:
        name = os.path.basename(damaged[0]).removesuffix(".json")
        return f"planrail detach --session {quote(name)} --agent {os.path.basename(os.path.dirname(damaged[0]))}"
    plan = next(filter(None, plans), "")
    return f"planrail show {quote(plan)}" if plan else "planrail plans"
