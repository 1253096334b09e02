"""What people write, and what it means; what is ambiguous is refused with something that works."""

import re
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.team.schedules.expressions import parse_schedule
from planrail.team.schedules.times import list_next

_ZONE = "Europe/Berlin"
_AT = datetime(2026, 4, 19, 10, 9, 30, tzinfo=ZoneInfo(_ZONE))  # a Sunday


def _cron(text: str, at: datetime = _AT) -> str:
    return parse_schedule(text, at, _ZONE).cron


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("1h", "9 * * * *"),
        ("hour", "9 * * * *"),
        ("hourly", "9 * * * *"),
        ("60m", "9 * * * *"),
        ("2 hours", "9 */2 * * *"),
        ("24h", "9 */24 * * *"),
        ("1m", "*/1 * * * *"),
        ("30 minutes", "*/30 * * * *"),
        ("20 min", "*/20 * * * *"),
        ("day", "9 10 * * *"),
        ("1d", "9 10 * * *"),
        ("week", "9 10 * * 0"),
    ],
)
def test_an_interval_takes_its_offset_from_now(text: str, cron: str) -> None:
    schedule = parse_schedule(text, _AT, _ZONE)
    assert (schedule.kind, schedule.cron) == ("interval", cron)


@pytest.mark.parametrize(
    ("text", "cron"),
    [
        ("day at 9am", "3 9 * * *"),
        ("day at 9:30am", "30 9 * * *"),
        ("day at 9.30am", None),
        ("day at 09:00", "3 9 * * *"),
        ("day at 9 am", "3 9 * * *"),
        ("day at 9 a.m.", "3 9 * * *"),
        ("day at noon", "3 12 * * *"),
        ("day at midnight", "3 0 * * *"),
        ("day at 14", "3 14 * * *"),
        ("day at 9am and 5pm", "3 9,17 * * *"),
        ("daily at 12:15am", "15 0 * * *"),
        ("weekdays at 14:00", "3 14 * * 1-5"),
        ("weekday 9am", "3 9 * * 1-5"),
        ("weekend at noon", "3 12 * * 0,6"),
        ("monday at 9am", "3 9 * * 1"),
        ("on mondays at 9am", "3 9 * * 1"),
        ("mon,wed,fri at 9am", "3 9 * * 1,3,5"),
        ("monday and thursday at 18:00", "3 18 * * 1,4"),
        ("mon-fri at 9am", "3 9 * * 1-5"),
        ("fri to mon at 9am", "3 9 * * 0,1,5,6"),
        ("sunday", "9 10 * * 0"),
    ],
)
def test_days_and_times_are_read_as_people_write_them(text: str, cron: str | None) -> None:
    if cron is None:
        with pytest.raises(UsageError):
            _cron(text)
    else:
        schedule = parse_schedule(text, _AT, _ZONE)
        assert (schedule.kind, schedule.cron) == ("clock", cron)


@pytest.mark.parametrize(
    "text", ["every weekday at 9am", "  Weekday   AT 9AM ", "Every  WEEKDAY at 9 Am", "each weekday at 9am"]
)
def test_case_blanks_and_every_make_no_difference(text: str) -> None:
    assert _cron(text) == "3 9 * * 1-5"


