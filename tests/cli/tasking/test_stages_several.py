"""Several tasks in one call, and a person's own documents."""

import json
from pathlib import Path

import pytest

from tests.support.patience import PATIENCE
from tests.tasks.stages.stage_project import StageProject, good_script


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    return StageProject(tmp_path)


@pytest.mark.full
def test_several_tasks_are_worked_on_side_by_side_and_each_has_its_line(project: StageProject) -> None:
    for text in ("Refuse empty names", "Tell it in the README", "Say it in the help"):
        project.new(text)
    done = project.run("research", "1,2-3", "--agent", "scripted")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["✔", "1"], ["✔", "2"], ["✔", "3"]]
    for number in (1, 2, 3):
        assert project.task(number)["status"] == "researched"
    assert project.git("status", "--short") == ""
    assert sum(line.endswith("complete research") for line in project.log()) == 3


@pytest.mark.soak
def test_one_that_fails_does_not_stop_the_others(project: StageProject) -> None:
    for text in ("One", "Two", "Three"):
        project.new(text)
    bad = {"match": "] Research task 2", "error": "overloaded", "times": 0}
    project.follow([bad, *good_script()])
    code, told, errors = project.stage("research", "1-3")
    assert code == 1, errors
    assert [(one["task"], one["status"]) for one in told["results"]] == [(1, "done"), (2, "failed"), (3, "done")]
    assert told["next"] == "planrail task research 2"


@pytest.mark.full
def test_each_is_looked_at_before_any_begins(project: StageProject) -> None:
    project.new("One")
    project.new("Two")
    project.run("abandon", "2", "--why", "no")
    for words in ("1-2", "1,7"):
        code, told, _ = project.stage("research", words)
        assert (code, told["status"], told["results"]) == (1, "refused", [])
    assert project.task(1)["status"] == "not_started"
    assert project.jobs(1) == []


@pytest.mark.soak
def test_agents_of_two_tasks_are_at_work_at_once(project: StageProject) -> None:
    project.new("One")
    project.new("Two")
    project.follow(good_script(delay=1.5))
    process = project.start("research", "1,2", "--agent", "scripted", "--json")
    told, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert [one["status"] for one in json.loads(told)["results"]] == ["done", "done"]
    began = [line for line in errors.splitlines() if line.endswith("research …")]
    assert sorted(began) == ["planrail: task 1: research …", "planrail: task 2: research …"]


# ---- a document of one's own ----

_PLAN = """# Implementation Plan: My way

## Overview

Do it.

## Goals & Non-Goals

- It is done

## Risks & Mitigations

- None

## Implementation Phases

### Phase 1: All of it [NOT STARTED]

- [ ] Do it

## Testing & Validation

- Look

## Artifacts & Outputs

- None

## Rollback/Contingency

- Revert
"""


@pytest.mark.full
def test_a_plan_of_ones_own_is_repaired_linked_and_committed(project: StageProject, tmp_path: Path) -> None:
    project.new()
    mine = tmp_path / "mine.md"
    mine.write_text(_PLAN)
    done = project.run("plan", "1", "--from", str(mine), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (0, "done"), done.stderr
    assert told["artifact"] == "specs/001_refuse_empty_names/plans/01_my-way.md"
    assert any("repaired" in note for note in told["notes"])
    assert mine.read_text() == _PLAN
    assert project.run("validate-artifact", told["artifact"], "plan").returncode == 0
    assert [phase["title"] for phase in project.task(1)["phases"]] == ["All of it"]
    assert project.log()[0] == "task 1: create implementation plan"
    assert project.jobs() == []


def test_what_is_no_plan_is_refused_with_what_it_lacks(project: StageProject, tmp_path: Path) -> None:
    project.new()
    mine = tmp_path / "mine.md"
    mine.write_text("# Notes\n\nSome words.\n")
    done = project.run("plan", "1", "--from", str(mine))
    assert done.returncode == 1
    assert "is no plan yet" in done.stderr
    assert "Implementation Phases" in done.stderr
    assert project.task(1)["status"] == "not_started"


@pytest.mark.parametrize("name", ["nowhere.md", ".", "binary.md"])
def test_what_cannot_be_read_is_refused(project: StageProject, tmp_path: Path, name: str) -> None:
    project.new()
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    done = project.run("research", "1", "--from", str(tmp_path / name))
    assert done.returncode == 2
    assert "cannot be read" in done.stderr


@pytest.mark.soak
def test_a_report_of_ones_own_opens_a_round(project: StageProject, tmp_path: Path) -> None:
    project.new()
    _, told, _ = project.stage("research", "1")
    mine = tmp_path / "mine.md"
    mine.write_text((project.repo / told["artifact"]).read_text().replace("How greeting works", "What I saw"))
    done = project.run("research", "1", "--from", str(mine), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["artifact"].endswith("reports/02_what-i-saw.md")
    assert project.task(1)["round"] == 2


def test_one_document_belongs_to_one_task(project: StageProject, tmp_path: Path) -> None:
    project.new("One")
    project.new("Two")
    assert project.run("plan", "1-2", "--from", str(tmp_path / "x.md")).returncode == 2


def test_an_agent_divides_a_task_by_schema(project: StageProject) -> None:
    project.new()
    parts = {"parts": ["Refuse empty names in greet", "Tell it in the README"], "why": "They are two."}
    project.follow([{"match": "] Divide task", "text": json.dumps(parts), "times": 0}])
    done = project.run("expand", "1", "--agent", "scripted", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [task["title"] for task in told["tasks"]] == ["Refuse empty names in greet", "Tell it in the README"]
    assert told["parent"]["status"] == "expanded"


def test_a_division_that_fails_names_the_command_with_its_agent(project: StageProject) -> None:
    project.new()
    project.follow([{"match": "", "error": "overloaded", "times": 0}])
    done = project.run("expand", "1", "--agent", "scripted")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("→ planrail task expand 1 --agent scripted")


@pytest.mark.full
def test_a_task_that_is_opened_again_is_divided_anew(project: StageProject) -> None:
    project.new()
    for parts in (["Refuse them", "Tell it"], ["Test it", "Do it"]):
        answer = {"parts": parts, "why": "They are two."}
        project.follow([{"match": "] Divide task", "text": json.dumps(answer), "times": 0}])
        done = project.run("expand", "1", "--agent", "scripted", "--json")
        assert done.returncode == 0, done.stderr
        assert [task["title"] for task in json.loads(done.stdout)["tasks"]] == parts
        assert project.run("reopen", "1", "--force").returncode == 0


def test_a_plan_that_can_be_carried_out_as_it_is_is_offered_to_be_linked(project: StageProject) -> None:
    project.new()
    (project.repo / "PLAN.md").write_text("# My plan\n\n## Phase 1 — One\n\n- [ ] do it\n")
    done = project.run("plan", "1", "--from", "PLAN.md")
    assert done.returncode == 1
    assert "planrail task link-artifact 1 plan PLAN.md" in done.stderr
    assert "planrail task validate-artifact PLAN.md plan" in done.stderr
    assert project.run("link-artifact", "1", "plan", "PLAN.md").returncode == 0
