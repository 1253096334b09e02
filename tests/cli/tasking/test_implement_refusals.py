"""What keeps a task from being implemented or completed is found out in time, and there is always a way out."""

import json
import time
from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage
from tests.support.patience import PATIENCE


@pytest.fixture
def stage(tmp_path: Path) -> TaskStage:
    return TaskStage(tmp_path)


@pytest.fixture
def planned(stage: TaskStage) -> TaskStage:
    """A task with a plan of two phases."""
    stage.new("Write the greeting")
    stage.plan(1, "one", "two")
    return stage


def edit(stage: TaskStage, before: str = "echo one > one.txt", after: str = "echo one > ./one.txt") -> str:
    """Change the plan of task 1 in the working copy; its path."""
    path = stage.artifact(1, "plan")
    text = (stage.root / path).read_text()
    assert before in text
    (stage.root / path).write_text(text.replace(before, after))
    return path


@pytest.mark.full
def test_a_phase_that_the_runbook_agent_cannot_do_is_refused_before_anything_is_on_record(stage: TaskStage) -> None:
    stage.new("Write the greeting")
    path = stage.root / stage.plan(1, "one", "two")
    head, mark, rest = path.read_text().partition("### Phase 2")
    path.write_text(head + mark + rest.replace("```sh run", "```sh"))
    stage.commit("prose")
    done = stage.task("implement", "1", "--verifier", "codex", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (1, "refused")
    assert told["next"] == "planrail task implement 1 --verifier codex --agent claude"
    assert "phase 2 has no `sh run` block" in told["error"]
    assert "[run] agent" in told["error"]
    assert (stage.status(1), stage.count_starts()) == ("planned", [])


@pytest.mark.full
def test_an_edit_of_the_plan_that_is_not_committed_keeps_it_from_completion_and_there_are_two_ways_out(
    planned: TaskStage,
) -> None:
    path = edit(planned)
    refused = planned.here("implement", "1")
    assert (refused.returncode, "edits that are not committed" in refused.stderr) == (1, True), refused.stderr
    assert "planrail task implement 1 --as-committed" in refused.stderr
    assert planned.count_starts() == []
    done = planned.task("implement", "1", "--as-committed", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["state"]) == (1, "partial", "changed")
    assert told["text"] == f"task 1 is not completed: {path} was changed since it was run"
    for command in ("complete", "implement"):
        again = planned.here(command, "1")
        assert again.returncode == 1
        assert f"{path} was changed since it was run" in again.stderr
        assert f"git checkout HEAD -- {path}" in again.stderr
        assert f"git commit -m 'Edit the plan' -- {path}" in again.stderr
    planned.git("checkout", "HEAD", "--", path)
    done = planned.task("complete", "1")
    assert done.returncode == 0, done.stderr
    assert planned.count_starts() == ["one", "two"]


@pytest.mark.soak
def test_an_edit_that_is_committed_is_run(planned: TaskStage) -> None:
    edit(planned, "grep -qx one one.txt", "grep -qx more more.txt")
    path = edit(planned, "echo one > one.txt", "echo one > one.txt; echo more > more.txt")
    assert planned.task("implement", "1", "--as-committed").returncode == 1
    planned.git("commit", "-m", "Edit the plan", "--", path)
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert planned.status(1) == "completed"
    assert planned.count_starts() == ["one", "two", "one"]


@pytest.mark.soak
def test_a_plan_that_is_swapped_during_the_run_leaves_no_task_that_nobody_works_on(stage: TaskStage) -> None:
    stage.new("Write the greeting")
    begun, gate = stage.place / "begun", stage.place / "gate"
    path = stage.plan(1, "one", before_one=f"touch '{begun}'; while [ ! -e '{gate}' ]; do sleep 0.05; done")
    process = stage.start("task", "implement", "1")
    while not begun.exists():
        assert process.poll() is None
        time.sleep(0.02)
    other = path.replace("01_", "02_")
    stage.write(other, (stage.root / path).read_text().replace("one", "three"))
    assert stage.task("link-artifact", "1", "plan", other).returncode == 0
    gate.touch()
    out, _ = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stage.status(1)) == (1, "partial"), out
    assert "has another plan since" in out


@pytest.mark.soak
def test_work_that_later_commits_undid_completes_nothing_until_it_is_done_again(planned: TaskStage) -> None:
    path = planned.artifact(1, "plan")
    assert planned.type("run", path, "finish", "auto").returncode == 0
    planned.git("rm", "--quiet", "two.txt")
    planned.git("commit", "--quiet", "--message", "undo")
    for command in ("complete", "implement"):
        done = planned.here(command, "1")
        assert done.returncode == 1
        assert "phase 2 has landed, and does not hold any more: later commits changed two.txt" in done.stderr
        assert f"planrail run {path} 2 auto --again" in done.stderr
    assert planned.status(1) != "completed"
    again = planned.type("run", path, "2", "auto", "--again")
    assert again.returncode == 0, again.stderr
    planned.write("two.txt", "two\nand more\n")
    planned.commit("more")  # with which its checks pass all the same
    done = planned.here("complete", "1")
    assert done.returncode == 0, done.stderr


@pytest.mark.soak
def test_a_roadmap_that_leads_out_of_the_project_is_complained_of_and_ends_nothing(planned: TaskStage) -> None:
    (planned.place / "outside.md").write_text("# Roadmap\n\n- [ ] Greet people (Task 1)\n")
    (planned.root / "ROADMAP.md").symlink_to(planned.place / "outside.md")
    planned.commit("a link")
    done = planned.task("implement", "1")
    assert done.returncode == 0, done.stderr
    assert "ROADMAP.md leads out of the project" in done.stderr
    assert "[ ]" in (planned.place / "outside.md").read_text()
    assert planned.git("status", "--porcelain") == ""
    assert planned.subjects()[-1] == "task 1: complete implementation"
