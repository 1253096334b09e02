"""kill -9 at any instant, of planrail alone or of everything at once, and `planrail resume`."""

import random
import subprocess
import time
from collections.abc import Callable

import pytest

from tests.crash.promises import Promise, resume_to_the_end
from tests.support.run_stage import FAST, PLAN, SLOW, RunStage, finish

_SEED = 20_240_229
_SAMPLE, _ALL = 2, 100  # instants for each agent, fast and slow
_TWICE = 0.3  # of the runs are killed a second time, while they are resumed


def _instants(count: int, salt: str) -> list[float]:
    """Parts of the length of a run."""
    chance = random.Random(f"{_SEED} {salt}")
    return [round(chance.random(), 4) for _ in range(count)]


def _cases(salt: str) -> list[object]:
    """Some for every day, and all of them for the soak."""
    every = [("fast", part) for part in _instants(_ALL, f"{salt} fast")]
    every += [("slow", part) for part in _instants(_ALL, f"{salt} slow")]
    daily = {*every[: _SAMPLE // 2], *every[_ALL : _ALL + _SAMPLE // 2]}
    return [
        pytest.param(pace, part, 3, id=f"{pace}-{part}")
        if (pace, part) in daily
        else pytest.param(pace, part, 5, id=f"{pace}-{part}", marks=pytest.mark.soak)
        for pace, part in every
    ]


@pytest.fixture(scope="session")
def lengths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """How long a phase takes here where nobody disturbs it, in seconds."""
    return {
        pace: _measure(RunStage(tmp_path_factory.mktemp("whole") / "stage", 3, pace=FAST if pace == "fast" else SLOW))
        for pace in ("fast", "slow")
    }


def _measure(stage: RunStage) -> float:
    began = time.monotonic()
    assert stage.run().code == 0
    return (time.monotonic() - began) / stage.phases


@pytest.mark.full
@pytest.mark.parametrize(("pace", "part", "phases"), _cases("alone"))
def test_planrail_killed_at_any_instant_starts_no_agent_twice(
    make_stage: Callable[..., RunStage], lengths: dict[str, float], pace: str, part: float, phases: int
) -> None:
    stage = make_stage(phases, pace=FAST if pace == "fast" else SLOW)
    promise = Promise(stage)
    _kill_after(stage.start_run(), part * lengths[pace] * phases)
    if part < _TWICE and stage.runs():
        _kill_after(stage.start("resume", PLAN), part / _TWICE * lengths[pace] * phases)
    resume_to_the_end(stage)
    promise.is_kept()


@pytest.mark.full
@pytest.mark.parametrize(("pace", "part", "phases"), _cases("everything"))
def test_everything_killed_at_any_instant_counts_a_new_start_as_a_new_attempt(
    make_stage: Callable[..., RunStage], lengths: dict[str, float], pace: str, part: float, phases: int
) -> None:
    stage = make_stage(phases, pace=FAST if pace == "fast" else SLOW)
    promise = Promise(stage)
    process = stage.start_run()
    _kill_after(process, part * lengths[pace] * phases)
    stage.kill_everything()
    resume_to_the_end(stage)
    promise.is_kept_but_for_starts()


def _kill_after(process: "subprocess.Popen[str]", seconds: float) -> None:
    time.sleep(seconds)
    process.kill()
    finish(process)
