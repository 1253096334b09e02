"""The list of phases that a planning goes through."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.errors import UsageError
from planrail.planning.machine import NAMES, SKIPPABLE, list_phases, name_phases, round_of

FIRST = ("understand", "explore", "alternatives", "draft")
ROUND = ("critique", "revise")


@pytest.mark.parametrize("rounds", [1, 4])
def test_the_list_is_as_long_as_its_rounds_ask(rounds: int) -> None:
    phases = list_phases(rounds=rounds)
    assert phases == FIRST + ROUND * rounds
    assert round_of(phases, len(phases) - 1) == rounds
    assert list_phases() == FIRST + ROUND * 2


@pytest.mark.parametrize("rounds", [0, 5])
def test_rounds_that_cannot_be_had_are_refused(rounds: int) -> None:
    with pytest.raises(UsageError):
        list_phases(rounds=rounds)


def test_empty_names_between_commas_are_left_out_and_a_list_without_names_is_refused() -> None:
    assert list_phases(name_phases("understand,,explore,draft,")) == ("understand", "explore", "draft")
    for text in ("", " , ,"):
        with pytest.raises(UsageError):
            name_phases(text)


@pytest.mark.parametrize(
    "named",
    [
        ("understand", "explore"),  # nothing is written
        ("draft", "critique"),  # a critique that nobody answers
        ("draft", "explore"),
        ("draft", "revise"),
        ("draft", "revise", "critique"),
        ("draft", "draft"),
        ("plan",),
        ("draft", *ROUND * 5),
    ],
)
def test_a_list_at_whose_end_no_tested_plan_stands_is_refused(named: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        list_phases(named)


def test_named_lists_are_repeated_by_the_rounds_and_shortened_by_what_is_skipped() -> None:
    assert list_phases(("draft", *ROUND), rounds=3) == ("draft", *ROUND * 3)
    assert list_phases(("explore", "draft"), skipped=("explore",)) == ("draft",)
    assert list_phases(interview=True, rounds=1) == ("interview", *ROUND)  # in place of those before the critique


@pytest.mark.parametrize("name", ["draft", "critique", "revise", "nonsense"])
def test_what_makes_a_plan_cannot_be_skipped(name: str) -> None:
    with pytest.raises(UsageError):
        list_phases(skipped=(name,))


@given(st.lists(st.sampled_from(NAMES), max_size=8), st.sets(st.sampled_from(SKIPPABLE)), st.integers(1, 4))
def test_whatever_list_is_accepted_ends_with_a_plan(named: list[str], skipped: set[str], rounds: int) -> None:
    try:
        phases = list_phases(tuple(named), skipped=tuple(skipped), rounds=rounds)
    except UsageError:
        return
    assert phases[-1] in ("draft", "revise")
    assert phases.count("draft") == 1
    assert not skipped & set(phases)
    assert phases.count("critique") == phases.count("revise") <= 4
