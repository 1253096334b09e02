"""Seals that planrail did not write: they hold nothing, and break nothing."""

import json

import pytest

from planrail.plans.canonical.canonical import (
    HELD,
    LOG_GROWN,
    LOG_REWRITTEN,
    ORDER_CHANGED,
    TEXT_CHANGED,
    compare_seal,
    hash_text,
    write_seal,
)
from planrail.plans.canonical.owned import Outside

_OUTSIDE = Outside("text", (("1", 0), ("2", 1)), ("a", "b"))


_PLACES: list[object] = [7, None, [7], [["1"]], [["1", 0, 0]], [[1, 0]], [["1", "0"]], [["1", True]], {}]


def test_what_nobody_wrote_holds_nothing() -> None:
    """Places, a number of lines, and a seal as a whole."""
    text, log = hash_text("text"), hash_text("")
    seals = [json.dumps([text, places, 0, log]) for places in _PLACES]
    seals += [json.dumps([text, [], lines, log]) for lines in (-1, True, "0", None)]
    for seal in seals:
        assert compare_seal(seal, Outside("text"), ()) == TEXT_CHANGED, seal
    for seal in ("", "{", "7", "[]", "[" * 100_000):
        assert compare_seal(seal, _OUTSIDE, ()) == TEXT_CHANGED


@pytest.mark.parametrize(
    ("text", "places", "log", "unchanged", "found"),
    [
        ("text", _OUTSIDE.places, ("a", "b"), "12", HELD),
        ("other", _OUTSIDE.places, ("a", "b"), "12", TEXT_CHANGED),
        ("text", _OUTSIDE.places, ("a", "b", "c"), "12", LOG_GROWN),
        ("text", _OUTSIDE.places, ("a",), "12", LOG_REWRITTEN),
        ("text", _OUTSIDE.places, ("a", "x", "c"), "12", LOG_REWRITTEN),
        ("text", _OUTSIDE.places[::-1], ("a", "b"), "12", ORDER_CHANGED),
        ("text", _OUTSIDE.places[::-1], ("a", "b"), "1", HELD),
        ("text", (("1", 0), ("1", 0), ("2", 1)), ("a", "b"), "12", HELD),
        ("text", (("1", 0), ("1", 1), ("2", 1)), ("a", "b"), "12", ORDER_CHANGED),
    ],
)
def test_what_no_longer_stands_is_told(
    text: str, places: tuple[tuple[str, int], ...], log: tuple[str, ...], unchanged: str, found: str
) -> None:
    assert compare_seal(write_seal(_OUTSIDE), Outside(text, places, log), unchanged) == found
