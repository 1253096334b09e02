"""Times for people: how far away, and what the clock and the calendar will show."""

from datetime import tzinfo

from planrail.team.schedules.times import show_local
from planrail.team.schedules.zones import find_zone

_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


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
