"""What a run may take, by what phases of that size took this agent here; and what tokens cost, where a file says it."""

from pathlib import Path

import pytest

from planrail.agents.model import Said, UsageEvent
from planrail.agents.prices import Price, load_prices, price, with_price
from planrail.base.budgets import Spent, show_cost
from planrail.base.errors import UsageError
from planrail.runs.request.estimates import Estimate, PastPhase, estimate, render_estimate

PAST = [
    PastPhase(1000, "claude", 60, Spent(0.5, 10_000)),
    PastPhase(1500, "claude", 120, Spent(1.0, 30_000)),
    PastPhase(1800, "claude", 300, Spent(2.0, 50_000)),
    PastPhase(9000, "claude", 900, Spent(9.0, 900_000)),
    PastPhase(1200, "codex", 40, Spent(0.0, 7_000)),
]


@pytest.mark.parametrize(
    ("sizes", "agent", "told"),
    [
        ([1200], "claude", "estimate: about 2:00, 30,000 tokens, $1.00 (by 3 phases of that size, claude)"),
        ([1200, 1200], "claude", "estimate: about 4:00, 60,000 tokens, $2.00 (by 3 phases of that size, claude)"),
        ([9000], "claude", "estimate: about 15:00, 900,000 tokens, $9.00 (by 1 phase of that size, claude)"),
        ([1200], "codex", "estimate: about 40s, 7,000 tokens, cost unknown (by 1 phase of that size, codex)"),
        ([1200], "gemini", "estimate: unknown; no phase of that size by gemini has landed here so far"),
        ([100], "claude", "estimate: unknown; no phase of that size by claude has landed here so far"),
    ],
)
def test_an_estimate_is_the_median_of_phases_of_that_size_by_that_agent(
    sizes: list[int], agent: str, told: str
) -> None:
    assert render_estimate(estimate(sizes, agent, PAST), agent) == told


def test_phases_that_are_like_none_are_told_as_unknown() -> None:
    found = estimate([1200, 100, 50], "claude", PAST)
    assert found == Estimate(120, Spent(1.0, 30_000), 3, unknown=2)
    assert render_estimate(found, "claude").endswith("; 2 phases of a size that is new here: unknown")


@pytest.mark.parametrize(
    ("used", "told"),
    [
        (Spent(), "no tokens"),
        (Spent(0.0, 1200), "1,200 tokens, cost unknown"),
        (Spent(1.5, 1200), "1,200 tokens, $1.50"),
    ],
)
def test_a_cost_that_nobody_knows_is_not_nothing(used: Spent, told: str) -> None:
    assert show_cost(used) == told


def test_prices_come_from_a_file_of_the_user(tmp_path: Path) -> None:
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load_prices(environment) == {}
    place = tmp_path / "planrail" / "prices.toml"
    place.parent.mkdir()
    place.write_text('[codex]\ninput = 1\noutput = 10\n["gpt-x"]\ninput = 2.0\noutput = 20.0\n')
    prices = load_prices(environment)
    assert prices == {"codex": Price(1.0, 10.0), "gpt-x": Price(2.0, 20.0)}
    assert price(prices, "codex", "", 1_000_000, 100_000) == 2.0
    assert price(prices, "codex", "gpt-x", 1_000_000, 100_000) == 4.0
    assert price(prices, "claude", "", 1_000_000, 100_000) == 0.0
    assert with_price(UsageEvent(500_000, 0), prices, "codex", "") == UsageEvent(500_000, 0, 0.5)
    assert with_price(UsageEvent(500_000, 0, 0.1), prices, "codex", "") == UsageEvent(500_000, 0, 0.1)
    assert with_price(Said("hello"), prices, "codex", "") == Said("hello")
    place.write_text("[codex]\ninput = 'dear'\n")
    with pytest.raises(UsageError, match=r"prices\.toml cannot be read"):
        load_prices(environment)
