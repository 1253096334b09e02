"""What is meant by `4h`, `weekday at 14:00`, `0 9 * * 1-5`, `in 20m` or `tomorrow at 9am`.

What can be read in two ways, or what cron cannot say faithfully, is an error that names the nearest thing that works.
One time is kept as its instant.
"""

import re
from datetime import UTC, datetime, timedelta

from planrail.base.errors import UsageError
from planrail.team.schedules.times import Schedule, check_cron, find_instant
from planrail.team.schedules.zones import find_zone

EXAMPLES = "4h, 30m, day at 9am, weekday at 14:00, `0 9 * * 1-5`, tomorrow at 9am"
_LONGEST = 300  # characters
_QUIET_MINUTE = 3  # in place of a full hour, when all users' jobs start
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
_SECONDS = {"minute": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_FULL = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_DAYS = {
    **{word: (at,) for at, day in enumerate(_FULL) for word in (day, f"{day}s", day[:3], f"{day[:3]}s")},
    "weds": (3,),
    "thur": (4,),
    "thurs": (4,),
    **dict.fromkeys(("day", "days", "daily", "everyday"), tuple(range(7))),
    **dict.fromkeys(("weekday", "weekdays", "workday", "workdays"), tuple(range(1, 6))),
    **dict.fromkeys(("weekend", "weekends"), (0, 6)),
}
_BETWEEN_DAYS = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&|\s)\s*")
_RANGE = re.compile(r"(?P<first>[a-z]+)\s*(?:-|–|\bto\b|\bthrough\b)\s*(?P<last>[a-z]+)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_AT = re.compile(r"(?P<date>[0-9-]{10}|today|tomorrow)(?:\s+at\s+|\s+)(?P<time>.+)")
_SPAN = re.compile(r"(?P<number>[0-9]{1,6})\s*(?P<unit>[a-z]+)\.?(?:\s+and\s+|\s*,\s*|\s*)")
_MOST = 5 * 366 * 86400  # later than that, a digit slipped
_TIME = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?P<half>[ap]m)?")
_NAMED = {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)}
_HALF = re.compile(r"\s*\b([ap])\.?m\b\.?|(?<=[0-9])\s*([ap])\.?m\b\.?")
_BETWEEN_TIMES = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")


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
    if words.split()[0] in ("in", "today", "tomorrow") or _DATE.match(words):
        return Schedule("once", typed, _parse_moment(words, local), zone)
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
    days = _parse_weekdays(words.removeprefix("on "))
    if days is not None:  # no time is said: the time it is now
        return f"{local.minute} {local.hour} * * {days}"
    read = _DAYS_AT.fullmatch(words)
    days = _parse_weekdays(read["days"]) if read else None
    if read is None or days is None:
        raise _refuse_words(words)
    clocks = parse_clocks(read["times"])
    minutes = {minute for _, minute in clocks}
    if len(minutes) > 1:
        raise UsageError("several times of a day need the same minute", remedy="such as `day at 9:30am and 5:30pm`")
    hours = ",".join(str(hour) for hour in sorted({hour for hour, _ in clocks}))
    return f"{minutes.pop() or _QUIET_MINUTE} {hours} * * {days}"


def _refuse_words(words: str) -> UsageError:
    shown = words[:60]
    try:
        parse_clocks(words.removeprefix("at "))
    except UsageError:
        return UsageError(f"{shown!r} is no schedule", remedy=f"one of: {EXAMPLES}")
    said = words.removeprefix("at ")
    text = f"on which days, at {said}?"
    return UsageError(text, remedy=f"`day at {said}`, `weekday at {said}`, `tomorrow at {said}`")


def _parse_weekdays(text: str) -> str | None:
    """The days that are meant, as a field of cron: `*`, `1-5`, `0,6`; None where a word is no day."""
    found: set[int] = set()
    for part in _BETWEEN_DAYS.split(_RANGE.sub(r"\g<first>-\g<last>", text.strip())):
        first, dash, last = part.partition("-")
        low, high = (_DAYS.get(word.rstrip("."), ()) for word in (first, last or first))
        if not low or not high or (dash and (len(low) > 1 or len(high) > 1)):
            return None
        found |= {(low[0] + step) % 7 for step in range((high[0] - low[0]) % 7 + 1)} if dash else set(low)
    days = sorted(found)
    is_run = len(days) > 2 and days[-1] - days[0] == len(days) - 1
    return "*" if len(days) == 7 else f"{days[0]}-{days[-1]}" if is_run else ",".join(map(str, days))


