"""Cron expressions: five fields as sets of numbers, and the next wall-clock minute that they match.

The fields are those of cron: numbers, names, lists, ranges, steps, `@daily` and the like, 7 for Sunday. Where both days
are restricted, either is enough; a field that begins with `*` does not count as restricted. No zones here.
"""

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from planrail.base.errors import UsageError
from planrail.base.records import record

_NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day of the month", 1, 31), ("month", 1, 12), ("day of the week", 0, 7))
_PART = re.compile(r"(?P<first>\*|[0-9a-z]+)(?:-(?P<last>[0-9a-z]+))?(?:/(?P<step>[0-9]{1,4}))?")
_DAYS = 41 * 366  # a 29 February on one weekday: every 28 years, every 40 around 2100


@record
class Cron:
    """What each field accepts, in order. `is_either`: a day of the month or a day of the week is enough."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: tuple[int, ...]
    months: tuple[int, ...]
    weekdays: tuple[int, ...]  # 0 is Sunday
    is_either: bool

    @property
    def is_every_hour(self) -> bool:
        """Whether no hour is named: it goes by real hours, and not by the clock on the wall."""
        return len(self.hours) == 24


def normalise_cron(text: str) -> str:
    """Five fields with single blanks between them; a nickname spelled out."""
    plain = " ".join(text.split())
    return _NICKNAMES.get(plain.lower(), plain)


@lru_cache(maxsize=4096)
def parse_cron(text: str) -> Cron:
    """What an expression accepts. Raises `UsageError` for one that cannot be read, or that no date ever matches."""
    fields = normalise_cron(text).lower().split()
    if len(fields) != 5:
        shown, remedy = " ".join(text.split())[:60], "minute, hour, day of the month, month, day of the week"
        if shown.startswith("@"):
            raise UsageError(f"{shown!r} is no time", remedy=f"one of {', '.join(sorted(_NICKNAMES))}")
        remedy = f"there are no seconds and no years; {remedy}" if len(fields) in (6, 7) else remedy
        text = f"a cron expression has five fields, and {shown!r} has {len(fields)}"
        raise UsageError(text, remedy=f"{remedy}, such as `0 9 * * 1-5`")
    minutes, hours, days, months, weekdays = (
        tuple(sorted({number for part in field.split(",") for number in _parse_part(at, part)}))
        for at, field in enumerate(fields)
    )
    is_either = not fields[2].startswith("*") and not fields[4].startswith("*")
    cron = Cron(minutes, hours, days, months, tuple(sorted({day % 7 for day in weekdays})), is_either)
    if next_match(cron, datetime(2000, 1, 1)) is None:  # noqa: DTZ001 - a date on the wall, of no zone
        raise UsageError(f"no date ever matches {text!r}", remedy="take a day that the month has, such as `0 9 28 2 *`")
    return cron


def next_match(cron: Cron, after: datetime) -> datetime | None:
    """The first minute on the wall after this one that the fields match; None if none ever does."""
    start = after.replace(second=0, microsecond=0, tzinfo=None) + timedelta(minutes=1)
    for count in range(min(_DAYS, (date.max - start.date()).days)):
        day = start.date() + timedelta(count)
        if not _accepts(cron, day):
            continue
        least = (start.hour, start.minute) if count == 0 else (0, 0)
        times = ((hour, minute) for hour in cron.hours for minute in cron.minutes)
        found = next((moment for moment in times if moment >= least), None)
        if found is not None:
            return datetime.combine(day, time(*found))
    return None


def _accepts(cron: Cron, day: date) -> bool:
    if day.month not in cron.months:
        return False
    on_day, on_weekday = day.day in cron.days, day.isoweekday() % 7 in cron.weekdays
    return (on_day or on_weekday) if cron.is_either else (on_day and on_weekday)


# ------------------------------------------------------------------------------------------------------------- reading


def _parse_part(at: int, part: str) -> range:
    name, least, most = _FIELDS[at]
    read = _PART.fullmatch(part)
    if read is None or (read["first"] == "*" and read["last"]):
        raise _refuse_part(name, part)
    step = int(read["step"] or 1)
    if not 1 <= step <= most + 1 - least:
        raise UsageError(f"a step of {step} does not fit into the {name}", remedy=f"steps go from 1 to {most}")
    if read["first"] == "*":
        return range(least, most + 1 - (at == 4), step)
    first = _parse_number(at, read["first"])
    if read["last"] is None and read["step"]:  # programs disagree about it: this number alone, or from it to the end
        remedy = f"write where it ends, such as `{first}-{most}/{read['step']}`"
        raise UsageError(f"{part!r} in the {name} is a step without a range", remedy=remedy)
    last = _parse_number(at, read["last"]) if read["last"] else first
    if at == 4 and last == 0 and first > 0:
        last = 7  # fri-sun
    if last < first:
        top = 6 if at == 4 else most
        ends = [str(low) if low == high else f"{low}-{high}" for low, high in ((first, top), (least, last))]
        raise UsageError(f"the range {part!r} in the {name} runs backwards", remedy=f"write it as `{','.join(ends)}`")
    return range(first, last + 1, step)


def _parse_number(at: int, text: str) -> int:
    name, least, most = _FIELDS[at]
    names = {3: MONTHS, 4: WEEKDAYS}.get(at, ())
    if text in names:
        return names.index(text) + (at == 3)
    if not text.isdigit() or len(text) > 4:
        raise _refuse_part(name, text)
    number = int(text)
    if not least <= number <= most:
        raise UsageError(f"{number} is no {name}", remedy=f"it goes from {least} to {most}")
    return number


def _refuse_part(name: str, part: str) -> UsageError:
    remedy = "a field is `*`, a number, a list `1,15`, a range `1-5` or a step `*/10`; days and months may be names"
    if part == "?":
        remedy = "write `*` for a field that may be anything"
    return UsageError(f"{part[:40]!r} cannot be read as the {name} of a cron expression", remedy=remedy)
