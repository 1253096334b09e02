"""kill -9 at every named instant of a run, and `planrail resume`: as if nothing had happened."""

import json
from collections.abc import Callable

import pytest

from planrail.agents.jobs.job_files import RUNNER as IDENTITY
from planrail.agents.jobs.job_files import is_held
from planrail.base.crash_points import VARIABLE
from tests.crash.points import AGAIN, ELSEWHERE, EVERYWHERE, IN_ORDER, NAMED, RUNNER, STEPS
from tests.crash.promises import Promise
from tests.support.crash_names import read_points
from tests.support.run_stage import FAST, SLOW, Pace, RunStage, finish

_CHAINS = 4
# Between "recorded" and the next "begun" nothing happens that could be lost: those are left to the soak.
_LOSING = [point for point in IN_ORDER if not point.endswith((".begun", ".recorded")) or point in NAMED]


def test_every_named_point_of_the_source_is_walked_through() -> None:
    named = {name for name in read_points() if not name.startswith(ELSEWHERE)}
    assert named <= set(EVERYWHERE)


@pytest.mark.full
def test_every_step_of_a_run_is_a_point(stage: RunStage) -> None:
    assert stage.run().code == 0
    [folder] = stage.runs()
    lines = [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert {line["key"].rpartition("/")[2] for line in lines} == STEPS


@pytest.mark.full
@pytest.mark.parametrize("number", range(_CHAINS))
def test_a_run_that_is_killed_again_and_again_lands_every_phase_once(stage: RunStage, number: int) -> None:
    promise = Promise(stage)
    for point in _LOSING[number::_CHAINS]:
        answer = stage.crash(point)
        assert answer.was_killed, f"{point} was not reached: {answer}"
    _end_well(stage)
    promise.is_kept()


@pytest.mark.soak
@pytest.mark.parametrize("pace", [FAST, SLOW], ids=["fast", "slow"])
@pytest.mark.parametrize("point", IN_ORDER)
def test_a_run_that_is_killed_at_a_point_goes_on_as_if_it_had_not_been(
    make_stage: Callable[..., RunStage], point: str, pace: Pace
) -> None:
    stage = make_stage(5, pace)
    promise = Promise(stage)
    assert stage.crash(point).was_killed
    _end_well(stage)
    promise.is_kept()


@pytest.mark.full
@pytest.mark.parametrize("point", AGAIN)
def test_a_claim_is_taken_over_by_the_one_who_resumes_however_often_it_dies(stage: RunStage, point: str) -> None:
    promise = Promise(stage)
    assert stage.crash("implement.1.begun").was_killed
    assert stage.crash(point).was_killed
    assert stage.crash(point).was_killed
    assert stage.resume().code == 0
    promise.is_kept()


@pytest.mark.full
@pytest.mark.parametrize("point", RUNNER)
def test_a_runner_that_dies_with_planrail_costs_an_attempt_at_most(stage: RunStage, point: str) -> None:
    promise = Promise(stage)
    process = stage.start_run(**{VARIABLE: point})
    stage.wait_for(lambda: _find_dead_jobs(stage), process)
    process.kill()
    finish(process)
    assert stage.resume().code == 0
    promise.is_kept_but_for_starts()


def _end_well(stage: RunStage) -> None:
    """Resume until the run has ended; one that was killed after its last word has nothing to resume."""
    answer = stage.resume()
    has_ended = all((folder / "ending.json").exists() for folder in stage.runs())
    assert has_ended, answer
    assert answer.code == 0 or "waits to be resumed" in answer.err, answer


def _find_dead_jobs(stage: RunStage) -> list[str]:
    """The jobs whose runner had begun and is gone."""
    begun = [path.parent for path in stage.ledger.glob(f"runs/*/agents/*/{IDENTITY}")]
    return [str(job) for job in begun if not is_held(str(job))]
