"""What somebody means who writes `4h`, `weekday at 14:00`, `0 9 * * 1-5` or `tomorrow at 9am`.

What can be read in two ways, or what cron cannot say faithfully, is an error that names the nearest thing that works.
"""

import re
from datetime import datetime

from planrail.base.errors import UsageError
from planrail.team.schedules.moments import is_moment, parse_clocks, parse_moment
from planrail.team.schedules.times import Schedule, check_cron
from planrail.team.schedules.zones import find_zone

EXAMPLES = "4h, 30m, day at 9am, weekday at 14:00, `0 9 * * 1-5`, tomorrow at 9am"
_LONGEST = 300  # characters
_QUIET_MINUTE = 3  # in place of a full hour, when everybody's jobs start
_LEAD = re.compile(r"^(?:(?:every|each)(?:\s+|$))+", re.IGNORECASE)
_CRON = re.compile(r"@\S*|(?:[0-9*?][0-9*,/?-]*\s+){2,}\S.*|[^\s]*\*.*")
_AMOUNT = re.compile(r"(?P<number>[0-9]+)?\s*(?P<unit>[a-z]+)\.?")
_DAYS_AT = re.compile(
    r"(?:on\s+)?(?P<days>[a-z][a-z,&.\s–-]*?)(?:\s*\bat\b\s*|\s*@\s*|\s+(?=[0-9]|noon|midday|midnight))(?P<times>.*)"
)
_UNITS = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "hourly"), "hour"),
    **dict.fromkeys(("d", "day", "days", "daily"), "day"),
    **dict.fromkeys(("w", "wk", "week", "weeks", "weekly"), "week"),
    **dict.fromkeys(("month", "months", "monthly", "year", "years", "yearly"), "month"),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "second"),
}
_WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FULL = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_GROUPS = {
    **dict.fromkeys(("day", "days", "daily", "everyday"), tuple(range(7))),
    **dict.fromkeys(("weekday", "weekdays", "workday", "workdays"), tuple(range(1, 6))),
    **dict.fromkeys(("weekend", "weekends"), (0, 6)),
}
_SHORT = {"tues": 2, "weds": 3, "thur": 4, "thurs": 4}
_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&|\s)\s*")
_RANGE = re.compile(r"(?P<first>[a-z]+)\s*(?:-|–|\bto\b|\bthrough\b)\s*(?P<last>[a-z]+)")


def parse_schedule(text: str, at: datetime, zone: str) -> Schedule:
    """The schedule that an expression means at this instant, in this zone. Raises `UsageError` with a remedy."""
    typed = _LEAD.sub("", " ".join(text.split()))
    words = typed.lower()
    if not words or len(words) > _LONGEST:
        what = "that is too long for a schedule" if words else "a schedule needs a time"
        raise UsageError(what, remedy=f"one of: {EXAMPLES}")
    local = at.astimezone(find_zone(zone))
    if _CRON.fullmatch(words):
        return Schedule("cron", typed, check_cron(words), zone)
    if is_moment(words):
        return Schedule("once", typed, parse_moment(words, local), zone)
    amount = _AMOUNT.fullmatch(words)
    if amount and amount["unit"] in _UNITS:
        return Schedule("interval", typed, _parse_interval(amount["number"], _UNITS[amount["unit"]], local), zone)
    return Schedule("clock", typed, _parse_days(words, local), zone)


# ----------------------------------------------------------------------------------------------------------- intervals


