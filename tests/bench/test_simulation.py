"""The simulation of many plans: it obeys the laws of queues, and says the same each time."""

from dataclasses import replace

import pytest
from events import Clock, Lock, Process, Serve, Station
from simulation import (
    Costs,
    Locked,
    Site,
    count_connections,
    find_most,
    quantile,
    simulate_batch,
    simulate_flight,
)

CHEAP = Locked(0.0005, 2, 3)
COSTS = Costs(
    statement=0.0002,
    phase_statements=60,
    gap_statements=4,
    run_statements=40,
    phase_client=0.4,
    run_client=0.4,
    beat=0.002,
    beat_commits=10.0,
    look=0.002,
    look_commits=4.0,
    shown=0.000001,
    hears=0.00001,
    flush=0.001,
    submit=CHEAP,
    take=CHEAP,
    hand_over=CHEAP,
    name_run=CHEAP,
    rest=CHEAP,
    phase_wal=50_000.0,
    run_wal=50_000.0,
    beat_wal=500.0,
    worker_connections=2.0,
)


def test_a_station_serves_in_the_order_of_coming_and_never_more_than_it_has_servers() -> None:
    station = Station(2)

    assert [station.visit(0.0, 1.0) for _ in range(4)] == [1.0, 1.0, 2.0, 2.0]
    assert station.visit(5.0, 1.0) == 6.0
    assert station.busy == 5.0


def test_a_lock_has_one_holder_and_those_who_wait_get_it_in_the_order_of_coming() -> None:
    clock, lock = Clock(), Lock()
    told: list[tuple[str, float]] = []

    def hold(name: str) -> Process:
        yield lock
        told.append((name, clock.now))
        yield 1.0
        clock.release(lock)

    for name in ("first", "second", "third"):
        clock.start(hold(name))
    clock.run(10.0)

    assert told == [("first", 0.0), ("second", 1.0), ("third", 2.0)]
    assert lock.busy == 3.0
    assert not lock.is_held


def test_a_line_before_one_server_is_as_long_as_theory_says() -> None:
    """M/M/1 at a load of one half: the mean time in the system is twice the service time."""
    import random

    clock, station, chance = Clock(), Station(1), random.Random(7)
    times: list[float] = []

    def customer() -> Process:
        came = clock.now
        yield Serve(station, chance.expovariate(1.0))
        times.append(clock.now - came)

    def arrivals() -> Process:
        while True:
            yield chance.expovariate(0.5)
            clock.start(customer())

    clock.start(arrivals())
    clock.run(20_000.0)

    assert sum(times) / len(times) == pytest.approx(2.0, rel=0.08)


def test_the_same_seed_gives_the_same_outcome_and_another_seed_another_one() -> None:
    site = Site(400, agent=60.0)

    first, again, other = (simulate_flight(site, COSTS, seconds=20.0, seed=seed) for seed in (1, 1, 2))

    assert first == again
    assert first.gaps != other.gaps


@pytest.mark.full
def test_as_many_phases_end_as_plans_in_flight_divided_by_the_length_of_a_phase() -> None:
    outcome = simulate_flight(Site(3_000, slots=100, agent=600.0), COSTS, seconds=60.0)

    assert outcome.phases / outcome.seconds == pytest.approx(3_000 / 600.0, rel=0.15)


def test_the_database_is_as_busy_as_its_work_amounts_to_and_runs_that_wait_cost_nothing() -> None:
    few, many = (simulate_flight(Site(plans, plans // 500, agent=1e9), COSTS, seconds=60.0) for plans in (2_000, 8_000))

    assert few.cpu_busy == pytest.approx(500 / 5.0 * COSTS.beat / 4, rel=0.1)
    assert many.cpu_busy == pytest.approx(few.cpu_busy, rel=0.1)


def test_two_workers_do_nearly_twice_as_much_as_one_where_agents_only_wait() -> None:
    site = Site(24, slots=4, cores=64, agent=2.0, spread=0.0)

    one, two = (simulate_batch(site, COSTS, 3, workers) for workers in (1, 2))

    assert one.phases == two.phases == 72
    assert 1.8 < one.ended / two.ended <= 2.05


def test_a_wake_costs_more_where_more_workers_are_told_and_chosen_from() -> None:
    site = Site(1_000, slots=1, is_crowded=True, agent=600.0)

    alone, herd = (
        simulate_flight(site, replace(COSTS, hears=each, shown=each), seconds=20.0) for each in (0.0, 0.00005)
    )

    assert alone.wakes > 0
    assert herd.cpu_busy > 1.2 * alone.cpu_busy
    assert herd.lock_busy > alone.lock_busy


def test_a_sign_of_life_does_not_wait_for_the_lock() -> None:
    outcome = simulate_flight(Site(500, slots=1, agent=1e9), COSTS, seconds=10.0)

    assert outcome.commits > 0
    assert outcome.lock_waits == []


def test_connections_grow_with_workers_and_hardly_with_runs() -> None:
    large, small = (count_connections(Site(10_000, slots), COSTS) for slots in (100, 10))

    assert small - large == pytest.approx(900 * 2)
    assert 0 < large - 200 < 150


def test_a_slower_network_keeps_the_lock_longer() -> None:
    near, far = (
        simulate_flight(Site(1_000, slots=500, agent=120.0, is_crowded=True, network=network), COSTS, seconds=20.0)
        for network in (0.0002, 0.002)
    )

    assert far.lock_busy > 1.5 * near.lock_busy


@pytest.mark.parametrize("limit", [1, 63, 64, 65, 1_000, 9_999])
def test_the_search_finds_the_greatest_number_that_is_good(limit: int) -> None:
    found = find_most(lambda number: number <= limit, 10_000, exactness=0.0)

    assert found == limit


def test_the_search_says_none_where_none_is_good_and_the_most_where_all_are() -> None:
    assert find_most(lambda number: False, 1_000) == 0
    assert find_most(lambda number: True, 1_000) == 1_000


def test_a_quantile_of_nothing_is_nothing() -> None:
    assert quantile([], 0.99) == 0.0
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
