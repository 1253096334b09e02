"""Figures that do not add up, and figures that are none of this rule's business."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.plans.lint.document import Severity
from tests.lint.linting import in_phase, messages, problems_of
from tests.support.tables import read_table


@pytest.mark.parametrize(("line", "actual"), read_table("lint/tables/arithmetic", "wrong"))
def test_a_wrong_figure_is_an_error_that_gives_the_right_one(line: str, actual: str) -> None:
    found = [problem for problem in problems_of(in_phase(line)) if problem.rule == "arithmetic"]
    assert [problem.severity for problem in found] == [Severity.ERROR]
    assert found[0].message.endswith(actual)


@pytest.mark.parametrize("line", read_table("lint/tables/arithmetic", "left alone"))
def test_right_approximate_and_foreign_figures_are_left_alone(line: str) -> None:
    assert messages("arithmetic", in_phase(line)) == []


def _plan(intro: str, count: int) -> str:
    phases = "".join(f"\n## Phase {number} — A\n\nx\n" for number in range(1, count + 1))
    return f"# Plan\n\n{intro}\n{phases}"


@pytest.mark.parametrize("intro", read_table("lint/tables/arithmetic", "phases"))
def test_a_wrong_count_of_the_phases_is_an_error(intro: str) -> None:
    (message,) = messages("arithmetic", _plan(intro, 5))
    assert message.endswith("but the plan has 5")
    assert messages("arithmetic", _plan(intro, 7)) == []


@pytest.mark.parametrize(
    "intro",
    [
        "The first 2 phases are easy.",
        "The old plan had 7 phases.",
        "All 7 steps pass.",
        "This plan has 7 steps.",
    ],
)
def test_other_counts_are_left_alone(intro: str) -> None:
    assert messages("arithmetic", _plan(intro, 5)) == []


def test_inserted_phases_may_be_counted_or_not() -> None:
    phases = "".join(f"\n## Phase {name} — A\n\nx\n" for name in ("1", "2", "2.1", "3"))
    for count in (3, 4):
        assert messages("arithmetic", f"# P\n\nThis plan has {count} phases.\n{phases}") == []
    assert len(messages("arithmetic", f"# P\n\nThis plan has 5 phases.\n{phases}")) == 1


@given(st.lists(st.integers(0, 5000), min_size=2, max_size=5), st.integers(-3, 3))
def test_a_sum_is_reported_exactly_where_it_is_wrong(parts: list[int], error: int) -> None:
    total = sum(parts) + error
    if total >= 0:
        line = f"{' + '.join(map(str, parts))} = {total}"
        assert len(messages("arithmetic", in_phase(line))) == (1 if error else 0)


@given(st.integers(1, 5000), st.integers(0, 300), st.integers(-2, 2))
def test_a_range_of_lines_counts_both_ends(first: int, length: int, error: int) -> None:
    count = length + 1 + error
    if count >= 0:
        line = f"lines {first}-{first + length} ({count} lines)"
        assert len(messages("arithmetic", in_phase(line))) == (1 if error else 0)