def _parse_interval(digits: str | None, unit: str, local: datetime) -> str:
    number, minute, near = int(digits[:9]) if digits else 1, local.minute, []
    match unit, number:
        case ("minute", 60) | ("hour", 1):
            return f"{minute} * * * *"
        case "minute", _ if number > 60:
            near = [f"{size}h" for size in _find_divisors(24, number / 60)]
        case "minute", _:
            if number and 60 % number == 0:
                return f"*/{number} * * * *"
            near = [f"{size}m" if size < 60 else "1h" for size in _find_divisors(60, number)]
        case "hour", _:
            if number and 24 % number == 0:
                return f"{minute} */{number} * * *"
            near = [*(f"{size}h" for size in _find_divisors(24, number)), *(["day at 9am"] if number > 24 else [])]
        case "day" | "week", 1:
            return f"{minute} {local.hour} * * {'*' if unit == 'day' else local.isoweekday() % 7}"
        case "day", _:
            near = ["monday at 9am"] if number == 7 else ["day", "mon,wed,fri at 9am"]
        case "week", _:
            near = ["week", "monday at 9am"]
        case "second", _:
            raise _refuse("seconds", "1m")
        case _:
            raise UsageError("months and years are not intervals of a clock", remedy="a day of each: `0 9 1 * *`")
    raise _refuse(f"every {number} {unit}s", *near)


def _find_divisors(whole: int, number: float) -> list[int]:
    """The divisors next to a number, one on each side; where it is one itself, only that."""
    divisors = [size for size in range(1, whole + 1) if whole % size == 0]
    below = [size for size in divisors if size <= number][-1:]
    above = [size for size in divisors if size >= number][:1]
    return list(dict.fromkeys(below + above))


def _refuse(what: str, *near: str) -> UsageError:
    """As a field of cron, such a step starts anew each hour or day, and the last one before that is shorter."""
    return UsageError(f"a clock cannot say {what} evenly", remedy=f"try {' or '.join(near)}")


# ---------------------------------------------------------------------------------------------------------------- days


def _parse_days(words: str, local: datetime) -> str:
    days = parse_weekdays(words.removeprefix("on "))
    if days is not None:  # no time is said: the time it is now
        return f"{local.minute} {local.hour} * * {render_weekdays(days)}"
    read = _DAYS_AT.fullmatch(words)
    days = parse_weekdays(read["days"]) if read else None
    if read is None or days is None:
        raise _refuse_words(words)
    clocks = parse_clocks(read["times"])
    minutes = {minute for _, minute in clocks}
    if len(minutes) > 1:
        raise UsageError("several times of a day need the same minute", remedy="such as `day at 9:30am and 5:30pm`")
    hours = ",".join(str(hour) for hour in sorted({hour for hour, _ in clocks}))
    return f"{minutes.pop() or _QUIET_MINUTE} {hours} * * {render_weekdays(days)}"


def _refuse_words(words: str) -> UsageError:
    shown = words[:60]
    try:
        parse_clocks(words.removeprefix("at "))
    except UsageError:
        return UsageError(f"{shown!r} is no schedule", remedy=f"one of: {EXAMPLES}")
    said = words.removeprefix("at ")
    text = f"on which days, at {said}?"
    return UsageError(text, remedy=f"`day at {said}`, `weekday at {said}`, `tomorrow at {said}`")


def parse_weekdays(text: str) -> tuple[int, ...] | None:
    """The days that are meant, 0 for Sunday; None where a word is no day."""
    found: set[int] = set()
    for part in _BETWEEN.split(_RANGE.sub(r"\g<first>-\g<last>", text.strip())):
        days = _parse_part(part)
        if days is None:
            return None
        found.update(days)
    return tuple(sorted(found))


def _parse_part(part: str) -> tuple[int, ...] | None:
    if part in _GROUPS:
        return _GROUPS[part]
    first, dash, last = part.partition("-")
    low, high = _find_day(first), _find_day(last if dash else first)
    if low is None or high is None:
        return None
    return tuple((low + step) % 7 for step in range((high - low) % 7 + 1))


def _find_day(word: str) -> int | None:
    name = word.rstrip(".")
    for names in (_WEEKDAYS, _FULL):
        for spelled in (name, name.removesuffix("s")):
            if spelled in names:
                return names.index(spelled)
    return _SHORT.get(name)


def render_weekdays(days: tuple[int, ...]) -> str:
    """The days as a field of cron: `*`, `1-5`, `0,6`."""
    if len(days) == 7:
        return "*"
    is_run = len(days) > 2 and days[-1] - days[0] == len(days) - 1
    return f"{days[0]}-{days[-1]}" if is_run else ",".join(map(str, days))
