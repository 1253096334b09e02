"""Budgets: past a ceiling nothing is started, whatever is misread is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.budgets import OverBudget, Spent, WithinBudget, decide_budget, read_budget, show, spent
from planrail.base.errors import UsageError
from planrail.base.run_model import Budget, Ceilings

NOTHING = Spent()


def test_ceilings_are_read_for_plan_phase_and_attempt() -> None:
    budget = read_budget("money=5, tokens=200k, minutes=1.5h, attempts=3, phase.money=$1, attempt.tokens=1_000")
    assert budget == Budget(Ceilings(5.0, 200_000, 90.0, 3), Ceilings(1.0), Ceilings(tokens=1000))
    assert (read_budget("2.50"), read_budget("$3")) == (Budget(Ceilings(2.5)), Budget(Ceilings(3.0)))
    shown = [show("money", 1.5), show("tokens", 200_000), show("minutes", 1.25), show("attempts", 1)]
    assert shown == ["$1.50", "200,000 tokens", "1.2 minutes", "1 attempt"]


@pytest.mark.parametrize(
    "text",
    [
        *("", ",", "money", "money=", "money=0", "money=-1", "money=nan", "money=inf", "tokens=1.5", "tokens=5x"),
        *("attempt.attempts=2", "week.money=1", "money=1,money=2", "cash=1", "1,2", "minutes=1e3", "attempts=3k"),
    ],
)
def test_what_is_no_ceiling_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read_budget(text)
    assert "--budget" in refusal.value.remedy


@given(st.text())
def test_no_text_is_taken_for_a_budget_without_a_ceiling(text: str) -> None:
    try:
        budget = read_budget(text)
    except UsageError:
        return
    levels = (budget.plan, budget.phase, budget.attempt)
    assert any(level.money or level.tokens or level.minutes or level.attempts for level in levels)


def test_facts_add_up_by_run_phase_and_attempt() -> None:
    facts = [
        {"run": "a", "phase": "1", "attempt": 1, "cost": 0.5, "tokens_in": 10, "tokens_out": 5, "seconds": 30},
        {"run": "a", "phase": "1", "attempt": 1, "cost": 0.25, "tokens_in": 1, "tokens_out": 1, "seconds": 30},
        {"run": "b", "phase": "1", "attempt": 1, "cost": 1.0, "tokens_in": 0, "tokens_out": 0, "seconds": 60},
        {"run": "b", "phase": "2", "attempt": 1, "cost": float("nan"), "tokens_in": "7", "seconds": -5},
    ]
    assert spent(facts) == Spent(1.75, 17, 2.0, 3)
    assert spent(facts, run="a", phase="1", attempt=1) == Spent(0.75, 17, 1.0, 1)
    assert spent(facts, phase="2") == Spent(0.0, 0, 0.0, 1)
    assert spent([]) == NOTHING


def test_a_ceiling_that_is_reached_stops_and_says_how_to_go_on() -> None:
    over = decide_budget(Budget(phase=Ceilings(money=1.0)), Spent(money=9.0), Spent(money=1.0), NOTHING)
    assert isinstance(over, OverBudget)
    assert (over.ceiling, over.limit, over.spent) == ("phase.money", 1.0, 1.0)
    assert over.text == "the budget of the phase is used up: $1.00 of $1.00"
    assert "phase.money=2" in over.remedy


def test_without_ceilings_everything_may_go_on() -> None:
    much = Spent(1e9, 10**12, 1e9, 10**6)
    assert decide_budget(Budget(), much, much, much, begins_attempt=True) == WithinBudget()


def test_the_last_attempt_may_end_but_no_other_begin() -> None:
    budget, used = Budget(phase=Ceilings(attempts=2)), Spent(attempts=2)
    assert decide_budget(budget, used, used, NOTHING) == WithinBudget()
    assert isinstance(decide_budget(budget, used, used, NOTHING, begins_attempt=True), OverBudget)


@given(st.integers(1, 100), st.integers(0, 200), st.integers(0, 200))
def test_spending_more_never_opens_a_budget_again(limit: int, one: int, other: int) -> None:
    less, more = sorted((one, other))
    budget = Budget(Ceilings(tokens=limit))
    if isinstance(decide_budget(budget, Spent(tokens=less), NOTHING, NOTHING), OverBudget):
        assert isinstance(decide_budget(budget, Spent(tokens=more), NOTHING, NOTHING), OverBudget)
