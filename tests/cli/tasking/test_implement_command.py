"""`planrail task implement`: the task's own plan by planrail's own run, and a task that is completed once."""

import json
import signal
from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

COMPLETE = "task 1: complete implementation"


@pytest.fixture
def stage(tmp_path: Path) -> TaskStage:
    return TaskStage(tmp_path)


@pytest.fixture
def planned(stage: TaskStage) -> TaskStage:
    """A task with a plan of two phases."""
    stage.new("Write the greeting")
    stage.plan(1, "one", "two")
    return stage


def assert_completed_once(stage: TaskStage, status: str = "") -> None:
    assert stage.status(1) == "completed"
    assert stage.landed() == ["1", "2"]
    assert stage.subjects().count(COMPLETE) == 1
    [summary] = stage.artifacts(1, "summary")
    folder = (stage.root / summary).parent
    assert [path.name for path in folder.iterdir()] == [Path(summary).name]
    assert stage.git("status", "--porcelain") == status


@pytest.mark.full
def test_a_plan_is_run_landed_summarised_and_the_task_completed(planned: TaskStage) -> None:
    planned.write("specs/ROADMAP.md", "# Roadmap\n\n- [ ] Greet people (Task 1)\n- [ ] Something else\n")
    planned.commit("a roadmap")
    planned.write("README.md", "changed by a person\n")
    planned.write("staged.txt", "staged by a person\n")
    planned.git("add", "staged.txt")
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert_completed_once(planned, " M README.md\nA  staged.txt\n")
    assert planned.count_starts() == ["one", "two"]
    assert done.stdout.count("next: ") == 1
    assert planned.subjects()[-1] == COMPLETE
    assert planned.git("log", "-1", "--format=%b").startswith("Session: sess_")
    assert "[COMPLETED]" in (planned.root / planned.artifact(1, "plan")).read_text()
    roadmap = planned.git("show", "HEAD:specs/ROADMAP.md")
    assert "- [x] Greet people" in roadmap
    assert "- [ ] Something else" in roadmap
    _assert_the_summary_names_what_was_done(planned)


def _assert_the_summary_names_what_was_done(stage: TaskStage) -> None:
    path = stage.artifact(1, "summary")
    text = (stage.root / path).read_text()
    commit = stage.git("log", "--format=%H", "--grep=Phase 1: Part one").strip()
    named = {"one.txt", "two.txt", "grep -qx one one.txt", commit, "Part two"}
    assert named == {part for part in named if part in text}
    assert stage.here("validate-artifact", path, "summary").returncode == 0
    assert "2 phases done" in str(stage.entry(1)["completion_summary"])


@pytest.mark.soak
def test_where_nothing_is_to_be_committed_nothing_is_but_what_lands(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, settings="[approval]\nrequired = false\n\n[tasks]\ncommit = false\n")
    stage.new("Write the greeting")
    stage.plan(1, "one")
    done = stage.task("implement", "1", "--json")
    told = json.loads(done.stdout)
    assert (told["task"], told["status"], told["state"]) == (1, "completed", "complete")
    assert told["summary"] == stage.artifact(1, "summary")
    assert done.stderr == ""
    assert not [subject for subject in stage.subjects() if subject.startswith("task ")]
    assert stage.task("implement", "1").returncode == 1
    assert (stage.root / stage.artifact(1, "summary")).exists()


@pytest.mark.soak
def test_work_that_waits_lands_by_the_same_command_and_a_completed_task_is_closed_until_a_person_insists(
    planned: TaskStage,
) -> None:
    folder = planned.artifact(1, "plan").rpartition("/plans/")[0]
    planned.write(f"{folder}/summaries/01_write-greeting.md", "my own words\n")
    planned.write("one.txt", "mine\n")
    waits = planned.task("implement", "1")
    assert (waits.returncode, "next: planrail task implement 1" in waits.stdout) == (1, True), waits.stdout
    assert planned.status(1) == "partial"
    (planned.root / "one.txt").unlink()
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    assert (planned.root / f"{folder}/summaries/01_write-greeting.md").read_text() == "my own words\n"
    assert planned.artifact(1, "summary") != f"{folder}/summaries/01_write-greeting.md"
    again = planned.task("implement", "1")
    assert (again.returncode, "it is COMPLETED" in again.stderr, "--force" in again.stderr) == (1, True, True)
    assert planned.task("implement", "1", "--force").returncode == 0
    assert planned.count_starts() == ["one", "two"]
    history = planned.show(1)["history"]
    assert isinstance(history, list)
    assert [one.get("forced") for one in history if one["what"] == "reopen"] == [True]


