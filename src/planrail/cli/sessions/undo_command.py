"""Take back what changed in the tree while an agent planned, or what a phase left. Only a person at a terminal can."""

import sys
from argparse import ArgumentParser, Namespace

from planrail.base.errors import PlanrailError
from planrail.base.wording import Answer, list_some, quote
from planrail.cli.screen import say
from planrail.cli.sessions.snapshot_choice import (
    compare_with,
    find_snapshots,
    is_of_run,
    name_beginning,
    render_changes,
)
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import TreeChanges
from planrail.git.snapshots.parking import park, parked_branches, undo
from planrail.git.snapshots.snapshots import drop_snapshot

_MOST = 50


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session, or the beginning of its id")
    parser.add_argument("--yes", action="store_true", help="do not ask; at a terminal only")


def run(arguments: Namespace) -> Answer:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):  # what an agent does must not take back a person's work
        raise PlanrailError(
            "only a person at a terminal can undo; nothing was done", remedy="in a terminal, type: planrail undo"
        )
    snapshot = _choose(arguments.session)
    changes = compare_with(snapshot)
    if not changes:
        return Answer(None, [f"Nothing has changed since {name_beginning(snapshot)}."], command="planrail plans")
    if not parked_branches(snapshot):  # what was parked when it was found stays the measure
        park(snapshot, changes, snapshot.session or snapshot.name)
    branches = parked_branches(snapshot)
    if not arguments.yes and not _agrees(changes, branches, name_beginning(snapshot)):
        return Answer(None, ["Nothing was undone."], command="planrail changes", code=1)
    undone = undo(snapshot, changes)
    if is_of_run(snapshot) and not undone.left:
        drop_snapshot(snapshot)
    lines = [f"Restored: {len(undone.restored)}."]
    lines += [f"Left as they are: {len(undone.left)}."] if undone.left else []
    lines += list_some([f"  {name}: {reason}" for name, reason in undone.left], _MOST)
    command = f"git diff {quote(branches[0])}" if branches else "planrail changes"
    return Answer(None, lines, command=command, code=1 if undone.left else 0)


def _choose(session: str | None) -> TreeSnapshot:
    found = find_snapshots(session)
    if not found:
        raise PlanrailError("no agent has planned in this project", remedy="planrail changes")
    if len(found) > 1:
        names = ", ".join(snapshot.session or snapshot.name for snapshot in found)
        raise PlanrailError(
            f"several sessions planned in this project: {names}",
            remedy=f"planrail undo --session {quote(found[-1].session)}",
        )
    return found[0]


def _agrees(changes: TreeChanges, branches: list[str], beginning: str) -> bool:
    for line in list_some(list(render_changes(changes)), _MOST):
        say(line)
    say(f"A copy stays on: {', '.join(branches) or 'nothing, since this is no git repository'}")
    print(f"Restore all this to how it was when {beginning}? Type yes: ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
