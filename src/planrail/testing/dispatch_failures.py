"""The half of the dispatch suite in which something dies, freezes, is away or is mistaken: lines 2 to 5 and 8 to 10."""

import contextlib
import os
import random
import signal
import time
from collections import Counter
from functools import partial

import pytest

from planrail.team.queueing import LOST, STOPPING
from planrail.testing.dispatch_stage import DIES, HANGS, REFUSES, DispatchStage, StageMachine
from planrail.testing.dispatch_turn import BEGAN, LANDED, LEFT

HERE, THERE = StageMachine("here"), StageMachine("there")


def name_machines(stage: DispatchStage, count: int) -> list[StageMachine]:
    """So many machines; where there can be only one, that one as often."""
    return [StageMachine(f"machine{number}") if stage.is_shared else HERE for number in range(count)]


class FailureConformance:
    """Whatever fails, each plan lands once, and nobody who lives loses anything."""

    def begin(self, stage: DispatchStage, *plans: str) -> None:
        """Submit plans whose turns wait for a word, and see them begin."""
        for plan in plans:
            stage.submit(plan, waits=1)
        stage.wait_for(lambda: {note.plan for note in stage.notes(BEGAN)} >= set(plans))

    def finish(self, stage: DispatchStage, *plans: str) -> None:
        """Let plans land, and see that each of them did so once, and nothing else."""
        stage.say_go(*plans)
        stage.wait_until_done()
        assert Counter(note.plan for note in stage.notes(LANDED)) == dict.fromkeys(plans, 1)

    def outlast(self, stage: DispatchStage) -> None:
        """Until each worker has had the time to judge all leases."""
        time.sleep(stage.lease + 5 * stage.beat)

    # ---- 2. a turn again after SIGKILL of the worker, of the run's process, of the machine ----

    def test_02_a_plan_whose_worker_is_killed_lands_once(self, stage: DispatchStage) -> None:
        worker = stage.start_worker(HERE)
        self.begin(stage, "a")
        worker.kill()
        stage.start_worker(HERE)
        self.finish(stage, "a")

    def test_02_a_plan_whose_process_is_killed_gets_its_turn_again(self, stage: DispatchStage) -> None:
        stage.start_worker(HERE)
        self.begin(stage, "a")
        os.kill(stage.notes(BEGAN)[0].pid, signal.SIGKILL)
        stage.wait_for(lambda: len(stage.notes(BEGAN)) == 2)
        self.finish(stage, "a")

    @pytest.mark.full
    def test_02_05_plans_of_a_dead_machine_get_their_turn_again_unless_they_are_stopped_meanwhile(
        self, stage: DispatchStage
    ) -> None:
        stage.start_worker(HERE, slots=2)
        self.begin(stage, "a", "stopped")
        stage.kill(HERE)
        stage.stop("stopped")
        stage.start_worker(THERE if stage.is_shared else HERE, slots=2)
        stage.wait_for(lambda: len(stage.notes(BEGAN)) == 3)
        stage.say_go("stopped")
        self.finish(stage, "a")
        assert Counter(note.plan for note in stage.notes(BEGAN)) == {"a": 2, "stopped": 1}

    @pytest.mark.soak
    def test_02_each_phase_lands_once_though_something_is_killed_all_the_time(self, stage: DispatchStage) -> None:
        machines = name_machines(stage, 3)
        workers = [stage.start_worker(machine, slots=2) for machine in machines]
        for number in range(20):
            stage.submit(f"p{number}", phases=3, seconds=0.5)
        while stage.list_open():
            at, known = random.randrange(len(machines)), len(stage.notes(LANDED))
            turns = set(stage.list_processes(machines[at])) - {worker.pid for worker in workers}
            if turns and random.random() < 0.5:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(turns.pop(), signal.SIGKILL)
            else:
                workers[at].kill() if random.random() < 0.5 else stage.kill(machines[at])
                workers[at] = stage.start_worker(machines[at], slots=2)
            # However slow the machine is: between two kills something lands.
            stage.wait_for(partial(self.has_moved, stage, known))
            time.sleep(random.uniform(0.0, 2.0))
        landed = Counter(note.plan for note in stage.notes(LANDED))
        assert landed == {f"p{number}": 3 for number in range(20)}

    # ---- 3. and 9. the store is away for three leases, however it is away ----

    @pytest.mark.parametrize(
        ("how", "leases"),
        [
            pytest.param(REFUSES, 1.5, marks=pytest.mark.full),  # when it is back all have lapsed
            *(pytest.param(how, 3.0, marks=pytest.mark.soak) for how in (REFUSES, HANGS, DIES)),
        ],
    )
    def test_03_09_nobody_is_dead_because_the_store_was_away(
        self, stage: DispatchStage, how: str, leases: float
    ) -> None:
        first, second = name_machines(stage, 2)
        for machine in (first, second):
            stage.start_worker(machine, slots=2)
        plans = [f"p{number}" for number in range(4)]
        self.begin(stage, *plans)
        stage.take_away(how)
        time.sleep(leases * stage.lease)
        with stage.frozen(second):  # the machines come back one after the other
            stage.bring_back()
            time.sleep(stage.lease - stage.beat / 2)
        time.sleep(stage.lease + stage.beat)
        self.finish(stage, *plans)
        assert Counter(note.plan for note in stage.notes(BEGAN)) == dict.fromkeys(plans, 1)

    # ---- 4. a frozen worker that wakes; 5. and what was stopped while it was frozen ----

    @pytest.mark.full
    def test_04_05_a_frozen_machine_that_wakes_hears_what_it_has_lost_and_lands_nothing(
        self, stage: DispatchStage
    ) -> None:
        stage.start_worker(HERE, slots=2)
        self.begin(stage, "a", "stopped")
        with stage.frozen(HERE):
            stage.stop("stopped")
            stage.start_worker(THERE if stage.is_shared else HERE, slots=2)
            if stage.is_shared:  # on one machine a process that sleeps keeps what it has
                stage.wait_for(lambda: len(stage.notes(BEGAN)) == 3)
                self.finish(stage, "a")
        stage.say_go("stopped")
        self.finish(stage, "a")
        stage.wait_for(lambda: len(stage.notes(LOST, STOPPING)) == (2 if stage.is_shared else 1))
        heard = {note.plan: note.what for note in stage.notes(LOST, STOPPING)}
        assert heard == {"stopped": STOPPING, **({"a": LOST} if stage.is_shared else {})}
        assert [note.plan for note in stage.notes(LANDED)] == ["a"]

    # ---- 8. clones, containers, reboots ----

    @pytest.mark.soak
    def test_08_clones_and_containers_keep_what_they_have_and_a_machine_that_was_restarted_does_not(
        self, stage: DispatchStage
    ) -> None:
        if not stage.is_shared:
            pytest.skip("one machine serves it")
        first = StageMachine("first", host="cloned", boot="boot-one")
        clone = StageMachine("clone", host="cloned", boot="boot-two")
        container = StageMachine("container", host="cloned", boot="boot-one", space="pid:[2]")
        for machine in (first, clone, container):
            stage.start_worker(machine)
        self.begin(stage, "a", "b", "c")
        self.outlast(stage)
        assert len(stage.notes(BEGAN)) == 3
        (left,) = (note.plan for note in stage.notes(BEGAN) if note.machine == "first")
        stage.kill(first)
        stage.start_worker(StageMachine("again", host="cloned", boot="boot-six"))
        stage.wait_for(lambda: len(stage.notes(BEGAN)) == 4)
        self.finish(stage, "a", "b", "c")
        assert Counter(note.plan for note in stage.notes(BEGAN)) == {"a": 1, "b": 1, "c": 1} | {left: 2}

    # ---- 9. a full disk, skewed clocks ----

    @pytest.mark.full
    def test_09_a_full_disk_delays_work_and_loses_none(self, stage: DispatchStage) -> None:
        stage.start_worker(HERE, slots=2)
        self.begin(stage, "a")
        with stage.full_disk(HERE):
            stage.submit("b")
            time.sleep(2 * stage.beat)
        self.finish(stage, "a", "b")

    @pytest.mark.soak
    def test_09_clocks_that_are_wrong_by_hours_change_nothing(self, stage: DispatchStage) -> None:
        if not stage.is_shared:
            pytest.skip("one machine has one clock")
        for machine in (StageMachine("fast", ahead=3600.0), StageMachine("slow", ahead=-3600.0)):
            stage.start_worker(machine)
        stage.schedule("later", time.time() + 1800)
        self.begin(stage, "a", "b")
        self.outlast(stage)
        stage.schedule("now", time.time() - 1, ending="phase_done")
        stage.wait_for(lambda: "now" in stage.list_open())
        self.finish(stage, "a", "b", "now")
        assert len(stage.notes(BEGAN)) == 3

    # ---- 10. budgets: counts, of which a slow machine has no more than a quick one ----

    @pytest.mark.soak
    def test_10_an_idle_worker_costs_at_most_five_transactions_a_second_and_three_connections(
        self, stage: DispatchStage
    ) -> None:
        stage.lease, stage.beat = 20.0, 5.0  # as it is outside of tests
        self.start_idle(stage, 1)
        assert self.count(stage, 10.0) <= 10 * 5
        assert stage.count_connections() <= 3

    @pytest.mark.full
    def test_10_a_submission_costs_at_most_twelve_transactions_however_many_workers_are_idle(
        self, stage: DispatchStage
    ) -> None:
        stage.lease, stage.beat = 240.0, 60.0  # nobody gives a sign of life meanwhile
        with stage.open() as dispatch:
            dispatch.hold_account("tired", time.time() + 3600)
        self.start_idle(stage, 5)
        quiet = self.count(stage, 1.5)
        assert self.count(stage, 1.5, *(f"p{number}" for number in range(5))) - quiet <= 5 * 12

    @pytest.mark.soak
    def test_10_a_submission_that_is_served_costs_the_same_however_many_workers_are_idle(
        self, stage: DispatchStage
    ) -> None:
        stage.lease, stage.beat = 240.0, 60.0
        self.start_idle(stage, 1)
        alone = self.count_served(stage, *(f"a{number}" for number in range(5)))
        self.start_idle(stage, 6)
        assert self.count_served(stage, *(f"b{number}" for number in range(5))) <= alone + 5 * 12

    @pytest.mark.soak
    def test_10_a_worker_whose_runs_wait_has_at_most_four_connections(self, stage: DispatchStage) -> None:
        stage.count_connections()
        stage.start_worker(HERE, slots=16)
        self.begin(stage, *(f"p{number}" for number in range(16)))
        self.outlast(stage)
        assert stage.count_connections() <= 4

    def test_10_what_is_pruned_is_gone_and_what_is_open_stays(self, stage: DispatchStage) -> None:
        stage.start_worker(HERE, slots=2)
        for plan in ("a", "b", "kept"):
            stage.submit(plan)
        stage.wait_until_done()
        self.begin(stage, "open")
        with stage.open() as dispatch:
            assert [dispatch.prune(time.time() + 60, ["kept"]) for _ in range(2)] == [2, 0]
            found = {plan for plan in ("a", "b", "kept", "open") if dispatch.find_submission(plan) is not None}
        assert found == {"kept", "open"}
        self.finish(stage, "a", "b", "kept", "open")

    def start_idle(self, stage: DispatchStage, count: int) -> None:
        """So many workers that have found out that there is nothing to do, with those that are there."""
        stage.count_connections()
        with stage.open() as dispatch:
            for number in range(len(dispatch.list_workers()), count):
                stage.start_worker(StageMachine(f"idle{number}"))
            stage.wait_for(lambda: len(dispatch.list_workers()) == count)
        time.sleep(1.0)

    def count_served(self, stage: DispatchStage, *plans: str) -> int:
        """The transactions of plans that are submitted and served, one after the other."""
        before = stage.count_transactions()
        for plan in plans:
            stage.submit(plan)
            stage.wait_for(partial(self.has_left, stage, plan))
        time.sleep(1.0)
        return stage.count_transactions() - before

    def has_moved(self, stage: DispatchStage, known: int) -> bool:
        """Whether more phases have landed than were known, or nothing is left to do."""
        return len(stage.notes(LANDED)) > known or not stage.list_open()

    def has_left(self, stage: DispatchStage, plan: str) -> bool:
        return any(note.plan == plan for note in stage.notes(LEFT))

    def count(self, stage: DispatchStage, seconds: float, *plans: str) -> int:
        """The transactions of a while in which these plans are submitted, which may not start."""
        before, end = stage.count_transactions(), time.monotonic() + seconds
        for plan in plans:
            stage.submit(plan, account="tired")
        time.sleep(max(0.0, end - time.monotonic()))
        return stage.count_transactions() - before
