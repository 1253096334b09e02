"""Stages called by a program: ceilings of one call, and a project that is no repository."""

import json
from pathlib import Path

import pytest

from planrail.cli.screen import warn
from planrail.tasks.context.context import open_context
from planrail.tasks.stages.requests import StageRequest
from planrail.tasks.stages.running import run_stage
from tests.support.typed_here import type_here
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
@pytest.mark.parametrize("money", [0.0, 0.9])
def test_past_a_ceiling_nothing_is_begun_and_the_next_call_goes_on(project: StageProject, money: float) -> None:
    project.follow(good_script(usage={"tokens_in": 1000, "tokens_out": 20, "cost": 0.5}))
    request = StageRequest("plan", agent="scripted", money=money, tokens=0 if money else 2000)
    told: list[str] = []
    end = run_stage(open_context(warn), 1, request, tell=told.append)
    assert (end.ok, end.status) == (False, "spent")
    assert "a plan is drafted, and criticised 1 time" in end.text
    assert len(project.jobs()) == 2
    end = run_stage(open_context(warn), 1, request, tell=told.append)
    assert (end.ok, end.status, end.task) == (True, "done", 1)
    assert len(project.jobs()) == 3
    assert (told[:2], told[-1]) == (["the plan …", "the critique …"], "the revision …")


@pytest.mark.soak
def test_a_project_that_is_no_repository_has_stages_too(tmp_path: Path) -> None:
    project = StageProject(tmp_path)
    folder = tmp_path / "plain"
    folder.mkdir()
    environment = project.environment(GIT_CEILING_DIRECTORIES=str(tmp_path))
    assert type_here(folder, environment, "task", "new", "Refuse empty names").returncode == 0
    for stage in ("research", "plan"):
        done = type_here(folder, environment, "task", stage, "1", "--agent", "scripted", "--json")
        assert done.returncode == 0, done.stderr
        assert (folder / json.loads(done.stdout)["artifact"]).exists()
