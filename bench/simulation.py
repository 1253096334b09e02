"""A discrete-event simulation of plans in flight on workers that share one database. Pure: the same seed, the same end.

The database is a station with as many servers as it has cores, in front of which statements wait in the order of their
coming; the queue's lock is a station of its own with one place, held for the statements under it, for their way over
the network, and for the disk at the end. Agents only wait. All durations come from outside (`Costs`), as measured.
"""

import math
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from events import Clock, Lock, Process, Serve, Station

BEAT = 5.0  # seconds between two signs of life of a worker, which gives them for its runs as well
LINGER = 1.5 * BEAT  # seconds, on average, that a run keeps a connection when its agent has begun


@dataclass(frozen=True)
class Locked:
    """A change of the queue: the server's CPU, times asked before the lock and under it; 0 under it: it needs none."""

    cpu: float
    before: int
    under: int


@dataclass(frozen=True)
class Costs:
    """What was measured: seconds, bytes and counts of each thing that happens."""

    statement: float  # the server's CPU for a statement of a run
    phase_statements: int
    gap_statements: int  # of them between the end of a phase and the start of the next
    run_statements: int
    phase_client: float  # CPU of the machine that carries out a phase, git and checks included
    run_client: float
    beat: float  # the server's CPU for the beat of a worker
    beat_commits: float
    look: float  # the server's CPU for the look of a worker that is woken
    look_commits: float
    shown: float  # the server's CPU, under the lock, for each worker among which the one to be woken is chosen
    hears: float  # the server's CPU at a wake for each worker that listens
    flush: float  # until a commit is on the disk
    submit: Locked
    take: Locked
    hand_over: Locked
    name_run: Locked
    rest: Locked
    phase_wal: float
    run_wal: float
    beat_wal: float
    worker_connections: float


@dataclass(frozen=True)
class Site:
    """What is simulated: how many plans, on which workers, on which database."""

    plans: int
    slots: int = 16
    cores: int = 4  # of the database
    network: float = 0.0005  # seconds there and back
    agent: float = 2400.0  # mean seconds of an agent's work on a phase
    spread: float = 0.6  # of the lognormal distribution of these
    is_crowded: bool = False  # others wait, so that a plan gives way at the end of each phase
    is_shared: bool = False  # database and workers have the same cores

    @property
    def workers(self) -> int:
        """As many as it takes for all plans to be in flight."""
        return math.ceil(self.plans / self.slots)


@dataclass
class Outcome:
    """What happened in so many simulated seconds."""

    seconds: float
    gaps: list[float] = field(default_factory=list)  # end of a phase to the start of the next
    lock_waits: list[float] = field(default_factory=list)
    phases: int = 0
    commits: float = 0.0
    wal: float = 0.0
    wakes: int = 0
    cpu_busy: float = 0.0  # of the database's cores
    lock_busy: float = 0.0
    ended: float = 0.0  # when the last plan ended, where they end

    def gap(self, share: float) -> float:
        """The gap that this share of all stays below."""
        return quantile(self.gaps, share)


