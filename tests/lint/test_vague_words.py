"""The data of the rule about wording keeps to its own conventions."""

import re

import pytest

from planrail.plans.lint.wording import SPACED, UNSPACED


@pytest.mark.parametrize("entry", [*SPACED, *UNSPACED])
def test_every_entry_is_a_pattern_in_lower_case(entry: str) -> None:
    re.compile(entry)
    assert entry == entry.lower()


@pytest.mark.parametrize("entry", [entry for entry in SPACED if not entry.isascii()])
def test_an_entry_beyond_ascii_can_be_taken_apart(entry: str) -> None:
    assert "(" not in entry
