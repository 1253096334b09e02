"""Which snapshot a person means: of those taken in the project that they stand in, the newest of each session."""

import os
from collections.abc import Iterator

from planrail.base.errors import PlanrailError
from planrail.base.state_folder import state_folder
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import AGENT, TreeChanges, list_snapshots
from planrail.git.snapshots.snapshots import compare
from planrail.hook.sessions.store import UnreadableState, load
from planrail.plans.files.plan_files import family_of
from planrail.runs.reporting.gathering import find_folder
from planrail.store.runs.run_folders import load_order, run_folder

_SIGNS = {"added": "+", "modified": "~", "deleted": "-", "mode": "x", "type": "t"}


def find_snapshots(session: str | None) -> list[TreeSnapshot]:
    """The newest snapshot of each session that planned in this project, or of the one that is named."""
    here = os.path.realpath(os.getcwd())
    newest: dict[tuple[str, str], TreeSnapshot] = {}
    for snapshot in list_snapshots(os.path.join(state_folder(), "snapshots")):
        is_here = here == snapshot.root or here.startswith(snapshot.root.rstrip(os.sep) + os.sep)
        if is_here and snapshot.session.startswith(session or ""):
            newest[snapshot.agent, snapshot.session] = snapshot
    exact = [snapshot for snapshot in newest.values() if snapshot.session == session]
    if session and not newest:
        raise PlanrailError(f"no session {session!r} has planned in this project", remedy="planrail changes")
    return exact or list(newest.values())


def compare_with(snapshot: TreeSnapshot) -> TreeChanges:
    """What changed since a snapshot, the plan files of its session left out."""
    return compare(snapshot, _plan_files(snapshot))


def is_of_run(snapshot: TreeSnapshot) -> bool:
    """Whether a phase of a run worked in this tree, and not an agent that planned."""
    return snapshot.agent == AGENT


def name_beginning(snapshot: TreeSnapshot) -> str:
    return "the phase began" if is_of_run(snapshot) else "planning began"


def _plan_files(snapshot: TreeSnapshot) -> list[str]:
    """The session's plan and those of its sub-agents, which lie beside it."""
    if is_of_run(snapshot):  # what planrail itself writes beside the work of a run
        from planrail.runs.steps.own_checkout import list_own

        order = load_order(run_folder(snapshot.root, snapshot.session))
        own = (order.path, *list_own(order, find_folder(snapshot.root)))
        return [os.path.join(snapshot.root, path) for path in own]
    try:
        session = load(state_folder(), snapshot.agent, snapshot.session)
    except UnreadableState:
        session = None
    if session is None or not session.plan:
        return []
    return family_of(session.plan)


def render_changes(changes: TreeChanges) -> Iterator[str]:
    for file in changes.files:
        yield f"  {_SIGNS[file.kind]} {file.path}" + (f"  ({file.kind}; {file.reason})" if file.reason else "")
    for ref in (*((changes.head,) if changes.head else ()), *changes.refs):
        yield f"  ref {ref.name}: {_short(ref.was)} → {_short(ref.now)}"
    if changes.index:
        yield "  the index: something else is staged"
    if changes.stash:
        yield "  the stash"
    for name in changes.settings:
        yield f"  git's own {name}"


def _short(value: str) -> str:
    return value.removeprefix("ref: ") if value.startswith("ref") else value[:12] or "nothing"
