"""Each phase says how much work it is, where the others do or where it is asked for."""

import pytest

from tests.lint.linting import messages, problems_of
from tests.support.tables import read_table


def _plan(*bodies: str) -> str:
    phases = (f"\n### Phase {number}: Part {number}\n\n{body}\n" for number, body in enumerate(bodies, 1))
    return "# Plan\n\n## Steps\n" + "".join(phases)


def _asked(text: str) -> list[str]:
    return [problem.message for problem in problems_of(text, principles=True) if problem.rule == "effort"]


@pytest.mark.parametrize("line", read_table("lint/tables/effort", "given"))
def test_an_effort_can_be_given_in_many_ways(line: str) -> None:
    assert _asked(_plan(line)) == []


@pytest.mark.parametrize("title", read_table("lint/tables/effort", "headings"))
def test_an_effort_can_stand_in_the_heading(title: str) -> None:
    assert _asked(f"# P\n\n## {title}\n\n- [ ] x\n") == []


def test_an_effort_can_stand_in_a_table() -> None:
    table = "| Phase | Effort |\n|---|---|\n| 1 | S |\n| Phase 2 | 2 days |\n| 3 | tbd |\n"
    assert _asked(_plan("a", "b", "c") + f"\n## Estimates\n\n{table}") == [
        "phase 3 does not say how much work it is: S, M or L, hours or days"
    ]


@pytest.mark.parametrize("line", read_table("lint/tables/effort", "none"))
def test_what_only_looks_like_an_effort_is_none(line: str) -> None:
    assert len(_asked(_plan(line))) == 1


def test_a_phase_that_alone_gives_none_is_reported_without_being_asked() -> None:
    text = _plan("**Effort:** S", "**Effort:** M", "c")
    assert messages("effort", text) == ["phase 3 does not say how much work it is: S, M or L, hours or days"]


@pytest.mark.parametrize("bodies", [("a", "b"), ("**Effort:** S", "b", "c"), ("**Effort:** S", "**Effort:** L")])
def test_a_plan_that_does_not_estimate_is_left_alone(bodies: tuple[str, ...]) -> None:
    assert messages("effort", _plan(*bodies)) == []


def test_where_none_of_many_gives_one_it_is_said_once() -> None:
    assert _asked(_plan("a", "b", "c", "d", "e")) == [
        "none of the 5 open phases says how much work it is: S, M or L, hours or days"
    ]


def test_a_finished_phase_is_not_asked() -> None:
    assert _asked("# P\n\n## Phase 1 — A ✅\n\nx\n\n## Phase 2 — B ✅\n\ny\n") == []
