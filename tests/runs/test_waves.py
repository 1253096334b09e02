"""Waves: nothing starts before what it needs, nothing is forgotten, and after a failure nothing new begins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.run_model import Execution, PhaseOrder
from planrail.runs.phases.choosing import (
    AllFinished,
    AwaitPhases,
    NothingCanStart,
    StartPhases,
    next_phases,
    ready,
    refuse_order,
    unmet,
)


def _phase(name: str, *needs: str, kind: str = "workspace") -> PhaseOrder:
    return PhaseOrder(name, name, "", (), (), (), (), needs, Execution(kind))


@st.composite
def _plans(draw: st.DrawFn) -> list[PhaseOrder]:
    names = [str(number) for number in range(1, draw(st.integers(1, 8)) + 1)]
    needs = [draw(st.sets(st.sampled_from(names[:at]))) if at else set() for at in range(len(names))]
    return [_phase(name, *sorted(need)) for name, need in zip(names, needs, strict=True)]


@given(_plans(), st.data())
def test_a_phase_whose_needs_are_not_met_is_never_offered(phases: list[PhaseOrder], data: st.DataObject) -> None:
    done = data.draw(st.sets(st.sampled_from([phase.id for phase in phases])))
    for phase in phases:
        offered = phase.id in ready(phases, done)
        assert offered == (phase.id not in done and set(phase.depends_on) <= done)


@given(_plans(), st.integers(1, 4))
def test_every_plan_without_a_cycle_comes_to_its_end(phases: list[PhaseOrder], parallel: int) -> None:
    states: dict[str, str] = {}
    for _ in phases:
        wave = next_phases(phases, states, parallel)
        if isinstance(wave, AllFinished):
            break
        assert isinstance(wave, StartPhases)
        assert 1 <= len(wave.phases) <= parallel
        states.update(dict.fromkeys(wave.phases, "landed"))
    assert next_phases(phases, states, parallel) == AllFinished()


def test_independent_phases_start_together_as_far_as_there_is_room() -> None:
    phases = [_phase("1"), _phase("2"), _phase("3"), _phase("4", "1")]
    assert next_phases(phases, {}, 2) == StartPhases(("1", "2"))
    assert next_phases(phases, {"1": "in_progress"}, 2) == StartPhases(("2",))
    assert next_phases(phases, {"1": "in_progress", "2": "verified"}, 2) == AwaitPhases(("1", "2"))
    assert next_phases(phases, {"1": "landed", "2": "done", "3": "skipped"}, 2) == StartPhases(("4",))


def test_a_cycle_is_said_before_anything_else_that_holds_its_phases() -> None:
    phases = [_phase("1", "2"), _phase("2", "1"), _phase("3")]
    wave = next_phases(phases, {"3": "blocked"})
    assert wave == NothingCanStart("the dependencies form a cycle: 1 → 2 → 1")


def test_after_a_failure_nothing_new_is_started() -> None:
    phases = [_phase("1"), _phase("2")]
    assert next_phases(phases, {"1": "failed"}, 2) == NothingCanStart("phase 1 is failed")
    assert next_phases([*phases, _phase("3")], {"1": "failed", "2": "running"}, 3) == AwaitPhases(("2",))


def test_a_phase_that_waits_for_a_person_holds_up_only_what_needs_it() -> None:
    phases = [_phase("1"), _phase("2", "1"), _phase("3")]
    assert next_phases(phases, {"1": "waiting"}) == StartPhases(("3",))
    assert next_phases(phases, {"1": "waiting", "3": "landed"}) == NothingCanStart("phase 1 is waiting")


def test_a_phase_in_the_checkout_of_the_user_is_alone() -> None:
    phases = [_phase("1"), _phase("2", kind="direct"), _phase("3")]
    assert next_phases(phases, {}, 3) == StartPhases(("1", "3"))
    assert next_phases(phases, {"1": "landed", "3": "running"}, 3) == AwaitPhases(("3",))
    assert next_phases(phases, {"1": "landed", "3": "landed"}, 3) == StartPhases(("2",))


def test_what_is_missing_is_named() -> None:
    assert unmet(_phase("3", "1", "2"), {"1"}) == ("2",)


@pytest.mark.parametrize("needs", [("2",), ("1",)])
def test_a_cycle_is_refused(needs: tuple[str, ...]) -> None:
    phases = [_phase("1", *needs), _phase("2", "1")]
    assert "cycle" in refuse_order(phases)
    assert isinstance(next_phases(phases, {}), NothingCanStart)
    assert not refuse_order([_phase("1"), _phase("2", "1")])