def test_every_is_no_part_of_the_expression_that_is_kept() -> None:
    assert parse_schedule("Every day at 9AM", _AT, _ZONE).expression == "day at 9AM"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("in 20m", "2026-04-19T08:29:30+00:00"),
        ("in 1h 30m", "2026-04-19T09:39:30+00:00"),
        ("in 2 hours and 5 minutes", "2026-04-19T10:14:30+00:00"),
        ("in 90m", "2026-04-19T09:39:30+00:00"),
        ("tomorrow at 9am", "2026-04-20T07:00:00+00:00"),
        ("today at 18:00", "2026-04-19T16:00:00+00:00"),
        ("2026-11-20 14:00", "2026-11-20T13:00:00+00:00"),
        ("2026-11-20T14:00:00", "2026-11-20T13:00:00+00:00"),
        ("2026-11-20T14:00Z", "2026-11-20T14:00:00+00:00"),
        ("2026-11-20T14:00+05:30", "2026-11-20T08:30:00+00:00"),
        ("2026-11-20 at 9am", "2026-11-20T08:00:00+00:00"),
        ("2027-03-28 02:30", "2027-03-28T01:00:00+00:00"),  # in the gap: when it is over
        ("2026-10-25 02:30", "2026-10-25T00:30:00+00:00"),  # twice: the first
    ],
)
def test_one_time_is_kept_as_an_instant(text: str, instant: str) -> None:
    schedule = parse_schedule(text, _AT, _ZONE)
    assert (schedule.kind, schedule.cron) == ("once", instant)
    assert list_next(schedule, _AT.timestamp(), 9) == [datetime.fromisoformat(instant).timestamp()]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("5h", "4h or 6h"),
        ("45m", "30m or 1h"),
        ("90m", "1h or 2h"),
        ("120m", "2h"),
        ("25h", "24h or day at 9am"),
        ("0h", "1h"),
        ("0m", "1m"),
        ("7m", "6m or 10m"),
        ("2 days", "day"),
        ("2 weeks", "week"),
        ("30s", "1m"),
        ("month", "0 9 1 * *"),
        ("9am", "day at 9am"),
        ("day at 9", "9am or 9pm"),
        ("day at 13pm", "13:00 or 1pm"),
        ("day at 0am", "12am"),
        ("day at 24:00", "00:00"),
        ("day at 25:00", "0 to 23"),
        ("day at 9:75", "00 to 59"),
        ("day at", "9am"),
        ("day at 9am and 5:30pm", "same minute"),
        ("tomorrow", "tomorrow at 9am"),
        ("2026-11-20", "2026-11-20 at 9am"),
        ("2026-13-20 at 9am", "2026-11-20"),
        ("today at 9am", "tomorrow at 9am"),
        ("2020-01-01 09:00", "tomorrow at 9am"),
        ("in a while", "in 20m"),
        ("in 0m", "in 20m"),
        ("in 999999 weeks", "five years"),
        ("in", "in 20m"),
        ("sometimes", "4h"),
        ("", "4h"),
        ("every", "4h"),
        ("day at 9am" + " and 5pm" * 1000, "too long"),
        ("-4h", "4h"),
        ("1.5h", "4h"),
        ("４h", "4h"),
        ("@reboot", "@daily"),
        ("0 9 31 2 *", "0 9 28 2 *"),
        ("0 9 * *", "minute, hour"),
        ("0 0 9 * * *", "no seconds"),
    ],
)
def test_what_is_ambiguous_or_uneven_is_refused_with_something_that_works(text: str, advice: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_schedule(text, _AT, _ZONE)
    assert advice in f"{refused.value.message} {refused.value.remedy}"


@pytest.mark.parametrize("number", range(1, 61))
def test_an_interval_that_is_accepted_has_even_steps_and_another_names_one_that_is(number: int) -> None:
    for unit in ("m", "h"):
        try:
            schedule = parse_schedule(f"{number}{unit}", _AT, "UTC")
        except UsageError as error:
            for advice in re.findall(r"\b[0-9]+[mh]\b", error.remedy):
                parse_schedule(advice, _AT, "UTC")
            continue
        times = list_next(schedule, _AT.timestamp(), 60)
        seconds = number * (60 if unit == "m" else 3600)
        assert {after - before for before, after in pairwise(times)} == {seconds}


def test_the_offset_is_that_of_the_zone_and_not_of_the_caller() -> None:
    noon = datetime(2026, 4, 19, 12, 0, tzinfo=UTC)
    assert parse_schedule("4h", noon, "Asia/Kathmandu").cron == "45 */4 * * *"
    assert parse_schedule("day", noon, "Asia/Kathmandu").cron == "45 17 * * *"


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(UsageError):
        parse_schedule("4h", _AT, "Mars/Olympus")


_PIECES = st.sampled_from(
    (
        "every",
        "day",
        "weekday",
        "at",
        "on",
        "in",
        "mon",
        "fri-mon",
        "and",
        ",",
        "9am",
        "9",
        "25:00",
        "noon",
        "4h",
        "5",
        "h",
        "m",
        "*",
        "*/5",
        "1-5",
        "@daily",
        "2026-11-20",
        "tomorrow",
        "?",
    )
)


@given(st.one_of(st.text(max_size=30), st.lists(_PIECES, max_size=7).map(" ".join)))
def test_any_text_is_a_schedule_with_a_time_ahead_or_a_usage_error(text: str) -> None:
    try:
        schedule = parse_schedule(text, _AT, _ZONE)
    except UsageError as error:
        answer: object = error.remedy
    else:
        answer = list_next(schedule, _AT.timestamp(), 1)
    assert answer
