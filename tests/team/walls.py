"""Random cron expressions, many zones, and a second opinion on their times: minute by minute, with no cleverness."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from planrail.base.records import record

MINUTE = timedelta(minutes=1)
EARLIEST, LATEST = datetime.fromisoformat("1993-01-01"), datetime.fromisoformat("2035-01-01")
MOMENTS = st.datetimes(EARLIEST, LATEST, timezones=st.just(UTC))
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "America/Havana",  # changes at midnight
    "America/Sao_Paulo",  # changed at midnight, forwards over 0:00
    "America/Caracas",  # an offset without daylight saving, 2007 and 2016
    "Asia/Beirut",  # forwards over midnight
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",  # half an hour, 2015 and 2018
    "Asia/Gaza",
    "Africa/Casablanca",  # backwards for Ramadan
    "Africa/Cairo",
    "Antarctica/Troll",  # two hours at once
    "Australia/Lord_Howe",  # half an hour of daylight saving
    "Pacific/Apia",  # there was no 30 December 2011
    "Pacific/Kwajalein",  # there was no 21 August 1993
    "Pacific/Chatham",
)


@record
class Fields:
    """What an expression accepts, as it was drawn, beside its text."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    is_either: bool

    def accepts(self, wall: datetime) -> bool:
        if wall.minute not in self.minutes or wall.hour not in self.hours or wall.month not in self.months:
            return False
        on_day, on_weekday = wall.day in self.days, wall.isoweekday() % 7 in self.weekdays
        return (on_day or on_weekday) if self.is_either else (on_day and on_weekday)


def _field(least: int, most: int) -> st.SearchStrategy[tuple[str, frozenset[int]]]:
    everything = st.just(("*", frozenset(range(least, most + 1))))
    steps = st.integers(1, most - least + 1).map(lambda step: (f"*/{step}", frozenset(range(least, most + 1, step))))
    lists = st.frozensets(st.integers(least, most), min_size=1, max_size=4).map(
        lambda chosen: (",".join(map(str, sorted(chosen))), chosen)
    )
    bounds = st.lists(st.integers(least, most), min_size=2, max_size=2, unique=True).map(sorted)
    ranges = st.tuples(bounds, st.integers(1, 4)).map(
        lambda drawn: (
            f"{drawn[0][0]}-{drawn[0][1]}/{drawn[1]}",
            frozenset(range(drawn[0][0], drawn[0][1] + 1, drawn[1])),
        )
    )
    return st.one_of(everything, everything, lists, lists, steps, ranges)


_LENGTHS = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}


def expressions(*, is_daily: bool = False) -> st.SearchStrategy[Fields]:
    """An expression that some date matches, with its sets; `is_daily`: all dates, so that two days hold some times."""
    return _expressions(is_daily=is_daily).filter(
        lambda fields: fields.is_either or any(min(fields.days) <= _LENGTHS.get(month, 31) for month in fields.months)
    )


@st.composite
def _expressions(draw: st.DrawFn, *, is_daily: bool) -> Fields:
    bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
    parts = [
        draw(_field(*bound)) if at < 2 or not is_daily else ("*", frozenset(range(bound[0], bound[1] + 1)))
        for at, bound in enumerate(bounds)
    ]
    text = " ".join(part[0] for part in parts)
    is_either = not parts[2][0].startswith("*") and not parts[4][0].startswith("*")
    minutes, hours, days, months, weekdays = (part[1] for part in parts)
    return Fields(text, minutes, hours, days, months, weekdays, is_either)


def list_changes(zone: ZoneInfo, first: int, last: int) -> list[datetime]:
    """The instants at which a zone changed its offset in these years, to the minute."""
    at, end, found = datetime(first, 1, 1, tzinfo=UTC), datetime(last + 1, 1, 1, tzinfo=UTC), []
    while at < end:
        after = at + timedelta(days=2)
        if _offset(at, zone) != _offset(after, zone):
            moment = at
            while _offset(moment, zone) == _offset(at, zone):
                moment += MINUTE
            found.append(moment)
        at = after
    return found


def _offset(at: datetime, zone: ZoneInfo) -> timedelta | None:
    return at.astimezone(zone).utcoffset()


def walk(fields: Fields, zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    """Every minute that is due in (start, end], found by looking at each of them. It begins hours before, to see what comes twice."""
    is_real = len(fields.hours) == 24
    begin = start - timedelta(hours=4)
    seen = {begin.astimezone(zone).replace(tzinfo=None)}
    at, last = begin + MINUTE, begin.astimezone(zone).replace(tzinfo=None)
    while at <= end:
        wall = at.astimezone(zone).replace(tzinfo=None)
        due = fields.accepts(wall) if is_real else (wall not in seen and _is_due(fields, last, wall))
        seen.add(wall)
        if due and at > start:
            yield at
        at, last = at + MINUTE, wall


def _is_due(fields: Fields, last: datetime, wall: datetime) -> bool:
    """Whether the minute is due, or one that the clock has just jumped over."""
    moment = wall
    while True:
        if fields.accepts(moment):
            return True
        moment -= MINUTE
        if moment <= last:
            return False
