"""`planrail task complete`: closed by proof, else not at all, else by force and on record."""

from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage


@pytest.fixture
def planned(tmp_path: Path) -> TaskStage:
    """A task with a plan of two phases, the first of which has landed."""
    stage = TaskStage(tmp_path)
    stage.new("Write the greeting")
    path = stage.plan(1, "one", "two")
    assert stage.type("run", path, "1", "auto").returncode == 0
    return stage


@pytest.mark.full
def test_a_task_with_open_phases_is_not_completed_and_they_are_named(planned: TaskStage) -> None:
    done = planned.task("complete", "1")
    assert done.returncode == 1
    assert "open phases: 2 Part two (todo)" in done.stderr
    assert "planrail task implement 1" in done.stderr
    assert planned.status(1) == "planned"
    assert planned.artifacts(1, "summary") == []


@pytest.mark.full
def test_a_phase_that_is_only_claimed_to_be_done_is_open(planned: TaskStage) -> None:
    planned.type("set", planned.artifact(1, "plan"), "2", "done")
    done = planned.task("complete", "1")
    assert (done.returncode, "proven by nobody" in done.stderr) == (1, True)


@pytest.mark.full
def test_a_phase_that_was_left_out_when_the_plan_was_agreed_on_needs_no_proof(planned: TaskStage) -> None:
    path = planned.artifact(1, "plan")
    assert planned.type("set", path, "2", "skipped").returncode == 0
    planned.git("commit", "-qam", "phase 2 is not needed")
    assert planned.type("run", path, "finish", "auto").returncode == 0  # nothing of it is open: it is frozen so
    done = planned.task("complete", "1")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    assert "Phase 2 (Part two): left out" in (planned.root / planned.artifact(1, "summary")).read_text()


@pytest.mark.full
def test_a_mark_that_was_typed_afterwards_leaves_nothing_out(planned: TaskStage) -> None:
    assert planned.type("set", planned.artifact(1, "plan"), "2", "skipped").returncode == 0
    done = planned.task("complete", "1")
    assert done.returncode == 1
    assert "2 Part two (skipped by a mark that nobody agreed to)" in done.stderr
    assert planned.status(1) != "completed"


@pytest.mark.full
def test_a_phase_that_was_deleted_afterwards_is_open(planned: TaskStage) -> None:
    path = planned.root / planned.artifact(1, "plan")
    head, _, rest = path.read_text().partition("### Phase 2")
    path.write_text(head + "## " + rest.partition("\n## ")[2])
    done = planned.task("complete", "1")
    assert done.returncode == 1
    assert "gone from the plan since it was agreed on" in done.stderr


@pytest.mark.full
def test_what_all_phases_prove_is_completed_without_a_run(planned: TaskStage) -> None:
    assert planned.type("run", planned.artifact(1, "plan"), "2", "auto").returncode == 0
    done = planned.task("complete", "1")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    assert planned.subjects()[-1] == "task 1: complete implementation"


@pytest.mark.full
def test_force_needs_a_reason_and_is_on_record(planned: TaskStage) -> None:
    assert planned.task("complete", "1", "--force").returncode == 2
    done = planned.task("complete", "1", "--force", "--why", "the rest is not needed")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    text = (planned.root / planned.artifact(1, "summary")).read_text()
    assert "the rest is not needed" in text
    assert "Phase 2 Part two: todo" in text
    history = planned.show(1)["history"]
    assert isinstance(history, list)
    [happened] = [one for one in history if one["what"] == "complete"]
    assert (happened["forced"], happened["why"]) == (True, "the rest is not needed")


def test_a_task_without_a_plan_is_completed_by_force_alone(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path)
    stage.new("Write the greeting")
    assert "has no plan" in stage.task("complete", "1").stderr
    assert stage.task("complete", "1", "--force", "--why", "done by hand").returncode == 0
    assert stage.status(1) == "completed"
    assert stage.task("validate-artifact", stage.artifact(1, "summary"), "summary").returncode == 0


@pytest.mark.soak
def test_completing_twice_changes_nothing(planned: TaskStage) -> None:
    planned.task("complete", "1", "--force", "--why", "enough")
    before = planned.git("rev-parse", "HEAD")
    again = planned.task("complete", "1")
    assert (again.returncode, "since earlier" in again.stdout) == (0, True)
    assert planned.git("rev-parse", "HEAD") == before
