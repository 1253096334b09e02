"""Without a database: workers of one machine share the ledgers of its repositories."""

import signal
import time

import pytest

from tests.support.lanes import soak
from tests.support.worker_stage import Size, WorkerStage
from tests.team.conftest import MakeStage
from tests.team.killing import Kill, Tormentor, whole_machine, worker_alone
from tests.team.promises import everything_is_done_once


def _add_schedule(stage: WorkerStage, seconds: float = 5) -> float:
    """A schedule for one time alone, that many seconds from now, or more where that has passed meanwhile; the time."""
    plan, when = stage.plans[0], int(time.time() + seconds)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    told = stage.laptop.call("run", plan.path, "every", at, folder=plan.root)
    if "has passed" in told.stderr:
        return _add_schedule(stage, 2 * seconds)
    assert told.returncode == 0, told.stderr
    return float(when)


@pytest.mark.full
@pytest.mark.parametrize(("workers", "kill"), [(1, whole_machine), soak(2, worker_alone)])
def test_plans_in_one_repository_land_once_though_workers_are_killed(
    make_stage: MakeStage, workers: int, kill: Kill
) -> None:
    stage = make_stage(Size(plans=2, phases=2, repositories=1, work="sleep 0.2"))
    stage.submit()
    assert Tormentor(stage, kill, "--slots", "2", machines=workers).run(every=1.0).kills
    everything_is_done_once(stage, agents_died=kill is whole_machine)


@pytest.mark.soak
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kill", [worker_alone, whole_machine])
def test_many_plans_in_one_repository_land_once_though_workers_are_killed(
    make_stage: MakeStage, workers: int, kill: Kill
) -> None:
    stage = make_stage(Size(plans=20, phases=3, repositories=1))
    stage.submit()
    print(Tormentor(stage, kill, "--slots", "4", machines=workers).run(every=3))
    everything_is_done_once(stage, agents_died=kill is whole_machine)


@pytest.mark.soak
def test_a_schedule_that_is_due_fires_once_though_two_workers_look(make_stage: MakeStage) -> None:
    stage = make_stage(Size(plans=1, phases=1))
    _add_schedule(stage)
    for name in ("one", "two"):
        stage.machine(name).start_worker(folder=stage.plans[0].root)
    stage.wait_for(lambda: stage.rows("SELECT 1 FROM submissions"))
    stage.wait_until_done()
    everything_is_done_once(stage)
    assert stage.rows("SELECT COUNT(*) FROM submissions") == [(1,)]
    assert sum(machine.said.count("fired") for machine in stage.machines.values()) == 1


@pytest.mark.soak
def test_a_run_that_was_interrupted_and_is_submitted_with_auto_asks_no_more(make_stage: MakeStage) -> None:
    stage = make_stage(Size(plans=1, phases=2, work='while [ -e "$HOME/hold" ]; do sleep 0.05; done'))
    plan, laptop = stage.plans[0], stage.laptop
    (laptop.home / "hold").touch()
    begun = laptop.launch(laptop.command("run", plan.path, "finish"), plan.root)
    stage.wait_for(stage.count_starts)
    begun.send_signal(signal.SIGINT)
    begun.wait(60)
    (laptop.home / "hold").unlink()
    stage.submit()
    stage.machine("one").start_worker("--once", folder=plan.root).wait(60)
    everything_is_done_once(stage)
