"""Commands that cannot fail, and commands that can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.lint.verification import why_it_cannot_fail
from tests.support.tables import read_table


@pytest.mark.parametrize("script", read_table("lint/tables/shell", "always succeeds"))
def test_a_command_that_always_succeeds_is_seen(script: str) -> None:
    assert why_it_cannot_fail(script)


@pytest.mark.parametrize("script", read_table("lint/tables/shell", "can fail"))
def test_a_command_that_can_fail_is_left_alone(script: str) -> None:
    assert why_it_cannot_fail(script) == ""


@given(st.text(alphabet="ab01 ;&|\"'\\\n#$()[]{}<>=!-`", max_size=60))
def test_any_text_is_read(script: str) -> None:
    assert isinstance(why_it_cannot_fail(script), str)


@given(st.text(alphabet="ab ;&|\"'\n", max_size=40))
def test_a_failure_at_the_end_is_always_a_failure(script: str) -> None:
    """Whatever precedes it on its own lines, `false` can fail; an open quotation swallows it."""
    if script.count('"') % 2 == 0 and script.count("'") % 2 == 0 and '"' not in script:
        assert why_it_cannot_fail(script + "\nfalse") == ""
