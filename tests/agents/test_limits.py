"""When a usage limit ends, by the messages of the real programs."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.agents.limits import read_reset

_LOCAL = timezone(timedelta(hours=2))
_NOW = datetime(2026, 7, 20, 12, 0, tzinfo=_LOCAL)


def _at(*parts: int, zone: str = "") -> int:
    return int(datetime(*parts, tzinfo=ZoneInfo(zone) if zone else _LOCAL).timestamp())  # type: ignore[arg-type, misc]


def _clock(*parts: int, zone: str = "") -> int:
    """A time of day may have lost its seconds."""
    return _at(*parts, zone=zone) + 60


def _in(**parts: float) -> int:
    return int((_NOW + timedelta(**parts)).timestamp())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Claude Code
        (f"Claude AI usage limit reached|{_in(hours=3)}", _in(hours=3)),
        (f"Claude AI usage limit reached|{_in(hours=3)}000", _in(hours=3)),
        ("You've hit your session limit · resets 3pm (Europe/Berlin)", _clock(2026, 7, 20, 15, 0, zone="Europe/Berlin")),
        ("You've hit your limit · resets 12:50am (Europe/Berlin)", _clock(2026, 7, 21, 0, 50, zone="Europe/Berlin")),
        (
            "You've hit your weekly limit · resets Jul 27 at 4:30am (Asia/Calcutta)",
            _clock(2026, 7, 27, 4, 30, zone="Asia/Calcutta"),
        ),
        (
            "Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).",
            _clock(2026, 7, 20, 13, 0, zone="Etc/GMT+5"),
        ),
        ("Weekly limit reached · resets Mon 10am", _clock(2026, 7, 27, 10, 0)),
        ("Weekly limit reached · resets Thursday at 10:00", _clock(2026, 7, 23, 10, 0)),
        ("Limits will reset at 9:30 PM. View your usage details.", _clock(2026, 7, 20, 21, 30)),
        # Codex
        (
            "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 "
            "hours 11 minutes.",
            _in(days=5, hours=22, minutes=11),
        ),
        ("You've hit your usage limit, or try again in 1 day.", _in(days=1)),
        ("You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again at 3:34 PM.", _clock(2026, 7, 20, 15, 34)),
        ("usage limit. To continue, or try again at Aug 5th, 2026 8:19 PM.", _clock(2026, 8, 5, 20, 19)),
        ("try again at Aug 20, 2026, 7:38 AM", _clock(2026, 8, 20, 7, 38)),
        ('{"type":"usage_limit_reached","resets_in_seconds":13872}', _in(seconds=13872)),
        (f'{{"type":"usage_limit_reached","resets_at":{_in(hours=4)},"eligible_promo":null}}', _in(hours=4)),
        ("Rate limit reached for gpt-5. Please try again in 1.5s.", _in(seconds=2)),
        ("Rate limit reached. Please try again in 28ms.", _in(seconds=1)),
        # Services and others
        ("429 Too Many Requests, retry-after: 120", _in(seconds=120)),
        ("Resource exhausted. Please retry in 41.2s.", _in(seconds=42)),
        ("Your quota will reset after 2h5m30s.", _in(hours=2, minutes=5, seconds=30)),
        ("limit resets at 2026-07-20T13:59:59.602877+00:00", int(datetime(2026, 7, 20, 13, 59, 59, tzinfo=UTC).timestamp())),
        ("try again after 2026-07-20T18:00:00Z", int(datetime(2026, 7, 20, 18, 0, tzinfo=UTC).timestamp())),
        ("try again after 2026-07-20 18:00", _at(2026, 7, 20, 18, 0)),
        # New Year lies between
        ("resets Jan 2, 3am", 0),
        # Nothing to read
        ("You've hit your usage limit.", 0),
        ("or wait for limits to reset (every 5h and every week.).", 0),
        ("This request would exceed your account's rate limit. Please try again later.", 0),
        ("resets 3pm (Nowhere/Land)", 0),
        ("resets 99:99", 0),
        ("try again at Feb 31st, 2026 8:19 PM", 0),
        ("", 0),
    ],
)  # fmt: skip
def test_the_end_of_a_limit_is_read(text: str, expected: int) -> None:
    assert read_reset(text, _NOW.timestamp(), _LOCAL) == expected


def test_a_time_that_has_just_passed_is_todays_and_tried_a_minute_later() -> None:
    assert read_reset("resets 11:55am", _NOW.timestamp(), _LOCAL) == _in(minutes=1)
    assert read_reset(f"limit reached|{_in(minutes=-5)}", _NOW.timestamp(), _LOCAL) == _in(minutes=1)
    assert read_reset("resets 11:30am", _NOW.timestamp(), _LOCAL) == _clock(2026, 7, 21, 11, 30)


def test_a_day_without_a_year_may_be_next_year() -> None:
    december = datetime(2026, 12, 30, 12, 0, tzinfo=_LOCAL).timestamp()
    assert read_reset("resets Jan 2, 3am", december, _LOCAL) == _clock(2027, 1, 2, 3, 0)


@pytest.mark.full
@given(st.text(alphabet='resttryagainuntl 0123456789:|-TZapm()/,.JulMon{}"', max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    found = read_reset(f"resets {text}", _NOW.timestamp(), _LOCAL)
    assert found == 0 or abs(found - _NOW.timestamp()) < 41 * 86_400
