"""Times as people read them."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from planrail.team.schedules.times import render_distance, render_moment


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "now"),
        (42, "in 42 s"),
        (60, "in 1 min"),
        (125, "in 2 min 5 s"),
        (3600, "in 1 h"),
        (3605, "in 1 h"),
        (10260, "in 2 h 51 min"),
        (90000, "in 1 d 1 h"),
        (-300, "5 min ago"),
    ],
)
def test_a_distance_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert render_distance(seconds) == text


def test_a_moment_is_that_of_the_zone_s_clocks() -> None:
    at = datetime(2026, 4, 20, 7, 3, tzinfo=UTC).timestamp()
    assert render_moment(at, ZoneInfo("Europe/Berlin")) == "Mon 2026-04-20 09:03 CEST"
