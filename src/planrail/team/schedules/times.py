"""The instants of a schedule, how people are told of them, and what follows when one has come. Pure.

- Where an hour is named, a time that the clock jumps over is due once, at the first instant after the jump; one that
  comes twice is due the first time only.
- Where every hour is meant (`*`), real time counts: each instant at which the clock shows a matching minute.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from math import floor
from typing import Literal

from planrail.base.records import record
from planrail.team.schedules.cron import Cron, next_match, parse_cron
from planrail.team.schedules.zones import find_zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = datetime(9990, 1, 1, tzinfo=UTC)
_STRETCH = 86400  # no zone has ever changed its clocks twice within four days
_MARGIN = 2 * 86400  # more than two offsets of a zone ever differ
Kind = Literal["interval", "clock", "cron", "once"]
KINDS: tuple[Kind, ...] = ("interval", "clock", "cron", "once")
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_LATER = 60.0  # seconds


@record
class Schedule:
    """The times that are meant.

    `cron` has five fields, read in `zone`. For `once` it is the instant instead, ISO with an offset: what `in 20m`
    means must not move with the moment at which it is read again.
    """

    kind: Kind
    expression: str  # as it was typed, without `every`
    cron: str
    zone: str  # the name of a time zone, such as Europe/Berlin


def next_time(schedule: Schedule, after: float) -> float | None:
    """The first time of a schedule that is later than this instant; None if there is none."""
    if schedule.kind == "once":
        at = datetime.fromisoformat(schedule.cron).timestamp()
        return at if at > after else None
    cron, zone, start = parse_cron(schedule.cron), find_zone(schedule.zone), floor(after)
    if start >= (_LATEST - _EPOCH).total_seconds():
        return None
    found = _next_real(cron, zone, start) if cron.is_every_hour else _next_on_wall(cron, zone, start)
    return None if found is None else float(found)


def list_next(schedule: Schedule, after: float, count: int) -> list[float]:
    found: list[float] = []
    at = next_time(schedule, after)
    while at is not None and len(found) < count:
        found.append(at)
        at = next_time(schedule, at)
    return found


def show_local(at: float, zone: tzinfo) -> datetime:
    """An instant as the clocks of a zone show it."""
    return (_EPOCH + timedelta(seconds=at)).astimezone(zone)


def find_instant(wall: datetime, zone: tzinfo) -> int:
    """The instant at which the clock shows this: the first if it comes twice, the end of the jump if it never does."""
    instant = _count_seconds(wall.replace(tzinfo=zone, fold=0))
    if _read_wall(instant, zone) == wall:
        return instant
    before = _count_seconds(wall.replace(tzinfo=zone, fold=1))
    return _find_change(before, instant, lambda at: _read_wall(at, zone) < wall)


def _find_change(before: int, end: int, is_before: Callable[[int], bool]) -> int:
    """The first instant up to `end` that lies no longer before a change of the clock."""
    while end - before > 1:
        middle = (before + end) // 2
        before, end = (middle, end) if is_before(middle) else (before, middle)
    return end


def _next_on_wall(cron: Cron, zone: tzinfo, start: int) -> int | None:
    """Times on the wall, each turned into its one instant. Later ones never come earlier, so the first will do."""
    wall = next_match(cron, _read_wall(start, zone))
    while wall is not None:
        instant = find_instant(wall, zone)
        if instant > start:
            return instant
        wall = next_match(cron, wall)
    return None


def _next_real(cron: Cron, zone: tzinfo, start: int) -> int | None:
    """Stretches of time with one offset, one after the other; what lies between two matches is jumped over."""
    first = start + 1
    while True:
        offset, end = _find_stretch(first, zone)
        wall = next_match(cron, (_EPOCH + timedelta(seconds=first + offset - 1)).replace(tzinfo=None))
        if wall is None:
            return None
        instant = _count_seconds(wall.replace(tzinfo=UTC)) - offset
        if instant < end:
            return instant
        first = max(end, instant - _MARGIN)


def _find_stretch(first: int, zone: tzinfo) -> tuple[int, int]:
    """The offset at an instant, and until when, at most a few hours on, it stays so."""
    offset, end = _read_offset(first, zone), first + _STRETCH
    if _read_offset(end, zone) == offset:
        return offset, end
    return offset, _find_change(first, end, lambda at: _read_offset(at, zone) == offset)


def _read_offset(instant: int, zone: tzinfo) -> int:
    offset = show_local(instant, zone).utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0


def _read_wall(instant: int, zone: tzinfo) -> datetime:
    return show_local(instant, zone).replace(tzinfo=None, fold=0)


def _count_seconds(moment: datetime) -> int:
    return int((moment - _EPOCH).total_seconds())


def render_distance(seconds: float) -> str:
    """How far away, in the two largest units: `in 2 h 51 min`, `5 min ago`, `now`."""
    rest = whole = round(abs(seconds))
    parts: list[str] = []
    for size, name in _UNITS:
        count, left = divmod(rest, size)
        if count and len(parts) < 2 and not (name == "s" and whole >= 3600):
            parts.append(f"{count} {name}")
            rest = left
        elif parts:
            break
    if not parts:
        return "now"
    text = " ".join(parts)
    return f"in {text}" if seconds > 0 else f"{text} ago"


def render_moment(at: float, zone: tzinfo) -> str:
    """What the clock and the calendar of a zone will show: `Mon 2026-04-20 09:03 CEST`."""
    local = show_local(at, zone)
    return f"{local:%a %Y-%m-%d %H:%M} {local.tzname() or ''}".rstrip()


def describe_when(at: float, now: float, zone: str) -> str:
    """A time relative and absolute: `in 2 h 5 min · Mon 2026-11-16 09:03 CET`."""
    return f"{render_distance(at - now)} · {render_moment(at, find_zone(zone))}"


@record
class Fire:
    """Run the plan, for the time that was planned. `then` is the next one; None: the schedule ends with this."""

    planned: float
    then: float | None


@record
class Absorb:
    """The plan is being run already: this time is let go. `then` as in `Fire`."""

    then: float | None
    why: str


@record
class Sleep:
    """Nothing is due before then."""

    until: float


@record
class Over:
    """The schedule has no time any more."""

    why: str


Firing = Fire | Absorb | Sleep | Over


def decide_firing(next: float, now: float, schedule: Schedule, *, is_busy: bool) -> Firing:
    """What to do with a schedule whose row says `next`, 0 for none.

    Whoever keeps the row writes `then` where `next` was, in the transaction that fires. It is later than both, so a
    clock that is set back cannot fire a time again, and one that is set forward fires once for all that it passed.
    """
    if next <= 0:
        return Over("its time has come and gone" if schedule.kind == "once" else "no time is left")
    if now < next:
        return Sleep(next)
    then = next_time(schedule, now)
    if is_busy:  # a time that is the only one is not let go: it comes when the plan is free
        return Absorb(now + _LATER if then is None else then, "the plan was being run at that time")
    return Fire(next, then)
