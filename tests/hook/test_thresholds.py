"""Thresholds from the environment and the settings: nonsense is refused, told, and never switches a warning off."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.hook.sessions.windows import HOLD, HOLD_NAME, WARN, WARN_NAME, WINDOW_NAME, Thresholds, read_thresholds

NONSENSE = ["60%", "-5", "0", "101", "1e1", "0x10", "٣٠", "½", "9" * 5000, "a[$(touch pwned)]", "nan", "50.5"]


def test_without_a_word_the_defaults_hold_and_the_environment_counts_for_more_than_the_settings() -> None:
    assert read_thresholds({}, {}) == Thresholds(WARN, HOLD, None, [])
    assert read_thresholds({WARN_NAME: "", HOLD_NAME: "", WINDOW_NAME: ""}, {}) == Thresholds(WARN, HOLD, None, [])
    settings = {"warn": 20, "hold": 90, "window": 1000}
    assert read_thresholds({}, settings) == Thresholds(20, 90, 1000, [])
    environment = {WARN_NAME: "30", HOLD_NAME: " 80 ", WINDOW_NAME: "400000"}
    assert read_thresholds(environment, settings) == Thresholds(30, 80, 400_000, [])


@pytest.mark.parametrize("text", NONSENSE)
@pytest.mark.parametrize("name", [WARN_NAME, HOLD_NAME])
def test_nonsense_is_left_out_and_told_and_the_setting_still_counts(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    thresholds = read_thresholds({name: text}, {"warn": 33, "hold": 75})
    assert (thresholds.warn, thresholds.hold) == (33, 75)
    assert len(thresholds.complaints) == 1
    assert name in thresholds.complaints[0]
    assert len(thresholds.complaints[0]) < 200
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [True, 0, -1, 101, 50.0, [], "x", {"a": 1}])
def test_nonsense_in_the_settings_is_left_out_and_told(value: object) -> None:
    thresholds = read_thresholds({}, {"warn": value})
    assert (thresholds.warn, len(thresholds.complaints)) == (WARN, 1)


def test_a_warning_that_would_come_after_the_hold_is_refused() -> None:
    for environment in ({WARN_NAME: "90", HOLD_NAME: "80"}, {WARN_NAME: "60", HOLD_NAME: "40"}):
        thresholds = read_thresholds(environment, {})
        assert (thresholds.warn, thresholds.hold, len(thresholds.complaints)) == (WARN, HOLD, 1)
    assert read_thresholds({WARN_NAME: "60"}, {}).complaints == []


@pytest.mark.parametrize("text", ["0", "-1", "many", "200k"])
def test_a_window_that_is_none_is_left_out_and_told(text: str) -> None:
    thresholds = read_thresholds({WINDOW_NAME: text}, {})
    assert (thresholds.window, len(thresholds.complaints)) == (None, 1)


def test_a_percentage_is_a_whole_number_from_1_to_100() -> None:
    read = [read_thresholds({WARN_NAME: text}, {"warn": 33}).warn for text in ("1", "50", " 60 ", "100")]
    assert read == [1, 50, 60, 100]


@pytest.mark.parametrize(("warn", "hold"), [(61, 71), (60, 60), (55, 60), (95, 100), (100, 100), (10, 60)])
def test_a_warning_that_was_set_moves_the_default_of_the_hold(warn: int, hold: int) -> None:
    assert read_thresholds({WARN_NAME: str(warn)}, {}) == Thresholds(warn, hold, None, [])
    assert read_thresholds({}, {"warn": warn}) == Thresholds(warn, hold, None, [])


@pytest.mark.parametrize(("warn", "hold"), [(39, 49), (50, 50), (50, 90), (1, 5), (1, 1)])
def test_a_hold_that_was_set_moves_the_default_of_the_warning(warn: int, hold: int) -> None:
    assert read_thresholds({HOLD_NAME: str(hold)}, {}) == Thresholds(warn, hold, None, [])
    assert read_thresholds({}, {"hold": hold}) == Thresholds(warn, hold, None, [])


@given(st.none() | st.integers(1, 100), st.none() | st.integers(1, 100))
def test_no_warning_comes_after_its_hold(warn: int | None, hold: int | None) -> None:
    found = read_thresholds({}, {"warn": warn, "hold": hold})
    assert 1 <= found.warn <= found.hold <= 100
    assert bool(found.complaints) == (warn is not None and hold is not None and warn > hold)
