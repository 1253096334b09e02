"""What a worker does over years, with a clock that is set forwards and back: no time lost, none doubled."""

from datetime import UTC, datetime
from math import inf

import pytest
from hypothesis import strategies as st

from planrail.base.records import mutable_record
from planrail.team.schedules.times import Firing, Schedule, decide_firing, list_next, next_time
from tests.plans.efforts import each_effort, search
from tests.support.lanes import sampled
from tests.team.walls import MOMENTS, ZONES, Fields, expressions

_DAILY = Schedule("clock", "day at 9am", "3 9 * * *", "UTC")
_NINE = datetime(2026, 4, 19, 9, 3, tzinfo=UTC).timestamp()
_DAY = 86400.0


def test_nothing_happens_before_the_time() -> None:
    assert decide_firing(_NINE, _NINE - 0.001, _DAILY, is_busy=False) == Firing(False, _NINE)
    assert decide_firing(_NINE, _NINE - 0.001, _DAILY, is_busy=True) == Firing(False, _NINE)


def test_a_time_fires_when_it_has_come() -> None:
    assert decide_firing(_NINE, _NINE, _DAILY, is_busy=False) == Firing(True, _NINE + _DAY)


def test_late_means_once_and_then_the_next_after_now() -> None:
    assert decide_firing(_NINE, _NINE + 10.5 * _DAY, _DAILY, is_busy=False) == Firing(True, _NINE + 11 * _DAY)


def test_a_plan_that_is_being_run_absorbs_the_time() -> None:
    assert decide_firing(_NINE, _NINE + 5, _DAILY, is_busy=True) == Firing(
        False, _NINE + _DAY, "the plan was being run at that time"
    )


def test_a_clock_that_was_set_back_does_not_fire_again() -> None:
    fired = decide_firing(_NINE, _NINE + 1, _DAILY, is_busy=False)
    assert fired.fires
    assert fired.then is not None
    assert decide_firing(fired.then, _NINE - 3600, _DAILY, is_busy=False) == Firing(False, fired.then)


def test_a_one_shot_fires_once_however_late_and_is_over() -> None:
    once = Schedule("once", "in 20m", "2026-04-19T09:03:00+00:00", "UTC")
    assert decide_firing(_NINE, _NINE + 400 * _DAY, once, is_busy=False) == Firing(True, None)
    spent = decide_firing(0.0, _NINE + 400 * _DAY, once, is_busy=False)
    assert (spent.fires, spent.then) == (False, None)
    assert "gone" in spent.why


@mutable_record
class _Worker:
    """A row, its clock, and what was fired at which time."""

    schedule: Schedule
    next: float
    clock: float
    fired: list[tuple[float, float]]

    def wake(self) -> None:
        decided = decide_firing(self.next, self.clock, self.schedule, is_busy=False)
        if decided.fires:
            self.fired.append((self.next, self.clock))
            self.next = inf if decided.then is None else decided.then


_MOVES = st.one_of(
    st.just(("sleep", 0.0)),
    st.just(("sleep", 0.0)),
    st.tuples(st.just("late"), st.floats(0, 3 * _DAY)),
    st.tuples(st.just("late"), st.floats(0, 900 * _DAY)),
    st.tuples(st.just("back"), st.floats(0, 2 * _DAY)),
    st.tuples(st.just("early"), st.floats(0, 1)),
)


def _live(worker: _Worker, moves: list[tuple[str, float]]) -> None:
    for move, amount in moves:
        if move == "back":
            worker.clock -= amount
        elif move == "early":
            worker.clock += max(0.0, worker.next - worker.clock) * amount
        elif worker.next != inf:
            worker.clock = max(worker.clock, worker.next) + amount
        worker.wake()
        worker.wake()  # a second look, or a second worker, changes nothing


_LIVES = st.tuples(
    expressions(),
    st.sampled_from(ZONES),
    MOMENTS,
    st.lists(_MOVES, min_size=1, max_size=60),
)


@pytest.mark.full
@each_effort
def test_over_years_no_time_is_lost_and_none_is_doubled(effort: str) -> None:
    def promise(life: tuple[Fields, str, datetime, list[tuple[str, float]]]) -> None:
        fields, zone, start, moves = life
        schedule, begin = Schedule("cron", "", fields.text, zone), start.timestamp()
        first = next_time(schedule, begin)
        assert first is not None
        worker = _Worker(schedule, first, begin, [])
        _live(worker, moves)
        _check_history(schedule, first, worker)

    search(effort, _LIVES, promise)


def _check_history(schedule: Schedule, first: float, worker: _Worker) -> None:
    expected = first
    for planned, at in worker.fired:
        assert planned == expected  # the one that was due: none lost, none doubled
        assert at >= planned  # never before its time
        following = next_time(schedule, max(at, planned))
        assert following is not None
        assert following > at  # what the worker was late for is over with this one
        expected = following
    assert worker.next == expected
    assert worker.clock < worker.next or not worker.fired


_CRONS = ["30 2 * * *", "9 * * * *", "9 */4 * * *", "15 0 * * 1-5", "0 9 1 * *"]
_ALL = [(zone, cron) for zone in ZONES for cron in _CRONS]


@pytest.mark.parametrize(("zone", "cron"), sampled(_ALL, *_ALL[:: len(_CRONS) + 1], *_ALL[:: len(_CRONS)]))
def test_a_worker_that_is_never_late_fires_every_time(zone: str, cron: str) -> None:
    schedule, begin = Schedule("cron", "", cron, zone), datetime(2009, 1, 1, tzinfo=UTC).timestamp()
    count = 400
    times = list_next(schedule, begin, count)
    worker = _Worker(schedule, times[0], begin, [])
    _live(worker, [("sleep", 0.0)] * count)
    assert [planned for planned, _ in worker.fired] == times
    assert sorted(set(times)) == times
