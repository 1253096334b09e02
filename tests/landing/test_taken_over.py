"""A run whose plan was taken over lands nothing any more, however far it had come when that happened."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.landing.stages import shim_git
from tests.support.run_stage import PLAN, Answer, RunStage, finish


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[RunStage]:
    stage = RunStage(tmp_path / "stage", 1)
    yield stage
    stage.kill_everything()


def take_over_at_landing(stage: RunStage, number: int) -> Answer:
    """Take the plan over while a run looks at the checkout for its landing of this number, as its last look."""
    begun, go, count = (stage.place / name for name in ("begun", "go", "count"))
    script = f"""
case "$*" in *" status "*" --untracked-files=no "*)
  echo x >> '{count}'
  if [ $(wc -l < '{count}') = {number} ]; then
    : > '{begun}'; n=0; while [ ! -e '{go}' ] && [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done
  fi;;
esac"""
    process = stage.start_run(PATH=f"{shim_git(stage.place / 'bin', script)}:{os.environ['PATH']}")
    stage.wait_for(begun.exists, process)
    words = ("claim", "takeover", PLAN, "--owner", "me", "--pid", str(os.getpid()), "--reason", "it is stuck")
    assert stage.call(*words).code == 0
    go.touch()
    return finish(process)


@pytest.mark.full
def test_a_phase_that_was_about_to_land_does_not(stage: RunStage) -> None:
    answer = take_over_at_landing(stage, 1)
    assert answer.code != 0
    assert "another run has taken over this plan; nothing was landed" in answer.out
    assert stage.git("rev-parse", "main").strip() == stage.base
    assert stage.git("status", "--porcelain") == ""


@pytest.mark.full
def test_a_plan_that_was_about_to_be_marked_complete_is_not(stage: RunStage) -> None:
    answer = take_over_at_landing(stage, 2)
    assert "another run has taken over this plan; nothing was landed" in answer.out
    assert stage.git("log", "--format=%s").splitlines() == ["Phase 1: Write 1", "The beginning"]
    assert "Status: complete" not in stage.git("show", f"main:{PLAN}")
    assert stage.git("status", "--porcelain") == ""
