"""Several phases at once, killed, stopped and resumed."""

import random
import signal
import time
from collections.abc import Callable

import pytest

from tests.crash.promises import Promise, resume_to_the_end
from tests.support.run_stage import PLAN, SLOW, RunStage, finish
from tests.support.run_traces import find_leftovers, read_landed

_POINTS = ("implement.1.begun", "job.spawned", "checks.1.done", "land.ref_moved", "land.1.done", "end.begun")
_CHANCE = random.Random(7)


@pytest.mark.full
@pytest.mark.parametrize(
    "point", [pytest.param(point, marks=pytest.mark.soak) if point != "land.ref_moved" else point for point in _POINTS]
)
def test_phases_side_by_side_survive_a_kill(make_stage: Callable[..., RunStage], point: str) -> None:
    stage = make_stage(3, SLOW, independent=True)
    promise = Promise(stage)
    answer = stage.crash(f"{point}:2", "--parallel", "3")
    assert answer.was_killed, answer
    assert stage.resume().code == 0
    promise.is_kept_in_any_order()


@pytest.mark.soak
@pytest.mark.parametrize("part", [round(_CHANCE.uniform(0.3, 4.0), 2) for _ in range(20)])
def test_phases_side_by_side_survive_a_kill_at_any_instant(make_stage: Callable[..., RunStage], part: float) -> None:
    stage = make_stage(5, SLOW, independent=True)
    promise = Promise(stage)
    process = stage.start_run("--parallel", "3")
    time.sleep(part)
    process.kill()
    finish(process)
    resume_to_the_end(stage)
    promise.is_kept_in_any_order()


@pytest.mark.soak
def test_a_run_that_was_stopped_after_it_landed_is_not_done_again(stage: RunStage) -> None:
    promise = Promise(stage)
    assert stage.crash("land.1.done:2").was_killed
    assert stage.call("stop", PLAN).code == 0
    answer = stage.run()
    assert answer.code == 0, answer
    assert stage.count_starts().count("2") == 1
    promise.is_kept_but_for_refs()


@pytest.mark.full
def test_a_stop_in_the_middle_of_a_landing_waits_for_its_end(make_stage: Callable[..., RunStage]) -> None:
    stage = make_stage(3, SLOW)
    promise = Promise(stage)
    process = stage.start_run()
    stage.wait_for(lambda: list(stage.ledger.glob("landings/*")), process)
    process.send_signal(signal.SIGTERM)
    assert finish(process).code == 130
    assert read_landed(stage) == ["1"]
    promise.work_is_unchanged()
    kept = tuple(name for name in stage.git("for-each-ref", "--format=%(refname)").split() if "planrail" in name)
    assert find_leftovers(stage, refs=("refs/heads/main", *kept)) == []
