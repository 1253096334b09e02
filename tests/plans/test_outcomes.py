"""Outcomes: sentences about a whole phase, and sentences that only sound like one."""

import pytest

from planrail.plans.statements.outcomes import read_outcome
from tests.support.tables import read_table


@pytest.mark.parametrize(("text", "state"), read_table("plans/tables/outcomes", "an outcome"))
def test_a_sentence_about_a_whole_phase_states_its_outcome(text: str, state: str) -> None:
    mark = read_outcome(text, "1")
    assert mark is not None
    assert mark.state == state


@pytest.mark.parametrize("text", read_table("plans/tables/outcomes", "none"))
def test_a_condition_a_plan_or_another_subject_states_nothing(text: str) -> None:
    assert read_outcome(text, "1") is None
