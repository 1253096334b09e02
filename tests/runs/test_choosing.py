"""Which phases a run takes up next: the one that was named, or those that are free to go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.base.records import replace
from planrail.base.run_model import CheckOrder, Execution, Order, PhaseOrder, Refusal
from planrail.runs.phases.choosing import choose, find_phase, is_all_done, refuse_phase
from tests.runs.run_records import make_order


def _order(*, phase: str = "", finish: bool = False, parallel: int = 1, **states: str) -> Order:
    """Three phases, a before B before c; `stated_needs` are as they are written."""
    phases = [_phase("a"), _phase("B", "a"), _phase("c", "B")]
    known = [replace(each, state=states.get(each.id, each.state)) for each in phases]
    order = make_order(*known)
    return replace(order, options=replace(order.options, phase=phase, finish=finish, parallel=parallel))


def _phase(name: str, *needs: str) -> PhaseOrder:
    return replace(PhaseOrder(name, name, "", (), (), (), (), needs, Execution("workspace")), stated_needs=needs)


@pytest.mark.parametrize(
    ("options", "done", "chosen"),
    [
        ({}, (), ("a",)),
        ({}, ("a",), ("B",)),
        ({}, ("a", "B", "c"), ()),
        ({"a": "skipped"}, (), ("B",)),
        ({"phase": "a"}, (), ("a",)),
        ({"phase": "A"}, (), ("a",)),
        ({"phase": "b"}, ("a",), ("B",)),
        ({"phase": "a"}, ("a",), ()),
        ({"phase": "a", "finish": True}, ("a",), ("B",)),
        ({"phase": "a", "finish": True, "a": "skipped"}, (), ("B",)),
    ],
)
def test_what_was_named_comes_next_or_what_is_free(
    options: dict[str, object], done: tuple[str, ...], chosen: tuple[str, ...]
) -> None:
    assert choose(_order(**options), done) == chosen  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("order", "done", "kind", "said"),
    [
        (_order(phase="c"), ("a",), "refused", "phase c needs B, which is not done"),
        (_order(phase="x"), (), "usage", "has no phase 'x'; it has: a, B, c"),
        (_order(a="blocked"), (), "refused", "phase a is blocked"),
        (make_order(), (), "unreadable", "it has no phases"),
        (make_order(_phase("a", "b"), _phase("b", "a")), (), "refused", "the dependencies form a cycle: a → b → a"),
        (make_order(_phase("a", "a"), _phase("b", "a")), (), "refused", "cycle"),
        (make_order(_phase("2", "0", "1"), _phase("3", "2")), (), "refused", "phase 2 needs 0, 1; phase 3 needs 2"),
    ],
)
def test_where_nothing_can_start_the_reason_is_said(order: Order, done: tuple[str, ...], kind: str, said: str) -> None:
    refusal = choose(order, done)
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, said in refusal.text) == (kind, True), refusal


def test_a_phase_that_says_nothing_of_its_needs_follows_the_others_unless_it_is_named() -> None:
    silent = replace(_phase("b"), depends_on=("a",))
    order = make_order(_phase("a"), silent)
    assert choose(order, ()) == ("a",)
    assert choose(replace(order, options=replace(order.options, phase="b")), ()) == ("b",)


def test_all_is_done_when_each_phase_landed_was_adopted_or_skipped() -> None:
    order = replace(_order(c="skipped"), landed=("a",))
    assert is_all_done(order, ("B",))
    assert not is_all_done(order, ())


def test_a_phase_is_found_by_its_exact_name_first() -> None:
    order = make_order(_phase("A"), _phase("a"))
    assert find_phase(order, "a") is order.phases[1]
    assert find_phase(order, "b") is None


_CHECKED = replace(_phase("a"), checks=(CheckOrder("make test", 1, "criterion"),))
_DIRECT = replace(_CHECKED, execution=Execution("direct"))


@pytest.mark.parametrize(
    ("phase", "remote", "options", "command"),
    [
        (_CHECKED, "git@h:o/n", {}, ""),
        (_CHECKED, "git@h:o/n", {"landing": "direct"}, "planrail run PLAN.md a --landing direct --here"),
        (_DIRECT, "git@h:o/n", {}, "planrail run PLAN.md a --landing direct --here"),
        (_DIRECT, "", {}, ""),
        (_DIRECT, "", {"landing": "pr"}, "planrail run PLAN.md a --landing direct"),
        (replace(_CHECKED, execution=Execution("delegate")), "", {}, "planrail lint PLAN.md"),
        (_CHECKED, "", {"agent": "runbook"}, "planrail run PLAN.md a --agent claude"),
        (_CHECKED, "", {"verifier": "runbook"}, ""),
        (_phase("a"), "", {"agent": "codex", "verifier": "runbook"}, "planrail run PLAN.md a --verifier codex"),
        (_phase("a"), "", {}, ""),
    ],
)
def test_a_phase_that_cannot_be_carried_out_as_it_says_is_refused_with_what_to_type(
    phase: PhaseOrder, remote: str, options: dict[str, str], command: str
) -> None:
    order = make_order(phase)
    order = replace(order, remote=remote, options=replace(order.options, **{"agent": "claude", **options}))
    refusal = refuse_phase(order, phase)
    assert (refusal.command if refusal else "") == command


# ---- several at once ----


def _line(*phases: PhaseOrder, parallel: int = 1) -> Order:
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
    assert choose(_line(*phases, parallel=10), tuple(sorted(done))) == free


@pytest.mark.full
@given(_plans(), st.integers(1, 4))
def test_every_plan_without_a_cycle_comes_to_its_end(phases: list[PhaseOrder], parallel: int) -> None:
    order, done = _line(*phases, parallel=parallel), tuple[str, ...]()
    for _ in phases:
        chosen = choose(order, done)
        assert isinstance(chosen, tuple)
        assert len(chosen) <= parallel
        assert chosen or len(done) == len(phases)
        done = (*done, *chosen)
    assert choose(order, done) == ()


def test_independent_phases_start_together_as_far_as_there_is_room() -> None:
    order = _line(_phase("1"), _phase("2"), replace(_phase("3"), state="skipped"), _phase("4", "1"), parallel=2)
    assert choose(order, ()) == ("1", "2")
    assert choose(order, ("1", "2")) == ("4",)


def test_a_blocked_phase_holds_up_only_what_needs_it() -> None:
    order = _line(replace(_phase("1"), state="blocked"), _phase("2", "1"), _phase("3"))
    assert choose(order, ()) == ("3",)
    assert choose(order, ("3",)) == Refusal("refused", "phase 1 is blocked", "planrail show PLAN.md")


def test_a_phase_in_the_checkout_of_the_user_is_alone() -> None:
    order = _line(_phase("1"), replace(_phase("2"), execution=Execution("direct")), _phase("3"), parallel=3)
    assert choose(order, ()) == ("1", "3")
    assert choose(order, ("1", "3")) == ("2",)
