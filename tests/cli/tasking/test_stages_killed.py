"""kill -9 at every named instant of a stage, and the same command again: as if nothing had happened."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

import planrail.tasks.stages as package
from planrail.base.crash_points import VARIABLE
from tests.support.lanes import soak
from tests.support.patience import PATIENCE
from tests.tasks.stages.stage_project import StageProject, good_script

_AGENT = ("job.locked", "job.written", "job.spawned")
_BEFORE = ("stage.opened", "stage.marked")
_AFTER = ("stage.composed", "stage.written", "stage.linked", "stage.committed")
_ANSWERS = [f"{point}:{number}" for number in (1, 2, 3) for point in (*_AGENT, "stage.answered")]
_POINTS = [*_BEFORE, *_ANSWERS, *_AFTER]


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    return StageProject(tmp_path)


def _kill(project: StageProject, point: str, *words: str) -> None:
    done = project.run(*words, "--agent", "scripted", **{VARIABLE: point})
    assert done.returncode == -signal.SIGKILL, f"{point} was not reached: {done}"


def _is_planned_once(project: StageProject, questions: int = 3) -> None:
    """The agent was started once for each question, and the plan is there, linked and committed once."""
    assert len(project.jobs()) == questions
    assert len(project.prompts()) == questions
    plans = sorted((project.repo / "specs").rglob("plans/*"))
    assert [plan.name for plan in plans] == ["01_refuse-empty-names.md"]
    task = project.task(1)
    assert task["status"] == "planned"
    assert [one["path"] for one in task["artifacts"]] == ["specs/001_refuse_empty_names/plans/01_refuse-empty-names.md"]
    assert project.log().count("task 1: create implementation plan") == 1
    assert project.git("status", "--short") == ""
    assert project.folders() == ["plan-1-done-1"]


def test_every_named_point_of_a_stage_is_walked_through() -> None:
    folder = Path(str(package.__file__)).parent
    named = {name for path in folder.glob("*.py") for name in re.findall(r'reach\("([a-z_.]+)"\)', path.read_text())}
    assert named == {point.partition(":")[0] for point in _POINTS} - set(_AGENT)


_EVERY_DAY = ("stage.marked", "stage.answered:2", "stage.written")


@pytest.mark.full
@pytest.mark.parametrize("point", [point if point in _EVERY_DAY else soak(point) for point in _POINTS])
def test_a_stage_that_is_killed_goes_on_as_if_it_had_not_been(project: StageProject, point: str) -> None:
    project.new()
    _kill(project, point, "plan", "1")
    code, told, errors = project.stage("plan", "1")
    assert (code, told["status"]) == (0, "done"), errors
    _is_planned_once(project)


@pytest.mark.full
@pytest.mark.parametrize(
    "point", [soak("stage.composed"), "stage.written", soak("stage.linked"), soak("stage.committed")]
)
def test_what_one_stage_left_at_its_end_is_finished_by_another(project: StageProject, point: str) -> None:
    project.new()
    _kill(project, point, "research", "1")
    code, _, errors = project.stage("plan", "1")
    assert code == 0, errors
    task = project.task(1)
    assert [(one["type"], one["round"]) for one in task["artifacts"]] == [("report", 1), ("plan", 1)]
    assert project.git("status", "--short") == ""
    assert project.folders() == ["plan-1-done-1", "research-1-done-1"]


@pytest.mark.full
@pytest.mark.parametrize("point", ["runner.identified", soak("runner.agent_ended"), soak("runner.outcome_written")])
def test_an_agent_that_is_lost_with_its_runner_is_asked_again(project: StageProject, point: str) -> None:
    project.new()
    code, told, errors = project.stage("research", "1", **{VARIABLE: f"{point}:1"})
    if code:  # each runner dies, so the second attempt is lost as well; a person is told
        assert told["status"] == "failed"
        assert told["next"] == "planrail task research 1"
        code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (0, "done"), errors


@pytest.mark.full
def test_an_agent_outlives_planrail_and_is_adopted(project: StageProject) -> None:
    project.new()
    project.follow(good_script(delay=2.0))
    process = project.start("research", "1", "--agent", "scripted")
    _wait(lambda: bool(project.jobs()))
    process.kill()
    process.communicate(timeout=PATIENCE)
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (0, "done"), errors
    assert len(project.jobs()) == len(project.prompts()) == 1


@pytest.mark.soak
def test_an_agent_that_another_stage_left_at_work_is_ended(project: StageProject) -> None:
    project.new()
    slow = good_script()
    slow[1]["delay"] = 60
    project.follow(slow)
    process = project.start("research", "1", "--agent", "scripted")
    _wait(lambda: len(_agents(project)) == 1)
    process.kill()
    process.communicate(timeout=PATIENCE)
    code, _, errors = project.stage("plan", "1")
    assert code == 0, errors
    assert _agents(project) == []
    assert project.folders() == ["plan-1-done-1", "research-1"]


@pytest.mark.full
@pytest.mark.parametrize("number", [soak(signal.SIGINT), signal.SIGTERM, soak(signal.SIGHUP)])
def test_a_stage_that_is_stopped_ends_its_agent_and_keeps_what_was_answered(project: StageProject, number: int) -> None:
    project.new()
    slow = good_script()
    slow[2]["delay"] = 60
    project.follow(slow)
    process = project.start("plan", "1", "--agent", "scripted")
    assert process.stderr is not None
    for line in process.stderr:
        if "the critique" in line:
            break
    _wait(lambda: len(_agents(project)) == 1)
    process.send_signal(number)
    printed, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "next: planrail task plan 1" in printed
    assert _agents(project) == []
    assert project.task(1)["status"] == "planning"
    project.follow(good_script())
    code, _, errors = project.stage("plan", "1")
    assert code == 0, errors
    assert "the plan …" not in errors
    assert len([prompt for prompt in project.prompts() if "Phase: DRAFT" in prompt]) == 1


@pytest.mark.full
def test_two_at_once_do_not_both_work_on_a_task(project: StageProject) -> None:
    project.new()
    project.follow(good_script(delay=PATIENCE))
    first = project.start("research", "1", "--agent", "scripted")
    _wait(lambda: bool(project.jobs()))
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (10, "held"), errors
    assert "is held by sess_" in errors
    first.send_signal(signal.SIGINT)
    assert first.wait(timeout=PATIENCE) == 130
    first.communicate()
    assert len(project.jobs()) == 1


def _wait(is_so: "object", seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _agents(project: StageProject) -> list[str]:
    """The processes that still follow the script."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    found = [line for line in listed.splitlines() if str(project.script) in line and "scripted_program" in line]
    return [line.split()[0] for line in found if line.split()[0] != str(os.getpid())]
