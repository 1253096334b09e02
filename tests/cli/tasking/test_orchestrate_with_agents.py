"""From one sentence to a completed task by agents that follow a script: research, plan, critique, run, summary."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.planning.conducting_fakes import CRITIQUE
from tests.support.lanes import soak
from tests.tasks.stages.stage_project import Reply, StageProject, drafted, plan, reply, report

SETTINGS = "[approval]\nrequired = false\n\n[run]\nverify_timeout = 5\n"


def verdict(name: str) -> str:
    """What a verifier says of a phase that wrote one file."""
    seen = {"text": "", "verdict": "done", "places": [f"{name}:1"], "note": "I looked at it"}
    items = [{"id": part, **seen} for part in ("W1", "W2", "C1", "R1")]
    return json.dumps({"items": items, "scope": [], "test_changes": [], "drift": [], "summary": "seen"})


def workers(name: str, *, is_able: bool = True) -> list[Reply]:
    """Those who carry out a phase that is about one file: they write it, or they do nothing."""
    done: Reply = {"write": {name: "written\n"}} if is_able else {}
    common: Reply = {"match": name, "times": 0}
    return [
        {**common, **done, "role": "implementer", "text": "done"},
        {**common, **done, "role": "fixer", "text": "done"},
        {**common, "role": "verifier", "text": verdict(name)},
    ]


def planners(name: str, revised: str = "") -> list[Reply]:
    """A plan with one phase, about one file; and one about another file, when it is revised."""
    first = [{**one, "times": 1} for one in drafted(plan("Write it", names=(name,)))] if revised else []
    return [
        *first,
        *drafted(plan("Write it elsewhere" if revised else "Write it", names=(revised or name,))),
        reply("Phase: CRITIQUE", CRITIQUE, "critic"),
        reply("] Research task", report(), "researcher"),
    ]


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    made = StageProject(tmp_path)
    (made.repo / "planrail.toml").write_text(SETTINGS)
    (made.repo / ".gitignore").write_text("reports/\n!specs/**/reports/\n")
    made.git("add", ".")
    made.git("commit", "--quiet", "--message", "Settings")
    return made


def orchestrate(project: StageProject, *words: str, **more: str) -> tuple[int, dict[str, Any], str]:
    done = project.run("orchestrate", "1", "--agent", "scripted", "--json", *words, **more)
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


@pytest.mark.full
def test_one_sentence_becomes_a_completed_documented_task(project: StageProject) -> None:
    project.new()
    project.follow([*workers("new.txt"), *planners("new.txt")])
    code, told, errors = orchestrate(project)
    assert (code, told.get("status")) == (0, "completed"), (told, errors)
    assert told["steps"] == ["research", "plan", "run"]
    assert [one["type"] for one in project.task(1)["artifacts"]] == ["report", "plan", "summary"]
    subjects = project.log()
    assert subjects[0] == "task 1: complete implementation"
    assert {"task 1: complete research", "task 1: create implementation plan"} <= set(subjects)
    assert (project.repo / "new.txt").read_text() == "written\n"
    assert project.git("status", "--short") == ""


@pytest.mark.soak
def test_a_run_that_is_blocked_is_researched_and_planned_anew_and_that_is_on_record(project: StageProject) -> None:
    project.new()
    project.follow([*workers("new.txt", is_able=False), *workers("docs.md"), *planners("new.txt", "docs.md")])
    code, told, errors = orchestrate(project, "--steps", "9")
    assert (code, told.get("status")) == (0, "completed"), (told, errors)
    again = "research, since it is blocked", "revise, since it is blocked"
    assert told["steps"][:6] == ["research", "plan", "run", *again, "run"]
    [escalated] = [one for one in project.task(1)["history"] if one["what"] == "escalated"]
    assert escalated["blocker"]
    assert any("is blocked" in prompt for prompt in project.prompts())
    assert project.task(1)["round"] == 2


@pytest.mark.soak
def test_a_call_has_a_budget_of_money_for_all_its_steps_together_and_the_same_call_goes_on(
    project: StageProject,
) -> None:
    project.new()
    dear = {"usage": {"tokens_in": 10, "tokens_out": 5, "cost": 0.04}}
    project.follow([one | dear for one in (*workers("new.txt"), *planners("new.txt"))])
    code, told, errors = orchestrate(project, "--budget", "0.05")
    assert (code, told.get("state")) == (1, "spent"), (told, errors)
    assert told["command"] == "planrail task orchestrate 1 --agent scripted --budget 0.05"
    assert "$" in told["text"]
    assert len(project.prompts()) == 2
    code, told, errors = orchestrate(project, "--budget", "0.05")
    assert (code, told.get("state")) == (1, "spent"), (told, errors)
    code, told, errors = orchestrate(project, "--budget", "1")
    assert (code, told.get("status")) == (0, "completed"), (told, errors)


@pytest.mark.full
def test_the_budget_of_a_call_is_one_purse_for_all_its_tasks(project: StageProject) -> None:
    """Each of those that are under way may go past it by its own last step."""
    for name in ("One", "Two", "Three", "Four"):
        project.new(name)
    dear = {"usage": {"tokens_in": 10, "tokens_out": 5, "cost": 0.04}}
    project.follow([one | dear for one in (*workers("new.txt"), *planners("new.txt"))])
    done = project.run("orchestrate", "1-4", "--agent", "scripted", "--budget", "0.05", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert {row["state"] for row in told["tasks"]} == {"spent"}
    assert told["command"] == "planrail task orchestrate 1,2,3,4 --agent scripted --budget 0.05"
    assert len(project.prompts()) == 2  # one step each of two at once
    assert project.git("status", "--short") == ""


@pytest.mark.full
@pytest.mark.parametrize(
    "point", [soak("stage.answered"), "stage.linked", soak("stage.committed:2"), soak("implement.1.begun")]
)
def test_killed_anywhere_the_same_call_goes_on(project: StageProject, point: str) -> None:
    project.new()
    project.follow([*workers("new.txt"), *planners("new.txt")])
    code, _, errors = orchestrate(project, PLANRAIL_CRASH_AT=point)
    assert code == -9, errors
    code, told, errors = orchestrate(project)
    assert (code, told.get("status")) == (0, "completed"), (told, errors)
    assert [one["type"] for one in project.task(1)["artifacts"]] == ["report", "plan", "summary"]


@pytest.mark.soak
def test_a_revision_that_a_person_began_and_that_was_interrupted_is_gone_on_with(project: StageProject) -> None:
    project.new()
    project.follow([*workers("docs.md"), *planners("new.txt", "docs.md")])
    assert orchestrate(project, "--steps", "2")[1]["status"] == "planned"
    killed = project.run("revise", "1", "elsewhere", "--agent", "scripted", PLANRAIL_CRASH_AT="stage.answered:1")
    assert killed.returncode == -9
    assert project.task(1)["status"] == "planning"
    code, told, errors = orchestrate(project)
    assert (code, told.get("status")) == (0, "completed"), (told, errors)
    assert told["steps"] == ["revise", "run"]
    assert project.folders() == ["plan-1-done-1", "research-1-done-1", "revise-1-done-1"]
    assert "task 1: revise plan (v2)" in project.log()
