"""One-shot times: `in 20m`, `tomorrow at 9am`, `2026-11-20 14:00`. They are kept as instants."""

import re
from datetime import UTC, datetime, timedelta

from planrail.base.errors import UsageError
from planrail.team.schedules.times import find_instant

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_AT = re.compile(r"(?P<date>[0-9-]{10})(?:\s+at\s+|\s+)(?P<time>.+)")
_DAY_AT = re.compile(r"(?P<day>today|tomorrow)(?:\s+at\s+|\s+)(?P<time>.+)")
_SPAN = re.compile(r"(?P<number>[0-9]{1,6})\s*(?P<unit>[a-z]+)\.?(?:\s+and\s+|\s*,\s*|\s*)")
_SECONDS = {
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "wk", "week", "weeks"), 7 * 86400),
}
_MOST = 5 * 366 * 86400  # later than that, a digit slipped
_TIME = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?P<half>[ap]m)?")
_NAMED = {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)}
_HALF = re.compile(r"\s*\b([ap])\.?m\b\.?|(?<=[0-9])\s*([ap])\.?m\b\.?")
_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")


def is_moment(words: str) -> bool:
    """Whether the words mean one time, and not many."""
    return words.split()[0] in ("in", "today", "tomorrow") or bool(_DATE.match(words))


def parse_moment(words: str, local: datetime) -> str:
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
        if read is None or read["unit"] not in _SECONDS:
            break
        seconds += int(read["number"]) * _SECONDS[read["unit"]]
        rest = rest[read.end() :]
    if rest or not seconds:
        raise UsageError(f"{words[:60]!r} is no span of time", remedy="`in 20m`, `in 2 hours`, `in 1h 30m`")
    return int(local.timestamp()) + seconds


def _find_moment(words: str, local: datetime) -> int:
    exact = _parse_iso(words)
    if exact is not None:
        return int(exact.timestamp()) if exact.tzinfo else _find_on_wall(exact, local)
    read = _DAY_AT.fullmatch(words) or _DATE_AT.fullmatch(words)
    if read is None:
        raise UsageError(f"{words[:60]!r} does not say the time", remedy=f"`{words.split()[0][:20]} at 9am`")
    [(hour, minute), *more] = parse_clocks(read["time"])
    if more:
        raise UsageError(f"{words[:60]!r} means several times", remedy="one of them")
    return _find_on_wall(_find_day(read[1], local).replace(hour=hour, minute=minute), local)


def _parse_iso(words: str) -> datetime | None:
    """An ISO date with a time; a date alone does not say when."""
    if not re.match(r"[0-9-]{10}[t\s][0-9]{2}:?[0-9]{2}", words) or words.rstrip(".").endswith("m"):
        return None
    try:
        return datetime.fromisoformat(words.upper().replace(" +", "+").replace(" Z", "Z"))
    except ValueError:
        return None


def _find_day(word: str, local: datetime) -> datetime:
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None, fold=0)
    if word in ("today", "tomorrow"):
        return midnight + timedelta(days=word == "tomorrow")
    try:
        return datetime.fromisoformat(word)
    except ValueError:
        raise UsageError(f"{word!r} is no date", remedy="year, month and day, such as 2026-11-20") from None


def _find_on_wall(wall: datetime, local: datetime) -> int:
    zone = local.tzinfo
    return find_instant(wall, zone) if zone is not None else int(wall.replace(tzinfo=UTC).timestamp())


def parse_clocks(text: str) -> list[tuple[int, int]]:
    """The hours and minutes of a list of times, such as `9am, 1pm and 17:00`. Raises `UsageError`."""
    joined = _HALF.sub(lambda half: f"{half[1] or half[2]}m", text.strip())
    return [parse_clock(part) for part in _BETWEEN.split(joined)]


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
