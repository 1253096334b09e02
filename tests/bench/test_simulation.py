"""The simulation of many plans: it obeys the laws of queues, and says the same each time."""

from dataclasses import replace

import pytest
from events import Clock, Lock, Process, Serve, Station
from simulation import Costs, Locked, Site, find_most, quantile, simulate_batch, simulate_flight

CHEAP = Locked(0.0005, 2, 3)
COSTS = Costs(
    statement=0.0002,
    phase_statements=60,
    gap_statements=4,
    run_statements=40,
    phase_client=0.4,
    run_client=0.4,
    beat=0.0008,
    beat_commits=2.0,
    look=0.002,
    look_row=0.0,
    is_look_for_all=True,
    take_row=0.0,
    hears=0.00001,
    flush=0.001,
    submit=CHEAP,
    take=CHEAP,
    hand_over=CHEAP,
    name_run=CHEAP,
    rest=CHEAP,
    show=CHEAP,
    phase_wal=50_000.0,
    run_wal=50_000.0,
    beat_wal=500.0,
    worker_connections=2.0,
    run_connections=2.0,
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


def test_the_database_is_as_busy_as_its_work_amounts_to() -> None:
    outcome = simulate_flight(Site(2_000, slots=1_000_000, agent=1e9), COSTS, seconds=60.0)

    assert outcome.cpu_busy == pytest.approx(2_000 / 5.0 * COSTS.beat / 4, rel=0.1)


def test_two_workers_do_nearly_twice_as_much_as_one_where_agents_only_wait() -> None:
    site = Site(24, slots=4, cores=64, agent=2.0, spread=0.0)

    one, two = (simulate_batch(site, COSTS, 3, workers) for workers in (1, 2))

    assert one.phases == two.phases == 72
    assert 1.8 < one.ended / two.ended <= 2.05


def test_a_look_that_reads_all_that_is_at_work_makes_a_crowd_slower_than_one_that_does_not() -> None:
    site = Site(1_000, slots=20, is_crowded=True, agent=600.0)

    lean = simulate_flight(site, COSTS, seconds=20.0)
    greedy = simulate_flight(site, replace(COSTS, look_row=0.000005), seconds=20.0)

    assert greedy.cpu_busy > 2 * lean.cpu_busy


def test_a_notification_costs_less_where_only_those_look_who_have_room() -> None:
    site = Site(1_000, slots=10, is_crowded=True, agent=600.0)

    all_look, some = (
        simulate_flight(site, replace(COSTS, is_look_for_all=for_all), seconds=20.0) for for_all in (True, False)
    )

    assert some.notifications > 0
    assert some.cpu_busy < all_look.cpu_busy


def test_what_needs_no_lock_does_not_wait_for_it() -> None:
    free = replace(COSTS, show=Locked(0.0005, 2, 0))

    outcome = simulate_flight(Site(500, slots=1, agent=1e9), free, seconds=10.0)

    assert outcome.commits > 0
    assert outcome.lock_waits == []


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
