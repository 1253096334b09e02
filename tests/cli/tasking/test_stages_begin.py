"""What is settled before a stage begins, and between its questions: agents, numbers, the state of the task."""

import json
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.cli.options.stages import read_count, read_minutes
from planrail.tasks.model import Task
from planrail.tasks.stages.running import judge_task
from tests.tasks.stages.stage_project import StageProject


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    made = StageProject(tmp_path)
    made.new()
    return made


# ---- agents that are not there ----


def _install(project: StageProject, *names: str) -> str:
    """A PATH on which git and these agents are."""
    folder = project.base / "bin"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\nexit 1\n")
        (folder / name).chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_an_agent_that_is_not_installed_is_refused_before_anything_changes(project: StageProject) -> None:
    path = _install(project)
    before = project.git("status", "--short")
    done = project.run("research", "1", "look", "here", "--json", PATH=path)
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (11, "missing"), done.stderr
    assert "claude was not found on the PATH; nothing was begun" in told["text"]
    assert '[planning] agent = "codex" in planrail.toml' in told["text"]
    assert told["next"] == "planrail task research 1 --from FILE"
    project.new("Another")
    done = project.run("research", "1,2", "--json", PATH=path)
    assert done.returncode == 11, done.stderr
    assert [one["status"] for one in json.loads(done.stdout)["results"]] == ["missing", "missing"]
    done = project.run("research", "1", "look", "here", "--json", PATH=_install(project, "codex"))
    assert done.returncode == 11
    assert json.loads(done.stdout)["next"] == "planrail task research 1 'look here' --agent codex"
    assert [project.task(number)["status"] for number in (1, 2)] == ["not_started", "not_started"]
    assert project.folders() == []
    assert project.git("status", "--short") == before


@pytest.mark.soak
def test_a_critic_that_is_not_installed_is_refused_too_unless_nobody_criticises(project: StageProject) -> None:
    path = _install(project, "claude")
    code, told, _ = project.stage("plan", "1", "--critic", "codex", PATH=path)
    assert (code, told["next"]) == (11, "planrail task plan 1 --critic claude")
    assert project.task(1)["status"] == "not_started"
    code, _, errors = project.stage("plan", "1", "--critic", "codex", "--effort", "fast", PATH=path)
    assert code == 0, errors


# ---- numbers ----


@pytest.mark.parametrize("given", ["0", "-1", "abc", "nan", "inf", ""])
def test_a_time_that_is_none_is_answered_with_what_to_type(given: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_minutes(given)
    assert caught.value.remedy == "--timeout 30"


@pytest.mark.parametrize("given", ["0", "abc", "1.5", "9", "9" * 5000, "²"])
def test_a_count_outside_of_its_limits_is_answered_with_what_to_type(given: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 8") as caught:
        read_count("--jobs", given, 2, 8)
    assert caught.value.remedy == "--jobs 2"


def test_numbers_that_are_not_said_have_their_defaults() -> None:
    assert (read_minutes(None), read_minutes("0.5"), read_count("--jobs", None, 2, 8)) == (0.0, 0.5, 2)


# ---- between two questions ----


@pytest.mark.parametrize(
    ("status", "text", "command"),
    [
        ("abandoned", "is ABANDONED by now", "planrail task reopen 7 --force"),
        ("blocked", "is BLOCKED by now (no key)", "planrail task reopen 7"),
    ],
)
def test_a_task_that_somebody_has_closed_or_blocked_is_asked_about_no_more(
    status: str, text: str, command: str
) -> None:
    task = Task(7, "t", "T", status=status, id="a", why="no key" if status == "blocked" else "")
    halted = judge_task(task, 7, "a", "planning")
    assert halted is not None
    assert (halted.text, halted.command) == (text, command)


def test_an_archived_task_is_asked_about_no_more_and_an_open_one_is() -> None:
    halted = judge_task(None, 7, "a", "planning")
    assert halted is not None
    assert halted.command == "planrail task recover 7"
    assert judge_task(Task(7, "t", "T", status="planning", id="b"), 7, "a", "planning") is not None
    assert judge_task(Task(7, "t", "T", status="planning", id="a"), 7, "a", "planning") is None
    assert judge_task(Task(7, "t", "T", status="abandoned", id="a"), 7, "a", "abandoned") is None  # as it began


# ---- answers that were tampered with ----


@pytest.mark.full
def test_an_answer_that_is_not_in_its_schema_counts_as_not_given(project: StageProject) -> None:
    project.run("research", "1", "--team", "3", "--agent", "scripted", PLANRAIL_CRASH_AT="stage.answered:3")
    answers = project.stage_folder("research-1") / "answers"
    (answers / "research-1.json").write_text('{"answer": {"title": 7, "findings": "x"}}')
    (answers / "research-2.json").write_text('{"answer": [], "agent": {}}')
    (answers / "revise-x.json").write_text('{"answer": {}}')
    code, told, errors = project.stage("research", "1")
    assert (code, told["status"]) == (0, "done"), errors
    assert "All sides" in (project.repo / told["artifact"]).read_text()


@pytest.mark.full
def test_a_planning_that_cannot_be_read_begins_anew(project: StageProject) -> None:
    (project.repo / "planrail.toml").write_text("[approval]\nrequired = false\n")
    project.git("add", "planrail.toml")
    project.git("commit", "--quiet", "--message", "Settings")
    project.run("plan", "1", "--agent", "scripted", PLANRAIL_CRASH_AT="stage.answered:1")
    (project.stage_folder("plan-1") / "plannings" / "plan" / "planning.json").write_text(
        '{"version": 1, "progress": 7}'
    )
    code, told, errors = project.stage("plan", "1")
    assert (code, told["status"]) == (0, "done"), errors
    assert told["next"] == "planrail task implement 1"  # no approval is asked for here
    assert len(project.task(1)["phases"]) == 2