def test_a_task_without_a_plan_and_an_unapproved_plan_are_refused_and_the_state_stays(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, settings="")
    stage.new("Write the greeting")
    done = stage.here("implement", "1")
    assert (done.returncode, "planrail task plan 1" in done.stderr) == (1, True)
    assert stage.status(1) == "not_started"
    path = stage.plan(1, "one")
    done = stage.here("implement", "1")
    assert (done.returncode, f"planrail approve {path}" in done.stderr) == (1, True), done.stderr
    assert (stage.status(1), stage.count_starts()) == ("planned", [])


@pytest.mark.soak
@pytest.mark.parametrize("point", [soak("implement.1.begun"), "land.1.done", soak("end.recorded")])
def test_a_run_that_was_killed_is_gone_on_with(planned: TaskStage, point: str) -> None:
    assert planned.task("implement", "1", PLANRAIL_CRASH_AT=point).returncode == -9
    assert planned.status(1) == "implementing"
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert_completed_once(planned)
    assert planned.count_starts() == ["one", "two"]


@pytest.mark.full
@pytest.mark.parametrize(
    "points",
    [
        ["task.run_ended", "task.summary_written", "task.completed"],
        *map(soak, (["task.run_ended"], ["task.summary_written"], ["task.completed"], ["task.in_step"])),
    ],
)
def test_killed_between_landing_and_completion_the_next_call_completes_with_one_summary(
    planned: TaskStage, points: list[str]
) -> None:
    for point in points:
        assert planned.task("implement", "1", PLANRAIL_CRASH_AT=point).returncode == -9, point
        assert COMPLETE not in planned.subjects()
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert_completed_once(planned)
    assert planned.count_starts() == ["one", "two"]


@pytest.mark.soak
def test_a_plan_that_was_finished_in_a_session_is_only_completed(planned: TaskStage) -> None:
    path = planned.artifact(1, "plan")
    for number, name in (("1", "one"), ("2", "two")):
        planned.write(f"{name}.txt", f"{name}\n")
        done = planned.type("done", path, number, "--commit", f"{name}.txt")
        assert done.returncode == 0, done.stderr
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert_completed_once(planned)
    assert planned.count_starts() == []
    assert planned.type("list", "runs", "--json").stdout.count('"run"') == 0
    assert "in a session" in (planned.root / planned.artifact(1, "summary")).read_text()


@pytest.mark.full
def test_a_phase_that_fails_leaves_the_task_done_in_part_and_says_where_it_goes_on(stage: TaskStage) -> None:
    stage.new("Write the greeting")
    gate = stage.place / "gate"
    stage.plan(1, "one", "two", check_two=f"test -e '{gate}' -a -e two.txt")
    failed = stage.task("implement", "1")
    assert failed.returncode == 1
    assert (stage.status(1), stage.entry(1)["resume_phase"]) == ("partial", "2")
    assert stage.git("status", "--porcelain") == ""
    assert stage.subjects()[-1] == "task 1: partial"
    assert "planrail" in failed.stdout.partition("next: ")[2]
    gate.touch()
    done = stage.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert_completed_once(stage)
    assert not stage.entry(1).get("resume_phase")


@pytest.mark.soak
def test_in_other_hands_it_is_left_alone_and_interrupted_it_rests_until_the_same_command_takes_its_agent_over(
    stage: TaskStage,
) -> None:
    stage.new("Write the greeting")
    begun, gate = stage.place / "begun", stage.place / "gate"
    stage.plan(1, "one", "two", before_one=f"touch '{begun}'; while [ ! -e '{gate}' ]; do sleep 0.05; done")
    process = stage.start("task", "implement", "1", "--parallel", "1")
    while not begun.exists():
        assert process.poll() is None
    second = stage.task("implement", "1")
    assert (second.returncode, "is held by" in second.stderr) == (10, True)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out.rstrip().endswith("next: planrail task implement 1 --parallel 1")) == (130, True)
    assert "planrail resume" not in out + err
    assert f"goes on; to end it: planrail stop {stage.artifact(1, 'plan')}" in out
    assert stage.status(1) == "partial"
    assert stage.git("status", "--porcelain") == ""
    gate.touch()
    assert stage.task("implement", "1").returncode == 0
    assert_completed_once(stage)
    assert stage.count_starts() == ["one", "two"]


@pytest.mark.soak
def test_several_tasks_are_implemented_side_by_side(planned: TaskStage) -> None:
    planned.new("Write the farewell")
    planned.plan(2, "three")
    done = planned.task("implement", "1,2")
    assert done.returncode == 0, done.stderr
    assert (planned.status(1), planned.status(2)) == ("completed", "completed")
    assert "2 of 2 tasks completed" in done.stdout
