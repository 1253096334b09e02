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
def test_a_task_with_open_phases_is_not_completed_whatever_is_said_of_them(planned: TaskStage) -> None:
    path = planned.root / planned.artifact(1, "plan")
    text = path.read_text()

    def refused(changed: str) -> str:
        path.write_text(changed)
        done = planned.here("complete", "1")
        assert done.returncode == 1
        assert (planned.status(1), planned.artifacts(1, "summary")) == ("planned", [])
        return done.stderr

    said = refused(text)
    assert "open phases: 2 Part two (todo)" in said
    assert "planrail task implement 1" in said
    head, mark, rest = text.partition("### Phase 2: Part two ")
    assert "proven by nobody" in refused(head + mark + rest.replace("[NOT STARTED]", "[COMPLETED]", 1))
    skipped = head + mark + rest.replace("[NOT STARTED]", "[SKIPPED]", 1)
    assert "2 Part two (skipped by a mark that nobody agreed to)" in refused(skipped)
    gone = head + "## " + rest.partition("\n## ")[2]
    assert "gone from the plan since it was agreed on" in refused(gone)


@pytest.mark.soak
def test_a_phase_that_was_left_out_when_the_plan_was_agreed_on_needs_no_proof(planned: TaskStage) -> None:
    path = planned.artifact(1, "plan")
    assert planned.type("set", path, "2", "skipped").returncode == 0
    planned.git("commit", "-qam", "phase 2 is not needed")
    assert planned.type("run", path, "finish", "auto").returncode == 0  # nothing of it is open: it is frozen so
    done = planned.task("complete", "1")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    assert planned.subjects()[-1] == "task 1: complete implementation"
    assert "Phase 2 (Part two): left out" in (planned.root / planned.artifact(1, "summary")).read_text()


@pytest.mark.full
def test_force_needs_a_reason_and_is_on_record_and_completing_twice_changes_nothing(planned: TaskStage) -> None:
    assert planned.here("complete", "1", "--force").returncode == 2
    done = planned.here("complete", "1", "--force", "--why", "the rest is not needed")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    text = (planned.root / planned.artifact(1, "summary")).read_text()
    assert "the rest is not needed" in text
    assert "Phase 2 Part two: todo" in text
    history = planned.show(1)["history"]
    assert isinstance(history, list)
    [happened] = [one for one in history if one["what"] == "complete"]
    assert (happened["forced"], happened["why"]) == (True, "the rest is not needed")
    before = planned.git("rev-parse", "HEAD")
    again = planned.here("complete", "1")
    assert (again.returncode, "since earlier" in again.stdout) == (0, True)
    assert planned.git("rev-parse", "HEAD") == before


def test_a_task_without_a_plan_is_completed_by_force_alone(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path)
    stage.new("Write the greeting")
    assert "has no plan" in stage.here("complete", "1").stderr
    assert stage.here("complete", "1", "--force", "--why", "done by hand").returncode == 0
    assert stage.status(1) == "completed"
    assert stage.here("validate-artifact", stage.artifact(1, "summary"), "summary").returncode == 0
