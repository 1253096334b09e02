"""The instants of a schedule, how people are told of them, and what follows when one has come. Pure.

cronsim reads the five fields of cron and knows the clocks of a zone, as Debian's cron does:

- Where an hour is named, a time that the clock jumps over is due once, at the first instant after the jump; one that
  comes twice is due the first time only.
- Where every hour is meant (`*`), real time counts: each instant at which the clock shows a matching minute.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from math import floor
from typing import Literal

from cronsim import CronSim, CronSimError

from planrail.base.errors import UsageError
from planrail.base.records import record
from planrail.team.schedules.zones import find_zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Kind = Literal["interval", "clock", "cron", "once"]
KINDS: tuple[Kind, ...] = ("interval", "clock", "cron", "once")
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_LATER = 60.0  # seconds
_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_FIELDS = {  # as cronsim calls them: what we call them, and what goes into them
    "minute": ("minute", "from 0 to 59"),
    "hour": ("hour", "from 0 to 23"),
    "day-of-month": ("day of the month", "from 1 to 31, and one that the month has, such as `0 9 28 2 *`"),
    "month": ("month", "from 1 to 12, or a name such as jan"),
    "day-of-week": ("day of the week", "from 0 to 7, or a name such as mon; 0 and 7 are Sunday"),
}
_TO_SUNDAY = re.compile(r"\b([1-6]|mon|tue|wed|thu|fri|sat)-(?:0|sun)\b", re.IGNORECASE)


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


def check_cron(text: str) -> str:
    """Five fields with single blanks between them; a nickname spelled out.

    Raises `UsageError` for what cannot be read, or what no date ever matches.
    """
    plain = " ".join(text.split())
    cron = _NICKNAMES.get(plain.lower(), plain)
    if next(_simulate(cron, _EPOCH), None) is None:
        raise UsageError(f"no date ever matches {cron!r}", remedy="take a day that the month has, such as `0 9 28 2 *`")
    return cron


def next_time(schedule: Schedule, after: float) -> float | None:
    """The first time of a schedule that is later than this instant; None if there is none."""
    if schedule.kind == "once":
        at = datetime.fromisoformat(schedule.cron).timestamp()
        return at if at > after else None
    zone = find_zone(schedule.zone)
    try:
        times = _simulate(schedule.cron, show_local(floor(after), zone))
        # In an hour that comes twice, cronsim says the first time of both.
        return next((at for found in times if (at := found.timestamp()) > after and _comes(times, found, zone)), None)
    except OverflowError:  # the end of the calendar
        return None


def _comes(times: CronSim, found: datetime, zone: tzinfo) -> bool:
    """Whether cronsim's time is one of the calendar. It may begin a day that never was, where every hour is meant."""
    shown = show_local(found.timestamp(), zone)
    return shown.replace(tzinfo=None) == found.replace(tzinfo=None) or times.match_day(shown.date())


def _simulate(cron: str, start: datetime) -> CronSim:
    fields = cron.split()
    if len(fields) != 5:
        shown, remedy = cron[:60], "minute, hour, day of the month, month, day of the week"
        if shown.startswith("@"):
            raise UsageError(f"{shown!r} is no time", remedy=f"one of {', '.join(sorted(_NICKNAMES))}")
        remedy = f"there are no seconds and no years; {remedy}" if len(fields) in (6, 7) else remedy
        text = f"a cron expression has five fields, and {shown!r} has {len(fields)}"
        raise UsageError(text, remedy=f"{remedy}, such as `0 9 * * 1-5`")
    minute, hour, day, month, weekday = fields
    weekday = _TO_SUNDAY.sub(r"\1-7", weekday)
    try:
        is_every_hour = len(CronSim(f"0 {hour} * * *", start).hours) == 24
        # A star in the first two fields means real time to cronsim, also one with a step.
        minute, hour = (minute, "*") if is_every_hour else (minute.replace("*", "0-59"), hour.replace("*", "0-23"))
        times = CronSim(f"{minute} {hour} {day} {month} {weekday}", start)
    except CronSimError as error:
        name, range_ = _FIELDS[str(error).removeprefix("Bad ")]
        parts = "a field is `*`, a number, a list `1,15`, a range `1-5` or a step `*/10`"
        raise UsageError(f"the {name} in {cron[:60]!r} is not valid", remedy=f"{range_}; {parts}") from None
    if is_every_hour:  # with a single minute cronsim leaps to it, over what half an hour of daylight saving moved
        times.minutes.add(60)
    return times


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
    moment = wall.replace(tzinfo=zone, fold=0)
    while moment != moment.astimezone(UTC).astimezone(zone):
        moment = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
    return int(moment.timestamp())


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
class Firing:
    """Whether the plan is run for its time now, and the time that follows; None: the schedule has none any more."""

    fires: bool
    then: float | None
    why: str = ""  # why it does not fire though its time has come


def decide_firing(next: float, now: float, schedule: Schedule, *, is_busy: bool) -> Firing:
    """What to do with a schedule whose row says `next`, 0 for none.

    The caller writes `then` where the row had `next`, in the transaction that fires. It is later than both, so a
    clock that is set back cannot fire a time again, and one that is set forward fires once for all that it passed.
    """
    if next <= 0:
        return Firing(False, None, "its time has come and gone" if schedule.kind == "once" else "no time is left")
    if now < next:
        return Firing(False, next)
    then = next_time(schedule, now)
    if is_busy:  # a time that is the only one is not let go: it comes when the plan is free
        return Firing(False, now + _LATER if then is None else then, "the plan was being run at that time")
    return Firing(True, then)
