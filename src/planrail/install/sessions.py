"""What `planrail doctor` says of sessions: which are protected, so that whatever fails there is a denial."""

import os
import time

from planrail.base.wording import quote
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import UnreadableState, list_sessions, load_file
from planrail.install.findings import BAD, NOTE, WELL, Finding


def check_sessions(state: str, now: float) -> list[Finding]:
    """A finding for each session that is kept; one that says so where there is none."""
    findings = []
    for agent, path in sorted(list_sessions(state)):
        try:
            findings.append(describe(load_file(path), _clock(path, now)))
        except UnreadableState as error:
            identity = os.path.basename(path).removesuffix(".json")
            remedy = f"planrail detach --session {quote(identity)} --agent {agent}"
            findings.append(Finding("session", BAD, f"fails closed: {agent} {identity}: {error}", remedy))
    if not findings:
        text = "fails open: no session has a plan, so what goes wrong in the hook is told and blocks nothing"
        return [Finding("sessions", WELL, text)]
    return findings


def describe(session: Session, since: str) -> Finding:
    """Whether a failure in this session would be a denial, and why."""
    who = f"{session.agent} {session.id}" + (f" in {session.project}" if session.project else "")
    if not session.is_gate:
        return Finding("session", WELL, f"fails open: {who} has {_plan(session)} ({since})")
    if session.planning and not session.blocking:
        text = f"fails open: {who} plans, but tool blocking is off there ({since})"
        return Finding("session", NOTE, text, "to protect it, type there: /plan block on")
    return Finding("session", NOTE, f"fails closed: {who} {_gate(session)} ({since})", _way_out(session))


def _gate(session: Session) -> str:
    if session.planning:
        return "plans"
    if session.stage == "proposed":
        return "waits for a yes to its plan"
    if session.is_fork:
        return "was branched off, and nobody can tell yet from which session"
    return "was held at its stop"


def _way_out(session: Session) -> str:
    if session.planning or session.stage == "proposed":
        return "approve the plan there, or leave with /plan off"
    return "go on there: the first answer settles it" if session.is_fork else "clear the context there, or go on"


def _plan(session: Session) -> str:
    return f"the plan {session.plan}" if session.plan else "no plan"


def _clock(path: str, now: float) -> str:
    """When a session was last heard of."""
    try:
        moment = os.stat(path).st_mtime
    except OSError:
        return "gone just now"
    form = "%H:%M" if now - moment < 86_400 else "%Y-%m-%d %H:%M"
    return "since " + time.strftime(form, time.localtime(moment))
