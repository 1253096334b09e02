"""Days of the week as people write them: `weekday`, `mon,wed,fri`, `monday and thursday`, `mon-fri`."""

import re

from planrail.team.schedules.cron import WEEKDAYS

_FULL = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_GROUPS = {
    "day": range(7),
    "days": range(7),
    "daily": range(7),
    "everyday": range(7),
    "weekday": range(1, 6),
    "weekdays": range(1, 6),
    "workday": range(1, 6),
    "workdays": range(1, 6),
    "weekend": (0, 6),
    "weekends": (0, 6),
}
_SHORT = {"tues": 2, "weds": 3, "thur": 4, "thurs": 4}
_BETWEEN = re.compile(r"\s*(?:,\s*and\b|,|\band\b|&|\s)\s*")
_RANGE = re.compile(r"(?P<first>[a-z]+)\s*(?:-|–|\bto\b|\bthrough\b)\s*(?P<last>[a-z]+)")


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
        return tuple(_GROUPS[part])
    first, dash, last = part.partition("-")
    low, high = _find_day(first), _find_day(last if dash else first)
    if low is None or high is None:
        return None
    return tuple((low + step) % 7 for step in range((high - low) % 7 + 1))


def _find_day(word: str) -> int | None:
    name = word.rstrip(".")
    for names in (WEEKDAYS, _FULL):
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
