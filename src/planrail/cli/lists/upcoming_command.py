"""What goes on by itself, and when: the schedules of this project, and the runs that are parked until a time.

With --json: {"now", "zone", "upcoming": [{"kind": "schedule|parked", "plan", "path", "repository", "state", "next",
"at", "seconds", "text", "expression", "cron", "zone", "last", "why"}], "note", "next"}. `next` and `now` are seconds
since the epoch, `at` is the same as an ISO time in the zone; a schedule that is held has no time.
"""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from planrail.approval.book import project_root
from planrail.base.masking import mask
from planrail.base.records import record
from planrail.base.wording import Answer, clip, paint, quote, quote_file
from planrail.team.queue_looks import QueueLook, look_at_queues
from planrail.team.queueing import ACTIVE, QUEUED, RESTING, ScheduleRow, Submission
from planrail.team.schedules.times import describe_when, show_local
from planrail.team.schedules.zones import find_project_zone, find_zone


@record
class Coming:
    """Something that goes on by itself. `at` is None where a person has to start it anew."""

    row: ScheduleRow | Submission
    look: QueueLook
    at: float | None
    rests: str | None = None  # what its run said, which rests until a person answers


def configure(parser: ArgumentParser) -> None:
    everywhere = "of the team's whole database, or of all repositories of the service"
    parser.add_argument("--all", action="store_true", help=everywhere)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> Answer:
    root = project_root(os.getcwd())
    looks = look_at_queues(root, all=arguments.all)
    found, zone = list_coming(looks), find_project_zone(root)
    note = next((one.look.note for one in found if one.look.note), "")
    lines = [line for one in found for line in _tell(one, zone, is_wide=arguments.all)]
    lines = lines or ["nothing is scheduled, and no run is parked"]
    lines += [paint(f"\n{note}", "yellow")] if note else []
    now, command = max((look.now for look in looks), default=None), following(found, note)
    coming = [_describe(one, zone) for one in found]
    told = {"now": now, "zone": zone, "upcoming": coming, "note": note or None, "next": command}
    return Answer(told, lines, command=command)


def list_coming(looks: list[QueueLook]) -> list[Coming]:
    """All of it, the next first; what is held at the end."""
    found = []
    for look in looks:
        rests = {(one.repository, one.plan): one.said for one in look.submissions if one.state == RESTING}
        for row in look.schedules:
            at = row.next if row.state == ACTIVE else None
            found.append(Coming(row, look, at, rests.get((row.repository, row.plan))))
        parked = [row for row in look.submissions if row.state == QUEUED and row.due > look.now]
        found += [Coming(row, look, row.due) for row in parked]
    return sorted(found, key=lambda one: (one.at is None, one.at or 0.0, one.row.path))


def following(found: list[Coming], note: str) -> str:
    if not found:
        return "planrail list plans"
    if note and any(one.at is not None for one in found):
        return "planrail service install"
    waiting = next((one for one in found if one.rests is not None), None)
    held = next((one for one in found if one.at is None), None)
    one = waiting or held or found[0]
    path = quote_file(one.look.root, one.row.path)
    if waiting is not None:
        return f"planrail resume {path}"
    if held is not None and isinstance(held.row, ScheduleRow):
        again = f"planrail run {path} every {quote(held.row.expression)}"
        return f"planrail approve {path}" if "not approved" in held.row.why else again
    return "planrail run now" if isinstance(found[0].row, ScheduleRow) else f"planrail status {path}"


def _describe(one: Coming, zone: str) -> dict[str, object]:
    row, at = one.row, one.at
    known = {"plan": row.plan, "path": row.path, "repository": row.repository or one.look.root, "state": row.state}
    known |= {"kind": "schedule" if isinstance(row, ScheduleRow) else "parked"}
    when = {
        "next": at,
        "at": show_local(at, find_zone(zone)).isoformat(timespec="seconds") if at is not None else None,
        "seconds": round(at - one.look.now, 1) if at is not None else None,
        "text": describe_when(at, one.look.now, zone) if at is not None else None,
    }
    own: dict[str, object] = {"expression": None, "cron": None, "zone": None, "last": None}
    if isinstance(row, ScheduleRow):
        own = {"expression": row.expression, "cron": row.cron, "zone": row.zone, "last": row.last or None}
    why = row.why if isinstance(row, ScheduleRow) else row.said
    return {**known, **when, **own, "why": mask(why) or None}


def _tell(one: Coming, zone: str, *, is_wide: bool) -> Iterator[str]:
    row, at = one.row, one.at
    when = describe_when(at, one.look.now, zone) if at is not None else "held"
    place = paint(f"  {row.repository or one.look.root}", "dim") if is_wide else ""
    yield f"{paint(when, 'bold' if at is not None else 'red')}  {row.path}{place}"
    if isinstance(row, Submission):
        said = f": {clip(mask(row.said), 160)}" if row.said else ""
        yield f"  {'parked' if row.outcome == 'parked' else 'waits'}{said}"
    else:
        yield "  once" if row.kind == "once" else f"  every {row.expression}  ({row.cron}, {row.zone})"
        if row.why:
            yield f"  {clip(mask(row.why), 160)}"
    if one.rests is not None:
        said = f": {clip(mask(one.rests), 160)}" if one.rests else ""
        yield f"  waits for a person{said}; times that pass are let go"