class World:
    """Plans, workers and their database, in motion."""

    def __init__(self, site: Site, costs: Costs, seed: int) -> None:
        self.site, self.costs = site, costs
        self.clock, self.lock, self.random = Clock(), Lock(), random.Random(seed)
        self.database = Station(site.cores)
        self.machines = self.database if site.is_shared else None
        self.outcome = Outcome(0.0)

    # ---- what a process does ----

    def ask(self, count: int, cpu: float | None = None) -> Process:
        """So many statements, one after the other, each committed."""
        mean = self.costs.statement if cpu is None else cpu
        for _ in range(count):
            yield Serve(self.database, self.random.expovariate(1 / mean))
            yield self.site.network + self.costs.flush
        self.outcome.commits += count

    def compute(self, seconds: float) -> Process:
        """CPU of the machine that a run is on: its own, or the database's where they are the same."""
        if self.machines is not None:
            yield Serve(self.machines, seconds)
        else:
            yield seconds

    def change(self, kind: Locked, rows: float = 0.0) -> Process:
        """A change of the queue under its lock. `rows` is what has to be counted, in server's seconds."""
        share = kind.cpu / (kind.before + kind.under)
        for _ in range(kind.before):
            yield Serve(self.database, share)
            yield self.site.network
        self.outcome.commits += 1
        if not kind.under:
            return
        asked = self.clock.now
        yield self.lock
        self.outcome.lock_waits.append(self.clock.now - asked)
        yield Serve(self.database, share * kind.under + rows)
        yield self.site.network * kind.under + self.costs.flush
        self.clock.release(self.lock)

    def wake_one(self) -> None:
        """Wake a worker, which looks at the queue; the server tells all that listen that there is something."""
        self.outcome.wakes += 1
        self.outcome.commits += self.costs.look_commits
        self.database.visit(self.clock.now, self.costs.look + self.costs.hears * self.site.workers)

    # ---- lives ----

    def phases(self, count: int | None, elapsed: float | None = None) -> Process:
        """Phase after phase of a plan; the first one has been under way for a while where `elapsed` is given."""
        done = 0
        while count is None or done < count:
            if elapsed is None:
                yield from self._around_agent()
                yield self._agent_seconds()
            else:
                yield elapsed
                elapsed = None
            yield from self._around_agent()
            done += 1
            self.outcome.phases += 1
            self.outcome.wal += self.costs.phase_wal
            if count is None or done < count:
                yield from self._go_on()

    def _around_agent(self) -> Process:
        """Half of what a phase costs besides its agent: CPU and statements by turns."""
        statements = (self.costs.phase_statements - self.costs.gap_statements) // 2
        pieces = 6
        for _ in range(pieces):
            yield from self.compute(self.costs.phase_client / 2 / pieces)
            yield from self.ask(statements // pieces)

    def _go_on(self) -> Process:
        """From the end of a phase to the start of the next: of the same plan, or of one that waited."""
        ended = self.clock.now
        if self.site.is_crowded:
            yield from self.leave()
            yield from self.enter()
        yield from self.ask(self.costs.gap_statements)
        self.outcome.gaps.append(self.clock.now - ended)

    def enter(self) -> Process:
        """Take a submission, start its process, begin its run."""
        yield from self.change(self.costs.take)
        yield from self.change(self.costs.hand_over)
        yield from self.compute(self.costs.run_client / 2)
        yield from self.change(self.costs.name_run)
        yield from self.ask(self.costs.run_statements // 2)

    def leave(self) -> Process:
        """End a run, and put its submission back."""
        yield from self.ask(self.costs.run_statements // 2)
        yield from self.compute(self.costs.run_client / 2)
        yield from self.change(self.costs.rest, self.costs.shown * self.site.workers)
        self.outcome.wal += self.costs.run_wal
        self.wake_one()

    def stream(self, rate: float, happen: Callable[[], None]) -> Process:
        """Something that happens so often a second, by many who know nothing of each other."""
        while rate > 0:
            yield self.random.expovariate(rate)
            happen()

    def beat(self) -> None:
        """A worker's sign of life for itself and its runs, and its look at the queue; nobody waits for it."""
        self.database.visit(self.clock.now, self.costs.beat)
        self.outcome.commits += self.costs.beat_commits
        self.outcome.wal += self.costs.beat_wal

    def slot(self, plans: deque[int], phases: int) -> Process:
        """A slot that works through plans until none is left."""
        while plans:
            plans.popleft()
            yield from self.enter()
            yield from self.phases(phases)
            yield from self.leave()
            self.outcome.ended = self.clock.now

    def _agent_seconds(self) -> float:
        site = self.site
        if site.spread == 0:
            return site.agent
        return self.random.lognormvariate(math.log(site.agent) - site.spread**2 / 2, site.spread)

    def remaining(self) -> float:
        """How long an agent that is found at work will still need: who works long is found more often."""
        site = self.site
        whole = self.random.lognormvariate(math.log(site.agent) + site.spread**2 / 2, site.spread)
        return whole * self.random.random()

    def finish(self, seconds: float) -> Outcome:
        """What happened."""
        outcome = self.outcome
        outcome.seconds = seconds
        outcome.cpu_busy = self.database.busy / (seconds * self.site.cores)
        outcome.lock_busy = min(1.0, (self.lock.busy + (seconds - self.lock.since) * self.lock.is_held) / seconds)
        return outcome


def simulate_flight(site: Site, costs: Costs, *, seconds: float = 60.0, seed: int = 1) -> Outcome:
    """So many plans, all in the middle of their work, for a while."""
    world = World(site, costs, seed)
    for _ in range(site.plans):
        at = world.remaining()
        if at < seconds:
            world.clock.start(world.phases(None, at))
    world.clock.start(world.stream(site.workers / BEAT, world.beat))
    world.clock.run(seconds)
    return world.finish(seconds)


def count_connections(site: Site, costs: Costs) -> float:
    """The connections of all workers, and of the runs that are between two agents or have just begun one."""
    statements = costs.phase_statements * (costs.statement + site.network + costs.flush)
    connected = min(site.agent, costs.phase_client + statements + 2 * LINGER)
    return site.workers * costs.worker_connections + site.plans * connected / site.agent


def simulate_batch(site: Site, costs: Costs, phases: int, workers: int, *, seed: int = 1) -> Outcome:
    """So many plans that wait, worked through by so many workers: what the throughput bench does for real."""
    world = World(site, costs, seed)
    plans = deque(range(site.plans))
    for _ in range(workers * site.slots):
        world.clock.start(world.slot(plans, phases))
    world.clock.run(math.inf)
    return world.finish(world.outcome.ended)


def find_most(is_good: Callable[[int], bool], most: int, *, exactness: float = 0.05) -> int:
    """The greatest number up to `most` that is still good, as exactly as wanted; 0 where none is."""
    low, high = 0, 64
    while high < most and is_good(high):
        low, high = high, high * 2
    if high >= most:
        if is_good(most):
            return most
        high = most
    while high - low > max(1, int(exactness * high)):
        middle = (low + high) // 2
        low, high = (middle, high) if is_good(middle) else (low, middle)
    return low


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of all stays below; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
