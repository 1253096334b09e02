"""What a schedule means: its cron expression, its zone, and its next times.

`planrail schedule explain day at 9am`. With --json: {"kind": "interval|clock|once", "cron", "next": [ISO, …],
"expression", "zone", "at"}. A cron expression is of the kind "clock". Nothing is scheduled by this.
"""

import os
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime

from planrail.base.errors import UsageError
from planrail.base.wording import Answer, paint, quote
from planrail.cli.screen import show
from planrail.team.schedules.expressions import parse_schedule
from planrail.team.schedules.times import Schedule, find_instant, list_next, render_distance, render_moment, show_local
from planrail.team.schedules.zones import find_project_zone, find_zone

_MOST = 1000


def configure(parser: ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    explain = parts.add_parser("explain", help="EXPR: what it means, and when that is")
    explain.add_argument("words", metavar="EXPR", nargs="*", help="such as 4h, weekday at 14:00, '0 9 * * 1-5'")
    explain.add_argument("--at", metavar="ISO", help="as if it were this time (without an offset: in the zone)")
    explain.add_argument("--count", metavar="N", type=int, default=5, help="how many times to show (5)")
    explain.add_argument("--zone", metavar="NAME", help="the time zone (the project's, else the machine's)")
    explain.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: Namespace) -> int:
    if not 1 <= arguments.count <= _MOST:
        raise UsageError(f"--count goes from 1 to {_MOST}", remedy="planrail schedule explain 4h --count 10")
    zone = arguments.zone or find_project_zone(os.getcwd())
    at = _read_at(arguments.at, zone)
    schedule = parse_schedule(" ".join(arguments.words), at, zone)
    times = list_next(schedule, at.timestamp(), arguments.count)
    told, lines = _describe(schedule, at, times), _tell(schedule, at, times)
    command = f"planrail run PLAN every {quote(schedule.expression)}"
    return show(Answer(told, lines, command=command), as_json=arguments.json)


def _read_at(text: str | None, zone: str) -> datetime:
    """The instant to count from: now, or what was said, which without an offset is a time on the zone's clocks."""
    place = find_zone(zone)
    if text is None:
        return datetime.now(UTC).astimezone(place)
    try:
        said = datetime.fromisoformat(text.strip())
        return said.astimezone(place) if said.tzinfo else show_local(find_instant(said, place), place)
    except (ValueError, OverflowError):
        raise UsageError(f"--at {text!r} is no ISO time", remedy="--at 2026-11-20T09:00 (or with Z, +01:00)") from None


def _describe(schedule: Schedule, at: datetime, times: list[float]) -> dict[str, object]:
    zone, cron = find_zone(schedule.zone), schedule.cron
    if schedule.kind == "once":  # as cron would have it: in every year. planrail itself keeps the instant
        local = show_local(times[0], zone)
        cron = f"{local.minute} {local.hour} {local.day} {local.month} *"
    return {
        "kind": "clock" if schedule.kind == "cron" else schedule.kind,
        "cron": cron,
        "next": [show_local(time, zone).isoformat() for time in times],
        "expression": schedule.expression,
        "zone": schedule.zone,
        "at": at.isoformat(timespec="seconds"),
    }


def _tell(schedule: Schedule, at: datetime, times: list[float]) -> list[str]:
    meant = "once" if schedule.kind == "once" else schedule.cron
    shown = [(render_distance(time - at.timestamp()), render_moment(time, find_zone(schedule.zone))) for time in times]
    width = max((len(distance) for distance, _ in shown), default=0)
    head = f"{paint(schedule.expression, 'bold')}  {meant}  {paint(schedule.zone, 'dim')}"
    return [head, *(f"  {distance:{width}}  {moment}" for distance, moment in shown)]
