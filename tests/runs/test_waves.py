"""Waves: nothing starts before what it needs, nothing is forgotten, and phases share a run as far as they can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import Execution, Order, PhaseOrder, Refusal
from planrail.runs.phases.choosing import choose
from tests.runs.run_records import make_order


def _phase(name: str, *needs: str, kind: str = "workspace", state: str = "todo") -> PhaseOrder:
    return PhaseOrder(name, name, "", (), (), (), (), needs, Execution(kind), state=state)


def _order(*phases: PhaseOrder, parallel: int = 1) -> Order:
    order = make_order(*phases)
    return replace(order, options=replace(order.options, finish=True, parallel=parallel))


@st.composite
def _plans(draw: st.DrawFn) -> list[PhaseOrder]:
    names = [str(number) for number in range(1, draw(st.integers(1, 8)) + 1)]
    needs = [draw(st.sets(st.sampled_from(names[:at]))) if at else set() for at in range(len(names))]
    return [_phase(name, *sorted(need)) for name, need in zip(names, needs, strict=True)]


@given(_plans(), st.data())
def test_a_phase_is_offered_where_its_needs_are_met_and_nowhere_else(
    phases: list[PhaseOrder], data: st.DataObject
) -> None:
    done = data.draw(st.sets(st.sampled_from([phase.id for phase in phases])))
    free = tuple(phase.id for phase in phases if phase.id not in done and set(phase.depends_on) <= done)
    assert choose(_order(*phases, parallel=10), tuple(sorted(done))) == free


@pytest.mark.full
@given(_plans(), st.integers(1, 4))
def test_every_plan_without_a_cycle_comes_to_its_end(phases: list[PhaseOrder], parallel: int) -> None:
    order, done = _order(*phases, parallel=parallel), tuple[str, ...]()
    for _ in phases:
        chosen = choose(order, done)
        assert isinstance(chosen, tuple)
        assert len(chosen) <= parallel
        assert chosen or len(done) == len(phases)
        done = (*done, *chosen)
    assert choose(order, done) == ()


def test_independent_phases_start_together_as_far_as_there_is_room() -> None:
    order = _order(_phase("1"), _phase("2"), _phase("3", state="skipped"), _phase("4", "1"), parallel=2)
    assert choose(order, ()) == ("1", "2")
    assert choose(order, ("1", "2")) == ("4",)


def test_a_cycle_is_said_before_anything_else_that_holds_its_phases() -> None:
    phases = [_phase("1", "2"), _phase("2", "1"), _phase("3", state="blocked")]
    chosen = choose(_order(*phases), ())
    assert isinstance(chosen, Refusal)
    assert chosen.text == "the dependencies form a cycle: 1 → 2 → 1"


def test_a_blocked_phase_holds_up_only_what_needs_it() -> None:
    order = _order(_phase("1", state="blocked"), _phase("2", "1"), _phase("3"))
    assert choose(order, ()) == ("3",)
    assert choose(order, ("3",)) == Refusal("refused", "phase 1 is blocked", "planrail show PLAN.md")


def test_what_is_missing_is_named() -> None:
    chosen = choose(_order(_phase("2", "0", "1"), _phase("3", "2")), ())
    assert chosen == Refusal("refused", "phase 2 needs 0, 1; phase 3 needs 2", "planrail show PLAN.md")


def test_a_phase_in_the_checkout_of_the_user_is_alone() -> None:
    order = _order(_phase("1"), _phase("2", kind="direct"), _phase("3"), parallel=3)
    assert choose(order, ()) == ("1", "3")
    assert choose(order, ("1", "3")) == ("2",)


def test_a_phase_that_needs_itself_is_a_cycle() -> None:
    chosen = choose(_order(_phase("1", "1"), _phase("2", "1")), ())
    assert isinstance(chosen, Refusal)
    assert "cycle" in chosen.text
