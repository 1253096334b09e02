"""What changed in the tree since an agent began to plan, and where a copy of it is parked."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime

from planrail.base.wording import Answer, list_some, paint, pick, quote
from planrail.cli.sessions.snapshot_choice import compare_with, find_snapshots, name_beginning, render_changes
from planrail.git.snapshots.look import TreeSnapshot
from planrail.git.snapshots.model import TreeChanges
from planrail.git.snapshots.parking import park, parked_branches

_MOST = 200


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session, or the beginning of its id")
    parser.add_argument("--park", action="store_true", help="keep a copy of the changes on a branch")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    found = [(snapshot, compare_with(snapshot)) for snapshot in find_snapshots(arguments.session)]
    if arguments.park:
        for snapshot, changes in found:
            park(snapshot, changes, snapshot.session or snapshot.name)
    told = {"sessions": [_to_json(snapshot, changes) for snapshot, changes in found]}
    lines = [line for snapshot, changes in found for line in _tell(snapshot, changes)]
    lines = lines or ["No agent has planned in this project."]
    return Answer(told, lines, command=_next(found))


def _tell(snapshot: TreeSnapshot, changes: TreeChanges) -> Iterator[str]:
    who = " ".join(filter(None, (snapshot.agent, snapshot.session))) or snapshot.name
    taken = datetime.fromtimestamp(snapshot.taken_at).astimezone()
    when = taken.strftime("on %Y-%m-%d at %H:%M") if snapshot.taken_at else ""
    yield paint(f"{who}, since {name_beginning(snapshot)} {when}".rstrip(), "bold")
    yield from list_some(list(render_changes(changes)) or ["  nothing has changed"], _MOST, " (--json lists all)")
    yield from (paint(f"  note: {note}", "yellow") for note in changes.notes)
    branches = parked_branches(snapshot)
    if branches:
        yield f"  parked on: {', '.join(branches)}"


def _to_json(snapshot: TreeSnapshot, changes: TreeChanges) -> dict[str, object]:
    return {
        **pick(snapshot, "agent session snapshot=name root taken_at"),
        "changed": bool(changes),
        "files": [pick(file, "path kind reason?") for file in changes.files],
        "refs": [pick(ref, "name was? now?") for ref in changes.refs],
        "head": pick(changes.head, "was now") if changes.head else None,
        "index": bool(changes.index),
        "stash": bool(changes.stash),
        **pick(changes, "settings notes"),
        "parked": parked_branches(snapshot),
    }


def _next(found: list[tuple[TreeSnapshot, TreeChanges]]) -> str:
    for snapshot, changes in found:
        if changes:
            which = f" --session {quote(snapshot.session)}" if len(found) > 1 and snapshot.session else ""
            return f"planrail undo{which}" if parked_branches(snapshot) else f"planrail changes{which} --park"
    return "planrail plans"
