"""Patterns that wait for their first use."""

import re

import pytest

from planrail.base.patterns import pattern


def test_nothing_is_compiled_before_a_pattern_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.match("text")


def test_a_pattern_is_what_re_would_have_compiled() -> None:
    made, compiled = pattern("(?P<key>[a-z]+):", re.IGNORECASE), re.compile("(?P<key>[a-z]+):", re.IGNORECASE)
    assert made.findall("Key: value, other: one") == compiled.findall("Key: value, other: one")
    assert made.sub("-", "Key: value") == compiled.sub("-", "Key: value")
    assert (made.pattern, made.flags, made.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)