# ------------------------------------------------------------------------------------------------------------ one time


def _parse_moment(words: str, local: datetime) -> str:
    """The instant that is meant, ISO with an offset; it lies ahead. Raises `UsageError`."""
    instant = _count_on(words, local) if words.split()[0] == "in" else _find_moment(words, local)
    now = local.timestamp()
    if instant <= now:
        raise UsageError(f"{words[:60]!r} has passed", remedy="a time that lies ahead, such as `tomorrow at 9am`")
    if instant > now + _MOST:
        raise UsageError(f"{words[:60]!r} is years away", remedy="a time within five years")
    return datetime.fromtimestamp(instant, UTC).isoformat()


def _count_on(words: str, local: datetime) -> int:
    """So much real time from now."""
    rest, seconds = words.removeprefix("in").strip(), 0
    while rest:
        read = _SPAN.match(rest)
        unit = _UNITS.get(read["unit"], "") if read else ""
        if read is None or unit not in _SECONDS:
            break
        seconds += int(read["number"]) * _SECONDS[unit]
        rest = rest[read.end() :]
    if rest or not seconds:
        raise UsageError(f"{words[:60]!r} is no span of time", remedy="`in 20m`, `in 2 hours`, `in 1h 30m`")
    return int(local.timestamp()) + seconds


def _find_moment(words: str, local: datetime) -> int:
    zone = local.tzinfo or UTC
    # An ISO date with a time; a date alone does not say when.
    if re.match(r"[0-9-]{10}[t\s][0-9]{2}:?[0-9]{2}", words) and not words.rstrip(".").endswith("m"):
        try:
            exact = datetime.fromisoformat(words.upper().replace(" +", "+").replace(" Z", "Z"))
            return int(exact.timestamp()) if exact.tzinfo else find_instant(exact, zone)
        except ValueError:
            pass
    read = _DATE_AT.fullmatch(words)
    if read is None:
        raise UsageError(f"{words[:60]!r} does not say the time", remedy=f"`{words.split()[0][:20]} at 9am`")
    [(hour, minute), *more] = parse_clocks(read["time"])
    if more:
        raise UsageError(f"{words[:60]!r} means several times", remedy="one of them")
    day = local.replace(second=0, microsecond=0, tzinfo=None, fold=0) + timedelta(days=read["date"] == "tomorrow")
    if read["date"] not in ("today", "tomorrow"):
        try:
            day = datetime.fromisoformat(read["date"])
        except ValueError:
            remedy = "year, month and day, such as 2026-11-20"
            raise UsageError(f"{read['date']!r} is no date", remedy=remedy) from None
    return find_instant(day.replace(hour=hour, minute=minute), zone)


def parse_clocks(text: str) -> list[tuple[int, int]]:
    """The hours and minutes of a list of times, such as `9am, 1pm and 17:00`. Raises `UsageError`."""
    joined = _HALF.sub(lambda half: f"{half[1] or half[2]}m", text.strip())
    return [parse_clock(part) for part in _BETWEEN_TIMES.split(joined)]


def parse_clock(text: str) -> tuple[int, int]:
    if text in _NAMED:
        return _NAMED[text]
    read = _TIME.fullmatch(text)
    if read is None:
        raise UsageError(f"{text[:40]!r} is no time of the day", remedy="write it as 9am, 9:30pm, 14:00 or noon")
    hour, minute, half = int(read["hour"]), int(read["minute"] or 0), read["half"]
    if minute > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        near = "hours go from 0 to 23 (or 1am to 12pm), minutes from 00 to 59"
        if half and 13 <= hour <= 23:
            near = f"write {hour}:00 or {hour - 12}pm"
        elif hour in (0, 24):
            near = "write 12am, 00:00 or midnight"
        raise UsageError(f"{text!r} is no time of the day", remedy=near)
    if half:
        return hour % 12 + (12 if half == "pm" else 0), minute
    if read["minute"] is None and 1 <= hour <= 12:
        raise UsageError(f"{text!r} may be morning or evening", remedy=f"write {hour}am or {hour}pm, or {hour:02}:00")
    return hour, minute
