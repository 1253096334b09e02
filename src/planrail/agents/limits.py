"""When does a usage limit end? Read from what the agent programs and their services say about it.

The forms, as they were seen: `Claude AI usage limit reached|1749924000`, `resets 8:30pm (Asia/Tokyo)`,
`resets Jul 27 at 4:30am (Asia/Calcutta)`, `try again in 5 days 22 hours 11 minutes`,
`try again at Jul 5th, 2026 8:19 PM`, `"resets_at":1777936568`, `retry-after: 120`.
"""

import re
from datetime import UTC, datetime, timedelta, tzinfo

_MINUTE, _DAY = 60, 86_400  # a time of day is told without its seconds, which Codex and Claude Code cut off
_FARTHEST = 40 * _DAY  # what lies beyond was not understood
_JUST_NOW = 900  # a time of day that has passed so recently is today's, not tomorrow's
_ABOUT = r"(?:reset\w*|again|retry|until|available)"
_EPOCH = re.compile(r"(?:\||reset\w*\W{1,4})(1\d{9})(\d{3})?\b", re.IGNORECASE)
_ISO = re.compile(_ABOUT + r"\W.{0,40}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)", re.I)
_SECONDS = re.compile(
    r"(?:resets_in_seconds|retry[-_]?after(?:[-_]seconds)?)\W{1,4}(\d+(?:\.\d+)?)\s*(?:s|sec\w*)?\b(?![-:.])",
    re.IGNORECASE,
)
_IN = re.compile(
    r"(?:reset\w*|again|retry|available)\s(?:\w+\s)?(?:in\s+|after\s+)?(?:about\s+)?"
    r"((?:\d+(?:\.\d+)?\s*(?:ms|[smhdw]|sec\w*|min\w*|hours?|hrs?|days?|weeks?)(?![a-z])[\s,]*(?:and\s+)?)+)",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)", re.IGNORECASE)
_UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), _DAY),
    **dict.fromkeys(("w", "week", "weeks"), 7 * _DAY),
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CLOCK = re.compile(
    _ABOUT + r"\s(?:at\s|on\s)?"
    r"(?:(?P<weekday>(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*),?\s+(?:at\s)?)?"
    r"(?:(?P<month>(?:" + "|".join(_MONTHS) + r")[a-z]*)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+"
    r"(?:(?P<year>20\d\d),?\s+)?(?:at\s)?)?"
    r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s*(?P<half>[ap]\.?m\b)?"
    r"(?:\s*\((?P<zone>[A-Za-z][\w/+-]*)\))?",
    re.IGNORECASE,
)


def read_reset(text: str, now: float, local: tzinfo | None = None) -> int:
    """The second at which the limit ends, by this message; 0 where it does not say. Times without a zone are local.

    What was to end in the past and has not is given a minute more, so that nobody tries again and again.
    """
    for read in (_epoch, _iso, _relative, _clock):
        found = read(text, now, local or datetime.fromtimestamp(now, UTC).astimezone().tzinfo or UTC)
        if found is not None and now - _DAY < found < now + _FARTHEST:
            return int(found if found > now else now + _MINUTE)
    return 0


def _epoch(text: str, now: float, local: tzinfo) -> float | None:
    found = _EPOCH.search(text)
    return float(found[1]) if found else None


def _iso(text: str, now: float, local: tzinfo) -> float | None:
    found = _ISO.search(text)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat(found[1])
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=local)).timestamp()


def _relative(text: str, now: float, local: tzinfo) -> float | None:
    plain = _SECONDS.search(text)
    if plain:
        return now + float(plain[1]) + 0.999
    found = _IN.search(text)
    parts = _PART.findall(found[1]) if found else []
    known = [float(number) * _UNITS[unit.lower()] for number, unit in parts if unit.lower() in _UNITS]
    return now + sum(known) + 0.999 if known else None


def _clock(text: str, now: float, local: tzinfo) -> float | None:
    for found in _CLOCK.finditer(text):
        if not (found["half"] or found["minute"]):
            continue  # a bare number is no time
        zone = _zone(found["zone"]) if found["zone"] else local
        hour, half = int(found["hour"]), (found["half"] or "").lower()
        hour = hour % 12 + (12 if half[0] == "p" else 0) if half else hour
        if zone is None or hour > 23:
            continue
        today = datetime.fromtimestamp(now, zone)
        at = today.replace(hour=hour, minute=int(found["minute"] or 0) % 60, second=0, microsecond=0)
        moment = _on_its_day(found, at, now)
        return moment + _MINUTE if moment is not None else None
    return None


def _on_its_day(found: re.Match[str], at: datetime, now: float) -> float | None:
    if found["month"]:
        month = _MONTHS.index(found["month"][:3].lower()) + 1
        try:
            dated = at.replace(year=int(found["year"] or at.year), month=month, day=int(found["day"]))
            is_next = not found["year"] and dated.timestamp() < now - _DAY
            return (dated.replace(year=dated.year + 1) if is_next else dated).timestamp()
        except ValueError:
            return None
    again = timedelta(days=1)
    if found["weekday"]:
        at += timedelta(days=(_WEEKDAYS.index(found["weekday"][:3].lower()) - at.weekday()) % 7)
        again = timedelta(days=7)
    return (at + again if at.timestamp() < now - _JUST_NOW else at).timestamp()


def _zone(name: str) -> tzinfo | None:
    if name.upper() in ("UTC", "GMT", "Z"):
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return None
