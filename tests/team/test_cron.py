"""Cron expressions: what their fields accept, and what is refused."""

from datetime import UTC, datetime

import pytest

from planrail.base.errors import UsageError
from planrail.team.schedules.times import Schedule, check_cron, list_next


def _matches(text: str, after: str, count: int) -> list[str]:
    start = datetime.fromisoformat(after).replace(tzinfo=UTC).timestamp()
    found = list_next(Schedule("cron", text, text, "UTC"), start, count)
    return [datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M") for at in found]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("5 4 * * *", ["04:05"]),
        ("0-10/5 3 * * *", ["03:00", "03:05", "03:10"]),
        ("*/20 1,3 * * *", ["01:00", "01:20", "01:40", "03:00", "03:20", "03:40"]),
        ("*/60 0-2 * * *", ["00:00", "01:00", "02:00"]),
        ("59,1,1 23 * * *", ["23:01", "23:59"]),
        ("50/5 9 * * *", ["09:50", "09:55"]),
    ],
)
def test_numbers_lists_ranges_and_steps_are_read(text: str, times: list[str]) -> None:
    found = _matches(text, "2026-04-18 23:59", len(times) + 1)
    assert found[:-1] == [f"2026-04-19 {time}" for time in times]
    assert found[-1] == f"2026-04-20 {times[0]}"


@pytest.mark.parametrize(
    ("field", "days"),
    [
        ("7", ["05", "12"]),
        ("0", ["05", "12"]),
        ("sun", ["05", "12"]),
        ("MON-Fri", ["06", "07", "08", "09", "10", "13"]),
        ("fri-sun", ["05", "10", "11", "12", "17"]),
        ("5-7", ["05", "10", "11", "12", "17"]),
        ("sat-0,wed", ["05", "08", "11", "12", "15"]),
        ("1#2", ["13"]),
        ("5L", ["31"]),
    ],
)
def test_days_of_the_week_are_numbers_or_names_and_sunday_is_both_ends(field: str, days: list[str]) -> None:
    expected = [f"2026-07-{day} 09:00" for day in days]
    assert _matches(f"0 9 * * {field}", "2026-07-05", len(days)) == expected


def test_months_are_numbers_or_names() -> None:
    found = _matches("0 9 1 JAN,mar-may *", "2026-01-01", 5)
    assert [day[5:7] for day in found] == ["01", "03", "04", "05", "01"]


def test_the_last_day_of_a_month_has_a_letter() -> None:
    assert _matches("0 9 L * *", "2028-02-01", 2) == ["2028-02-29 09:00", "2028-03-31 09:00"]


@pytest.mark.parametrize(
    ("name", "cron"), [("@hourly", "0 * * * *"), ("@Daily", "0 0 * * *"), ("@weekly", "0 0 * * 0")]
)
def test_nicknames_are_spelled_out(name: str, cron: str) -> None:
    assert check_cron(name) == cron


def test_where_both_days_are_restricted_either_is_enough() -> None:
    assert _matches("0 9 13 * 5", "2026-02-07", 3) == ["2026-02-13 09:00", "2026-02-20 09:00", "2026-02-27 09:00"]
    assert _matches("0 9 15 * 1", "2026-04-14", 2) == ["2026-04-15 09:00", "2026-04-20 09:00"]


def test_where_one_day_begins_with_a_star_both_have_to_match() -> None:
    assert _matches("0 9 */2 * 1", "2026-04-01", 2) == ["2026-04-13 09:00", "2026-04-27 09:00"]


def test_the_last_minute_of_a_year_is_followed_by_the_first() -> None:
    assert _matches("* * * * *", "2026-12-31 23:58", 2) == ["2026-12-31 23:59", "2027-01-01 00:00"]


def test_a_leap_day_on_one_weekday_is_found_decades_on() -> None:
    assert _matches("0 0 29 2 */6", "2072-03-01", 1) == ["2076-02-29 00:00"]
    assert _matches("0 0 */28 2 */7", "2026-01-01", 1) == ["2026-02-01 00:00"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("60 * * * *", "0 to 59"),
        ("* 24 * * *", "0 to 23"),
        ("* * 0 * *", "1 to 31"),
        ("* * * 13 *", "1 to 12"),
        ("* * * * 8", "0 to 7"),
        ("*/0 * * * *", "0 to 59"),
        ("0 22-2 * * *", "a range `1-5`"),
        ("0 9 * * fri-mon", "day of the week"),
        ("0 9 * * ?", "`*`"),
        ("0 9 * jan-xyz *", "name"),
        ("0 9 , * *", "a number"),
        ("0 9 1,,2 * *", "a number"),
        ("*-5 * * * *", "a number"),
        ("0 9 30 2 *", "28 2"),
        ("0 9 31 4,6,9,11 *", "that the month has"),
        ("0 9 31 2 */7", "that the month has"),
        ("0 9 30 2 *,1", "that the month has"),
    ],
)
def test_what_cannot_be_read_or_never_comes_is_refused(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        check_cron(text)
    assert advice in f"{refused.value.message} {refused.value.remedy}"
