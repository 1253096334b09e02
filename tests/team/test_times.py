"""The next time of a schedule, with clocks that jump: named places, and a minute-by-minute second opinion."""

from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.team.schedules.times import Schedule, find_instant, list_next, next_time
from tests.plans.efforts import each_effort, search
from tests.team.walls import MOMENTS, ZONES, Fields, expressions, list_changes, walk


def _next(cron: str, zone: str, after: str, count: int = 3) -> list[str]:
    """The next times on the zone's own clocks, with the offset."""
    place = ZoneInfo(zone)
    start = datetime.fromisoformat(after)
    moment = (start if start.tzinfo else start.replace(tzinfo=place)).timestamp()
    times = list_next(Schedule("cron", cron, cron, zone), moment, count)
    return [datetime.fromtimestamp(time, place).isoformat(timespec="minutes") for time in times]


def test_a_time_in_the_gap_is_due_once_at_the_end_of_the_gap() -> None:
    assert _next("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00") == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
        "2026-03-31T02:30+02:00",
    ]


def test_several_times_in_one_gap_are_due_once() -> None:
    assert _next("*/10 2 * * *", "Europe/Berlin", "2026-03-29T01:00", 2) == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:00+02:00",
    ]


def test_a_time_that_comes_twice_is_due_the_first_time_only() -> None:
    assert _next("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", 2) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_an_hourly_schedule_goes_by_real_hours() -> None:
    assert _next("9 * * * *", "Europe/Berlin", "2026-10-25T01:00", 4) == [
        "2026-10-25T01:09+02:00",
        "2026-10-25T02:09+02:00",
        "2026-10-25T02:09+01:00",
        "2026-10-25T03:09+01:00",
    ]
    assert _next("9 * * * *", "Europe/Berlin", "2026-03-29T01:00", 2) == [
        "2026-03-29T01:09+01:00",
        "2026-03-29T03:09+02:00",
    ]


def test_every_few_hours_is_due_once_for_a_repeated_hour_and_once_for_a_missing_one() -> None:
    assert _next("9 */2 * * *", "Europe/Berlin", "2026-10-25T01:00", 2) == [
        "2026-10-25T02:09+02:00",
        "2026-10-25T04:09+01:00",
    ]
    assert _next("9 */2 * * *", "Europe/Berlin", "2026-03-29T01:00", 2) == [
        "2026-03-29T03:00+02:00",
        "2026-03-29T04:09+02:00",
    ]


def test_half_an_hour_of_daylight_saving_is_followed() -> None:
    assert _next("15 2 * * *", "Australia/Lord_Howe", "2026-10-04T00:00", 1) == ["2026-10-04T02:30+11:00"]
    assert _next("45 1 * * *", "Australia/Lord_Howe", "2026-04-05T00:00", 2) == [
        "2026-04-05T01:45+11:00",
        "2026-04-06T01:45+10:30",
    ]


def test_a_day_that_never_was_is_due_when_it_is_over() -> None:
    assert _next("0 9 * * *", "Pacific/Apia", "2011-12-29T00:00") == [
        "2011-12-29T09:00-10:00",
        "2011-12-31T00:00+14:00",
        "2011-12-31T09:00+14:00",
    ]


def test_every_minute_of_a_day_that_never_was_is_not_due() -> None:
    assert _next("* * 30 * *", "Pacific/Apia", "2011-12-29T00:00", 1) == ["2012-01-30T00:00+14:00"]


def test_a_missing_midnight_is_due_at_one_o_clock() -> None:
    assert _next("0 0 * * *", "Asia/Beirut", "2026-03-28T12:00", 1) == ["2026-03-29T01:00+03:00"]
    assert _next("30 0 * * *", "America/Havana", "2026-03-07T12:00", 1) == ["2026-03-08T01:00-04:00"]
    assert _next("3 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00", 1) == ["2018-11-04T01:00-02:00"]


def test_a_midnight_that_comes_twice_is_due_once() -> None:
    assert _next("15 0 * * *", "America/Havana", "2026-10-31T12:00", 2) == [
        "2026-11-01T00:15-04:00",
        "2026-11-02T00:15-05:00",
    ]


