"""The report of a run fits a screen, whatever it has to tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import Options, Order
from planrail.runs.reporting.attempts import RunPart
from planrail.runs.reporting.reports import PlanReport
from planrail.runs.reporting.screens import LINES, WIDTH, render_screen
from planrail.store.runs.run_history import History

NOTHING = History("p", [], [], [], [], [], [], (), [])
FULL = "planrail report p.md --full"


def report(phases: int, done: int = 0, state: str = "failed", text: str = "it broke", title: str = "T") -> PlanReport:
    named = tuple((str(number), f"{title} {number}") for number in range(1, phases + 1))
    order = Order("r", "p", "p.md", "/p", "p", title, "refs/heads/main", True, "h", (), Options())
    stated = {name: "done" if int(name) <= done else "todo" for name, _ in named}
    runs = [RunPart(order, [], state, text, "", str(done + 1), 1.0)]
    return PlanReport("p", title, "p.md", named, runs, [], NOTHING, 1.0, stated=stated)


def test_it_says_how_the_plan_stands_why_it_rests_and_where_the_rest_is() -> None:
    shown = render_screen(report(3, 1), FULL, "reports/plan-p.md")
    assert shown[:2] == ["T", "p.md: failed, 1 of 3 phases done (1 claimed)"]
    assert "  failed at phase 2: it broke" in shown
    assert [line.split()[:2] for line in shown if line.startswith("  ") and "T " in line] == [
        ["✔", "1"],
        ["○", "2"],
        ["○", "3"],
    ]
    assert shown[-2:] == [f"all of it: {FULL}", "in a file: reports/plan-p.md"]


@pytest.mark.parametrize("done", [0, 20, 39, 40])
def test_of_many_phases_those_around_the_next_one_are_shown(done: int) -> None:
    shown = render_screen(report(40, done, "complete"), FULL)
    assert any(line.split()[1:2] == [str(min(done + 1, 40))] for line in shown), shown
    assert len(shown) <= LINES


@given(st.integers(0, 60), st.integers(0, 60), st.text(max_size=3000), st.text(max_size=300))
def test_it_is_never_longer_or_wider_than_a_screen(phases: int, done: int, text: str, title: str) -> None:
    shown = render_screen(report(phases, done, "failed", text, title), FULL, "f.md")
    assert len(shown) <= LINES
    assert max(map(len, shown)) <= WIDTH
    assert not [line for line in shown if "\n" in line]
