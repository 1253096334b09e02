"""Schedules under everything at once: several workers, deaths, stops, replacements, clocks that jump."""

import sqlite3
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from planrail.base.records import replace
from planrail.store.ledger import open_team_tables
from planrail.store.tables import Tables, migrate
from planrail.team.dispatch import Dispatch
from planrail.team.queueing import ACTIVE, ENDED, HELD, Rest, ScheduleRow
from tests.store.queue_stage import Died, StageTables, list_all, make, make_schedule

PLANS = st.sampled_from(("a", "b", "c"))
HOUR = 3600.0


def open_memory() -> StageTables:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    migrate(connection)
    return StageTables(Tables(":memory:", connection))


class Firing(RuleBasedStateMachine):
    """What the rows should say is reckoned here from the rules alone: an hourly schedule fires at full hours."""

    def __init__(self, tables: StageTables) -> None:
        super().__init__()
        self.tables = tables
        self.next: dict[str, float] = {}  # of active schedules
        self.held: set[str] = set()
        self.open: set[str] = set()  # plans with a submission that is not ended
        self.stale: list[ScheduleRow] = []  # what a slow writer has read
        self.fired: Counter[str] = Counter()
        self.expected = 0
        self.died = False

    def teardown(self) -> None:
        self.tables.__exit__(None, None, None)

    # ---- time ----

    @rule(seconds=st.sampled_from((1.0, 60.0, 1800.0, HOUR, 5 * HOUR, 90 * 24 * HOUR, -1.0, -HOUR)))
    def clock(self, seconds: float) -> None:
        self.tables.at += seconds

    # ---- people ----

    @rule(plan=PLANS)
    def put(self, plan: str) -> None:
        first = self.after(self.tables.at)
        Dispatch(self.tables).put_schedule(make_schedule(plan, next=first))
        self.next[plan] = first
        self.held.discard(plan)

    @rule(plan=st.none() | PLANS)
    def stop(self, plan: str | None) -> None:
        Dispatch(self.tables).ask_stop(plan)
        for name in [plan] if plan else ["a", "b", "c"]:
            self.next.pop(name, None)
            self.held.discard(name)
        self.open = {row.plan for row in Dispatch(self.tables).list_submissions()}

    @rule(plan=PLANS)
    def end(self, plan: str) -> None:
        Dispatch(self.tables).end_schedules(plan, "so be it")
        self.next.pop(plan, None)
        self.held.discard(plan)

    @rule(plan=PLANS)
    def submit(self, plan: str) -> None:
        if plan not in self.open:
            Dispatch(self.tables).submit(make(plan))
            self.open.add(plan)

    @rule(plan=PLANS, dies=st.integers(0, 12))
    def early(self, plan: str, dies: int) -> None:
        """A person runs the plan before its time, which stays as it is."""
        with self.dying(dies):
            for row in Dispatch(self.tables).list_schedules(plan):
                Dispatch(self.tables).note_fired(row)

    # ---- workers ----

    @rule(dies=st.integers(0, 25))
    def fire(self, dies: int) -> None:
        due = {plan for plan, at in self.next.items() if at <= self.tables.at}
        with self.dying(dies):
            fired = Dispatch(self.tables).fire_due()
            assert {row.plan for row in fired} == due - self.open
            self.fired.update(row.id for row in fired)
            self.expected += len(fired)
            self.open |= due
            self.next.update(dict.fromkeys(due, self.after(self.tables.at)))

    @rule(outcome=st.sampled_from(("phase_done", "complete", "failed", "stopped")), dies=st.integers(0, 12))
    def work(self, outcome: str, dies: int) -> None:
        row = Dispatch(self.tables).take("w", "{}", "here")
        if row is None:
            return
        began = {plan.plan for plan in Dispatch(self.tables).list_schedules() if plan.created < row.submitted + 1}
        with self.dying(dies):
            Dispatch(self.tables).rest(row.id, "w", Rest(ENDED, 0.0, "", outcome))
        if self.died:
            assert Dispatch(self.tables).rest(row.id, "w", Rest(ENDED, 0.0, "", outcome)) is not None
        self.settle(row.plan, outcome, can_hold=row.plan in began)
        self.open.discard(row.plan)

    # ---- slow writers ----

    @rule()
    def read(self) -> None:
        self.stale = Dispatch(self.tables).list_schedules()

    @rule()
    def write_late(self) -> None:
        for row in self.stale:
            now = {found.plan: found for found in Dispatch(self.tables).list_schedules()}.get(row.plan)
            Dispatch(self.tables).note_fired(row)
            after = {found.plan: found for found in Dispatch(self.tables).list_schedules()}.get(row.plan)
            is_same = now is not None and now.id == row.id
            assert after == (replace(now, last=self.tables.at) if is_same else now)

    @rule(plan=PLANS)
    def settle_late(self, plan: str) -> None:
        """A run that was asked for before any schedule was written fails now."""
        assert Dispatch(self.tables).settle_schedule(self.tables.repository, plan, "failed", "late", began=-1.0) is None

    # ---- what holds always ----

    @invariant()
    def rows_are_as_reckoned(self) -> None:
        rows = Dispatch(self.tables).list_schedules()
        assert {row.plan: row.next for row in rows if row.state == ACTIVE} == self.next
        assert {row.plan for row in rows if row.state == HELD} == self.held
        assert Counter(row.plan for row in Dispatch(self.tables).list_submissions()) == Counter(self.open)

    @invariant()
    def each_firing_is_one(self) -> None:
        every = [row.id for row in list_all(self.tables)[0] if row.id.startswith("fire-")]
        assert len(every) == self.expected
        assert Counter(every) == self.fired

    def after(self, at: float) -> float:
        return (at // HOUR + 1) * HOUR

    def settle(self, plan: str, outcome: str, *, can_hold: bool) -> None:
        if outcome == "complete":
            self.next.pop(plan, None)
            self.held.discard(plan)
        elif outcome == "failed" and can_hold and plan in self.next:
            self.next.pop(plan)
            self.held.add(plan)

    def dying(self, dies: int) -> "Dying":
        self.died = False
        return Dying(self, dies)


class Dying(suppress):
    """Let the step in the block die before a statement; what was reckoned for it then did not happen."""

    def __init__(self, machine: Firing, dies: int) -> None:
        super().__init__(Died)
        self.machine = machine
        machine.tables.dies_in = dies

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        self.machine.tables.dies_in = 0
        self.machine.died = kind is Died
        return kind is Died


@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.full)])
def test_no_firing_is_lost_or_doubled_whatever_happens(share: int) -> None:
    class Embedded(Firing):
        def __init__(self) -> None:
            super().__init__(open_memory())

    run_state_machine_as_test(Embedded, settings=settings(max_examples=settings().max_examples // share))


@pytest.mark.full
def test_the_same_holds_in_a_shared_database(database: str) -> None:
    class Shared(Firing):
        def __init__(self) -> None:
            tables = open_team_tables(database, "host/team/project")
            tables.change("TRUNCATE submissions, schedules")
            super().__init__(StageTables(tables))

    run_state_machine_as_test(Shared, settings=settings(max_examples=4, stateful_step_count=30, deadline=None))
