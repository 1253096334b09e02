"""Waves: what can be worked at once, and what waits for what."""

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planrail.tasks.model import Brief
from planrail.tasks.statuses import IN_FLIGHT, STATUSES, TERMINAL
from planrail.tasks.waves import Circle, blocked, describe_waits, group_waves, ready

_GRAPHS = st.dictionaries(st.integers(1, 12), st.lists(st.integers(1, 14), max_size=4), max_size=12)


@given(_GRAPHS)
def test_every_task_is_in_one_wave_behind_all_that_it_depends_on_or_among_those_of_a_circle(
    graph: dict[int, list[int]],
) -> None:
    found = group_waves(graph)
    waves = found.waves if isinstance(found, Circle) else found
    place = {task: index for index, wave in enumerate(waves) for task in wave}
    left = found.tasks if isinstance(found, Circle) else ()
    assert sorted([*place, *left]) == sorted(graph)
    for task, index in place.items():
        inside = [place[other] for other in graph[task] if other in graph]
        assert index == max(inside, default=-1) + 1  # behind all of them, and no later than it has to be


@given(_GRAPHS)
def test_a_circle_is_shown_as_tasks_of_which_each_waits_for_the_next(graph: dict[int, list[int]]) -> None:
    found = group_waves(graph)
    if isinstance(found, Circle):
        assert found.ring
        assert len(set(found.ring)) == len(found.ring)
        for task, following in zip(found.ring, (*found.ring[1:], found.ring[0]), strict=True):
            assert following in graph[task]


def test_only_dependencies_inside_the_batch_count_each_once_and_numbers_ascend_inside_a_wave() -> None:
    assert group_waves({5: [4, 4, 99], 4: [98]}) == [[4], [5]]
    assert group_waves({9: [], 3: [], 5: [9, 3], 4: [3]}) == [[3, 9], [4, 5]]
    assert group_waves({}) == []


def test_a_task_behind_a_circle_is_named_and_is_not_part_of_the_ring() -> None:
    found = group_waves({1: [2], 2: [1], 3: [2], 4: []})
    assert found == Circle((1, 2, 3), ring=(1, 2), waves=((4,),))


def _brief(number: int, status: str = "not_started", *dependencies: int) -> Brief:
    return Brief(number, f"Task {number}", status, dependencies=dependencies)


def test_a_task_is_ready_when_all_it_depends_on_is_completed_or_no_longer_there() -> None:
    briefs = [_brief(1, "completed"), _brief(2, "not_started", 1, 77), _brief(3, "planned", 2)]
    assert [brief.number for brief in ready(briefs)] == [2]
    assert [(brief.number, waits) for brief, waits in blocked(briefs)] == [(3, (2,))]


def test_a_dependency_that_was_abandoned_or_expanded_still_blocks_and_is_said_to_be_so() -> None:
    briefs = [_brief(1, "abandoned"), _brief(2, "expanded"), _brief(3), _brief(4, "not_started", 1, 2, 3)]
    [(brief, waits)] = blocked(briefs)
    assert (brief.number, waits) == (4, (1, 2, 3))
    assert blocked([_brief(1, "blocked")]) == [(_brief(1, "blocked"), ())]
    assert describe_waits(waits, {one.number: one.status for one in briefs}) == "1 (abandoned), 2 (expanded), 3"


@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.lists(st.integers(1, 10), max_size=3)), max_size=10))
def test_an_open_task_at_rest_is_either_ready_or_blocked(rows: list[tuple[str, list[int]]]) -> None:
    briefs = [_brief(number, status, *wanted) for number, (status, wanted) in enumerate(rows, 1)]
    free = {brief.number for brief in ready(briefs)}
    held = {brief.number for brief, _ in blocked(briefs)}
    resting = {brief.number for brief in briefs if brief.status not in (*TERMINAL, *IN_FLIGHT)}
    closed = {brief.number for brief in briefs if brief.status in TERMINAL}
    assert not free & held
    assert not (free | held) & closed
    assert resting <= free | held


def _steps(work: Callable[[], object]) -> int:
    """The lines of waves that a call runs: a count that no other process can disturb."""
    lines = 0

    def trace(frame: object, event: str, _: object) -> object:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.full
def test_the_work_grows_with_the_tasks_and_not_with_their_square() -> None:
    def chain(size: int) -> Callable[[], object]:
        return lambda: group_waves({task: [task - 1, task // 2] for task in range(1, size + 1)})

    def ring(size: int) -> Callable[[], object]:
        return lambda: group_waves({task: [task % size + 1] for task in range(1, size + 1)})

    for shape in (chain, ring):
        assert _steps(shape(10_000)) < 11 * _steps(shape(1_000))


def test_ten_thousand_tasks_in_one_chain_are_ten_thousand_waves() -> None:
    found = group_waves({task: [task - 1] for task in range(10_000, 0, -1)})
    assert found == [[task] for task in range(1, 10_001)]
