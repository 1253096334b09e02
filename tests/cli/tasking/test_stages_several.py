"""Several tasks in one call, and a person's own documents."""

import json
import os
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.tasks.stages.running import read_own
from tests.support.patience import PATIENCE
from tests.support.typed_here import type_here
from tests.tasks.stages.stage_project import StageProject, good_script


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    return StageProject(tmp_path)


@pytest.mark.full
def test_several_tasks_are_worked_on_side_by_side_and_each_has_its_line(project: StageProject) -> None:
    for text in ("Refuse empty names", "Tell it in the README", "Say it in the help"):
        project.new(text)
    project.follow(good_script(delay=0.5))
    process = project.start("research", "1,2-3", "--agent", "scripted")
    told, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert [line.split()[:2] for line in told.splitlines()[:3]] == [["✔", "1"], ["✔", "2"], ["✔", "3"]]
    began = [line for line in errors.splitlines() if line.endswith("research …")]
    assert sorted(began) == [f"planrail: task {number}: research …" for number in (1, 2, 3)]
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


def test_each_is_looked_at_before_any_begins_and_one_document_belongs_to_one_task(project: StageProject) -> None:
    project.new("One")
    project.new("Two")
    assert project.run("plan", "1-2", "--from", "x.md").returncode == 2
    project.run("abandon", "2", "--why", "no")
    for words in ("1-2", "1,7"):
        code, told, _ = project.stage("research", words)
        assert (code, told["status"], told["results"]) == (1, "refused", [])
    assert project.task(1)["status"] == "not_started"
    assert project.jobs(1) == []


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


def test_a_plan_of_ones_own_is_repaired_linked_committed_and_told_by_a_path_that_works_here(
    project: StageProject,
) -> None:
    project.new()
    folder = project.repo / "src" / "deep"
    folder.mkdir()
    mine = folder / "p.md"
    mine.write_text(_PLAN)
    done = type_here(folder, project.environment(), "task", "plan", "1", "--from", "p.md")
    assert done.returncode == 0, done.stderr
    typed = "../../specs/001_refuse_empty_names/plans/01_my-way.md"
    assert typed in done.stdout.splitlines()
    assert "repaired" in done.stdout
    assert done.stdout.rstrip().endswith(f"next: planrail approve {typed}")
    assert mine.read_text() == _PLAN
    assert project.run("validate-artifact", str(folder / typed), "plan").returncode == 0
    assert [phase["title"] for phase in project.task(1)["phases"]] == ["All of it"]
    assert project.log()[0] == "task 1: create implementation plan"
    assert project.jobs() == []


@pytest.mark.parametrize("name", ["nowhere.md", ".", "binary.md"])
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="cannot be read"):
        read_own(str(tmp_path / name))


def test_only_what_is_a_text_with_an_end_is_read(tmp_path: Path) -> None:
    pipe, large = tmp_path / "pipe", tmp_path / "large.md"
    os.mkfifo(pipe)  # nobody waits for its writer
    large.touch()
    os.truncate(large, 1 << 40)  # of holes alone
    for path, why in (("/dev/zero", "it is a device"), (str(pipe), "it is a pipe"), (str(large), "too large")):
        with pytest.raises(UsageError, match=why):
            read_own(path)
    large.write_bytes(b"one\r\ntwo\n")
    assert read_own(str(large)) == "one\r\ntwo\n"


def test_a_plan_can_come_from_standard_input_and_what_is_none_is_answered_without_a_file(
    project: StageProject,
) -> None:
    project.new()
    for given, code in (("# Notes\n", 1), (_PLAN, 0)):
        process = project.start("plan", "1", "--from", "-", given=given)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == code, errors
        if code:
            assert "standard input is no plan yet" in errors
            assert "validate-artifact FILE plan" in errors
    assert project.task(1)["status"] == "planned"


def test_a_file_that_is_no_plan_is_answered_with_what_it_lacks_and_one_that_can_run_is_offered_to_be_linked(
    project: StageProject,
) -> None:
    project.new()
    (project.repo / "x.md").write_text("# Notes\n")
    done = project.run("plan", "1", "--from", "x.md")
    assert done.returncode == 1
    assert "x.md is no plan yet, 8 problems to fix: " in done.stderr
    assert "Implementation Phases" in done.stderr
    assert done.stderr.count(";") == 5
    assert "; and 3 more\n" in done.stderr
    assert "planrail task validate-artifact x.md plan" in done.stderr
    assert project.task(1)["status"] == "not_started"
    (project.repo / "PLAN.md").write_text("# My plan\n\n## Phase 1 — One\n\n- [ ] do it\n")
    done = project.run("plan", "1", "--from", "PLAN.md")
    assert done.returncode == 1
    assert "planrail task link-artifact 1 plan PLAN.md" in done.stderr
    assert project.run("link-artifact", "1", "plan", "PLAN.md").returncode == 0


# ---- a division ----


@pytest.mark.full
def test_an_agent_divides_a_task_by_schema_and_anew_when_it_is_opened_again(project: StageProject) -> None:
    project.new()
    project.follow([{"match": "", "error": "overloaded", "times": 0}])
    done = project.run("expand", "1", "--agent", "scripted")
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("→ planrail task expand 1 --agent scripted")
    for parts in (["Refuse them", "Tell it"], ["Test it", "Do it"]):
        answer = {"parts": parts, "why": "They are two."}
        project.follow([{"match": "] Divide task", "text": json.dumps(answer), "times": 0}])
        done = project.run("expand", "1", "--agent", "scripted", "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert [task["title"] for task in told["tasks"]] == parts
        assert told["parent"]["status"] == "expanded"
        assert project.run("reopen", "1", "--force").returncode == 0
