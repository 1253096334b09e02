"""Cron expressions: what their fields accept, and what is refused."""

from datetime import datetime

import pytest

from planrail.base.errors import UsageError
from planrail.team.schedules.cron import next_match, normalise_cron, parse_cron


@pytest.mark.parametrize(
    ("text", "minutes", "hours"),
    [
        ("5 4 * * *", (5,), (4,)),
        ("0-10/5 * * * *", (0, 5, 10), tuple(range(24))),
        ("*/20 1,3 * * *", (0, 20, 40), (1, 3)),
        ("*/60 0-2 * * *", (0,), (0, 1, 2)),
        ("59,1,1 23 * * *", (1, 59), (23,)),
    ],
)
def test_numbers_lists_ranges_and_steps_are_read(text: str, minutes: tuple[int, ...], hours: tuple[int, ...]) -> None:
    cron = parse_cron(text)
    assert (cron.minutes, cron.hours) == (minutes, hours)


@pytest.mark.parametrize(
    ("field", "days"),
    [("7", (0,)), ("0", (0,)), ("sun", (0,)), ("MON-Fri", (1, 2, 3, 4, 5)), ("fri-sun", (0, 5, 6)), ("5-7", (0, 5, 6))],
)
def test_days_of_the_week_are_numbers_or_names_and_sunday_is_both_ends(field: str, days: tuple[int, ...]) -> None:
    assert parse_cron(f"0 9 * * {field}").weekdays == days


def test_months_are_numbers_or_names() -> None:
    assert parse_cron("0 9 1 JAN,mar-may *").months == (1, 3, 4, 5)


@pytest.mark.parametrize(
    ("name", "cron"), [("@hourly", "0 * * * *"), ("@Daily", "0 0 * * *"), ("@weekly", "0 0 * * 0")]
)
def test_nicknames_are_spelled_out(name: str, cron: str) -> None:
    assert normalise_cron(name) == cron


def _matches(text: str, after: str, count: int) -> list[str]:
    found: list[str] = []
    at = next_match(parse_cron(text), datetime.fromisoformat(after))
    while at is not None and len(found) < count:
        found.append(at.isoformat(" ", "minutes"))
        at = next_match(parse_cron(text), at)
    return found


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
        ("*/0 * * * *", "1 to 59"),
        ("*/61 * * * *", "1 to 59"),
        ("5/15 * * * *", "5-59/15"),
        ("0 22-2 * * *", "22-23,0-2"),
        ("0 9 * * fri-mon", "5-6,0-1"),
        ("0 9 * * ?", "`*`"),
        ("0 9 L * *", "a number"),
        ("0 9 * * 5#2", "a number"),
        ("0 9 * jan-xyz *", "names"),
        ("0 9 , * *", "a number"),
        ("0 9 1,,2 * *", "a number"),
        ("*-5 * * * *", "a number"),
        ("0 9 30 2 *", "28 2"),
        ("0 9 31 4,6,9,11 *", "no date ever matches"),
        ("0 9 31 2 */7", "no date ever matches"),
    ],
)
def test_what_cannot_be_read_or_never_comes_is_refused(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_cron(text)
    assert advice in f"{refused.value.message} {refused.value.remedy}"
