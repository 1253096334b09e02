"""Stages called by a program: ceilings of one call, and a project that is no repository."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.cli.screen import warn
from planrail.tasks.context.context import open_context
from planrail.tasks.stages.requests import StageRequest
from planrail.tasks.stages.running import run_stage
from tests.support.patience import PATIENCE
from tests.tasks.stages.stage_project import StageProject, good_script


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StageProject:
    made = StageProject(tmp_path)
    for name, value in made.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(made.repo)
    made.new()
    return made


@pytest.mark.full
@pytest.mark.parametrize("ceiling", [{"money": 0.9}, {"tokens": 2000}])
def test_past_a_ceiling_nothing_is_begun_and_the_next_call_goes_on(
    project: StageProject, ceiling: dict[str, float]
) -> None:
    project.follow(good_script(usage={"tokens_in": 1000, "tokens_out": 20, "cost": 0.5}))
    request = StageRequest(
        "plan", agent="scripted", money=ceiling.get("money", 0.0), tokens=int(ceiling.get("tokens", 0))
    )
    end = run_stage(open_context(warn), 1, request, tell=warn)
    assert (end.ok, end.status) == (False, "spent")
    assert "a plan is drafted, and criticised 1 time" in end.text
    assert len(project.jobs()) == 2
    end = run_stage(open_context(warn), 1, request, tell=warn)
    assert (end.ok, end.status, end.task) == (True, "done", 1)
    assert len(project.jobs()) == 3


def test_what_happens_is_told_to_whoever_looks_on(project: StageProject) -> None:
    told: list[str] = []
    assert run_stage(open_context(warn), 1, StageRequest("plan", agent="scripted"), tell=told.append).ok
    assert told == ["the plan …", "the critique …", "the revision …"]


@pytest.mark.full
def test_a_project_that_is_no_repository_has_stages_too(tmp_path: Path) -> None:
    project = StageProject(tmp_path)
    folder = tmp_path / "plain"
    folder.mkdir()
    environment = {**project.environment(), "GIT_CEILING_DIRECTORIES": str(tmp_path)}

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "planrail", "task", *words]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE)

    assert run("new", "Refuse empty names").returncode == 0
    for stage in ("research", "plan"):
        done = run(stage, "1", "--agent", "scripted", "--json")
        assert done.returncode == 0, done.stderr
        assert os.path.exists(folder / json.loads(done.stdout)["artifact"])
