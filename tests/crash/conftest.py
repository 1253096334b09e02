"""Stages for runs, and what must be true of every one of them afterwards, whatever happened to it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.run_stage import FAST, Pace, RunStage

pytest.register_assert_rewrite("tests.crash.promises")

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # processes are looked for in /proc


@pytest.fixture
def make_stage(tmp_path: Path) -> Iterator[Callable[..., RunStage]]:
    """Makes stages; nothing that ran on one lives longer than its test."""
    made: list[RunStage] = []

    def make(phases: int = 3, pace: Pace = FAST, *, independent: bool = False) -> RunStage:
        made.append(RunStage(tmp_path / f"stage-{len(made)}", phases, pace, independent=independent))
        return made[-1]

    yield make
    for stage in made:
        stage.kill_everything()


@pytest.fixture
def stage(make_stage: Callable[..., RunStage]) -> RunStage:
    """A plan of three phases with a fast agent."""
    return make_stage()
