"""Times of the day as people write them: `9am`, `9:30 pm`, `14:00`, `noon`."""

import re

from planrail.base.errors import UsageError

_TIME = re.compile(r"(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))?(?P<half>[ap]m)?")
_NAMED = {"noon": (12, 0), "midday": (12, 0), "midnight": (0, 0)}
_HALF = re.compile(r"\s*\b([ap])\.?m\b\.?|(?<=[0-9])\s*([ap])\.?m\b\.?")
_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&)\s*")


def parse_clocks(text: str) -> list[tuple[int, int]]:
    """The hours and minutes of a list of times, such as `9am, 1pm and 17:00`. Raises `UsageError`."""
    joined = _HALF.sub(lambda half: f"{half[1] or half[2]}m", text.strip())
    return [parse_clock(part) for part in _BETWEEN.split(joined)]


def parse_clock(text: str) -> tuple[int, int]:
    """The hour and the minute of one time."""
    if text in _NAMED:
        return _NAMED[text]
    read = _TIME.fullmatch(text)
    if read is None:
        raise UsageError(f"{text[:40]!r} is no time of the day", remedy="write it as 9am, 9:30pm, 14:00 or noon")
    hour, minute, half = int(read["hour"]), int(read["minute"] or 0), read["half"]
    if minute > 59 or hour > 23 or (half and not 1 <= hour <= 12):
        raise UsageError(f"{text!r} is no time of the day", remedy=_find_near(hour, half))
    if half:
        return hour % 12 + (12 if half == "pm" else 0), minute
    if read["minute"] is None and 1 <= hour <= 12:
        raise UsageError(f"{text!r} may be morning or evening", remedy=f"write {hour}am or {hour}pm, or {hour:02}:00")
    return hour, minute


def _find_near(hour: int, half: str | None) -> str:
    if half and 13 <= hour <= 23:
        return f"write {hour}:00 or {hour - 12}pm"
    if hour in (0, 24):
        return "write 12am, 00:00 or midnight"
    return "hours go from 0 to 23 (or 1am to 12pm), minutes from 00 to 59"