def test_an_offset_that_changes_without_daylight_saving_is_followed() -> None:
    assert _next("45 23 * * *", "Asia/Pyongyang", "2015-08-14T12:00", 2) == [
        "2015-08-14T23:45+09:00",
        "2015-08-15T23:45+08:30",
    ]
    assert _next("45 23 * * *", "Asia/Pyongyang", "2018-05-04T12:00", 1) == ["2018-05-05T00:00+09:00"]


def test_leap_days_are_found_over_a_century_that_has_none() -> None:
    assert _next("0 0 29 2 *", "UTC", "2096-03-01T00:00", 1) == ["2104-02-29T00:00+00:00"]


def test_the_next_time_is_strictly_later_than_the_last() -> None:
    schedule = Schedule("cron", "", "0 9 * * *", "UTC")
    nine = datetime(2026, 4, 19, 9, tzinfo=UTC).timestamp()
    assert next_time(schedule, nine - 0.25) == nine
    assert next_time(schedule, nine) == nine + 86400
    assert next_time(schedule, nine + 0.25) == nine + 86400


def test_one_time_is_ahead_and_then_there_is_none() -> None:
    schedule = Schedule("once", "", "2026-04-19T09:00:00+00:00", "Europe/Berlin")
    nine = datetime(2026, 4, 19, 9, tzinfo=UTC).timestamp()
    assert list_next(schedule, nine - 1, 5) == [nine]
    assert next_time(schedule, nine) is None


def test_the_end_of_the_calendar_has_no_next_time() -> None:
    assert next_time(Schedule("cron", "", "0 9 * * *", "UTC"), 253402300799.0) is None


@cache
def _changes(zone: str) -> list[datetime]:
    return list_changes(ZoneInfo(zone), 1993, 2030)


@st.composite
def windows(draw: st.DrawFn) -> tuple[str, datetime]:
    """A zone, and a moment shortly before one of its changes, or anywhere."""
    zone = draw(st.sampled_from(ZONES))
    near = st.sampled_from(_changes(zone)) if _changes(zone) else MOMENTS
    at = draw(st.one_of(near, near, MOMENTS)).replace(second=0, microsecond=0)
    return zone, at - timedelta(minutes=draw(st.integers(0, 1600)))


@pytest.mark.full
@each_effort
def test_the_times_of_two_days_are_those_of_looking_at_every_minute(effort: str) -> None:
    def promise(example: tuple[tuple[str, datetime], Fields]) -> None:
        (zone, start), fields = example
        end = start + timedelta(hours=48)
        found, at = [], next_time(Schedule("cron", "", fields.text, zone), start.timestamp())
        while at is not None and at <= end.timestamp():
            found.append(at)
            at = next_time(Schedule("cron", "", fields.text, zone), at)
        assert found == [due.timestamp() for due in walk(fields, ZoneInfo(zone), start, end)]

    search(effort, st.tuples(windows(), expressions(is_daily=True)), promise)


@pytest.mark.full
@each_effort
def test_rare_times_are_never_jumped_over(effort: str) -> None:
    def promise(example: tuple[tuple[str, datetime], Fields]) -> None:
        (zone, start), fields = example
        at = next_time(Schedule("cron", "", fields.text, zone), start.timestamp())
        assert at is not None
        end = datetime.fromtimestamp(at, UTC)
        begin = max(start, end - timedelta(days=5))
        assert [due.timestamp() for due in walk(fields, ZoneInfo(zone), begin, end)] == [at]

    search(effort, st.tuples(windows(), expressions()), promise)


@given(windows(), st.integers(0, 3000))
def test_a_later_time_on_the_wall_never_comes_earlier(window: tuple[str, datetime], minutes: int) -> None:
    zone, start = ZoneInfo(window[0]), window[1].replace(tzinfo=None)
    assert find_instant(start, zone) <= find_instant(start + timedelta(minutes=minutes), zone)
