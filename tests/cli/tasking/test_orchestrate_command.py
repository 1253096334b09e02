"""`planrail task orchestrate`: to the end without a person, but for their yes; several tasks in waves."""

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.tasking.task_stage import TaskStage
from tests.support.patience import PATIENCE

APPROVE = """
import sys, time
from planrail.approval.model import TERMINAL
from planrail.approval.book import open_plan_file, read_book
from planrail.approval.records import make_approval, record_answer
plan_file = open_plan_file(sys.argv[1])
said = make_approval(plan_file, who="me", at=int(time.time()), strength=TERMINAL)
record_answer(plan_file, said, read_book(plan_file.root, plan_file.id).seen)
"""


@pytest.fixture
def stage(tmp_path: Path) -> TaskStage:
    return TaskStage(tmp_path)


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + PATIENCE
    while not path.exists():
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.full
def test_a_planned_task_is_brought_to_its_end_without_a_person_and_then_left_as_it_is(stage: TaskStage) -> None:
    stage.new("Write the greeting")
    stage.plan(1, "one", "two")
    done = stage.task("orchestrate", "1")
    assert done.returncode == 0, done.stderr
    assert stage.status(1) == "completed"
    assert stage.landed() == ["1", "2"]
    assert stage.subjects()[-1] == "task 1: complete implementation"
    assert stage.git("status", "--porcelain") == ""
    assert done.stdout.count("next: ") == 1
    assert "task 1: run (1 of 5 steps)" in done.stderr
    before = stage.git("rev-parse", "HEAD")
    again = stage.here("orchestrate", "1", "--json")
    assert (again.returncode, json.loads(again.stdout)["steps"], again.stderr) == (0, [], "")
    assert stage.git("rev-parse", "HEAD") == before
    assert stage.git("status", "--porcelain") == ""


@pytest.mark.soak
def test_where_approval_is_asked_for_it_rests_and_goes_on_after_the_yes(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, settings="")
    stage.new("Write the greeting")
    path = stage.plan(1, "one")
    rests = stage.here("orchestrate", "1")
    assert rests.returncode == 0, rests.stderr
    assert "waits for your approval" in rests.stdout
    assert rests.stdout.rstrip().endswith(f"next: planrail approve {path}")
    assert (stage.status(1), stage.count_starts()) == ("planned", [])
    assert stage.git("status", "--porcelain") == ""
    command = [sys.executable, "-c", APPROVE, path]  # what a person's approval leaves on record
    subprocess.run(command, cwd=stage.root, env=stage.environment, check=True, timeout=PATIENCE)
    done = stage.task("orchestrate", "1", "--json")
    told = json.loads(done.stdout)
    assert (told["task"], told["status"], told["state"], told["steps"]) == (1, "completed", "ok", ["run"])
    assert (stage.status(1), stage.count_starts(), done.stderr) == ("completed", ["one"], "")


def test_all_that_is_open_before_a_task_is_named_and_typing_that_begins(stage: TaskStage) -> None:
    stage.new("First")
    for title, before in (("Second", "1"), ("Third", "1"), ("Fourth", "2,3")):
        stage.new(title, "--depends", before)
    stage.plan(4, "four")
    single = stage.here("orchestrate", "4", "--steps", "1")
    assert (single.returncode, "task 4 waits for tasks 2, 3" in single.stdout) == (1, True)
    assert single.stdout.rstrip().endswith("next: planrail task orchestrate 1,2,3,4 --steps 1")
    assert stage.status(4) == "planned"
    several = stage.here("orchestrate", "2-4", "--steps", "1")
    assert several.returncode == 1
    assert several.stdout.rstrip().endswith("next: planrail task orchestrate 1,2,3,4 --steps 1")
    assert stage.status(2) == "not_started"
    assert stage.here("waves", "2-4").stdout.rstrip().endswith("next: planrail task orchestrate 1,2,3,4")
    assert "planrail task orchestrate 1,2,3,4" in stage.here("implement", "4").stderr


@pytest.mark.full
def test_where_nobody_can_be_asked_a_failed_run_is_not_escalated_and_its_failure_is_told(tmp_path: Path) -> None:
    stage = TaskStage(tmp_path, settings='[approval]\nrequired = false\n\n[planning]\nagent = "codex"\n')
    stage.new("Write the greeting")
    path = stage.plan(1, "one", check_one="test -e nothing")
    tools = stage.place / "tools"
    tools.mkdir()
    for name in ("git", "sh", "touch", "grep"):
        (tools / name).symlink_to(str(shutil.which(name)))
    done = stage.task("orchestrate", "1", PATH=str(tools))
    assert (done.returncode, stage.status(1)) == (1, "partial"), done.stdout + done.stderr
    assert "test -e nothing" in done.stdout
    assert "codex was not found on the PATH" in done.stdout
    assert done.stdout.rstrip().endswith(f"next: planrail report {path}")
    assert stage.git("status", "--porcelain") == ""
    assert stage.subjects()[-1] == "task 1: partial"


# ---- several ----


@pytest.fixture
def several(stage: TaskStage) -> TaskStage:
    """2 depends on 1, 4 on 3."""
    stage.new("First")
    stage.new("Second", "--depends", "1")
    stage.new("Third")
    stage.new("Fourth", "--depends", "3")
    return stage


@pytest.mark.soak
def test_tasks_are_done_in_waves_and_a_failure_holds_back_only_those_that_depend_on_it(several: TaskStage) -> None:
    several.plan(1, "one", check_one="false")
    several.plan(2, "two")
    several.plan(3, "three")
    several.plan(4, "four")
    done = several.task("orchestrate", "1-4", "--steps", "1", "--json")
    told = json.loads(done.stdout)
    states = {row["task"]: row["state"] for row in told["tasks"]}
    assert done.returncode == 1
    assert told["waves"] == [[1, 3], [2, 4]]
    assert states == {1: "spent", 2: "held_back", 3: "ok", 4: "ok"}
    assert [several.status(number) for number in (1, 2, 3, 4)] == ["partial", "planned", "completed", "completed"]
    starts = several.count_starts()
    assert "two" not in starts
    assert starts.index("three") < starts.index("four")


@pytest.mark.soak
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_the_tasks_rest_and_the_same_call_goes_on(several: TaskStage, number: signal.Signals) -> None:
    """What the agents were at goes on, and is taken over: nobody begins anew."""
    gate = several.place / "gate"
    wait = f"touch '{several.place}/begun'; while [ ! -e '{gate}' ]; do sleep 0.05; done"
    several.plan(1, "one", before_one=wait)
    several.plan(2, "two")
    several.plan(3, "three")
    process = several.start("task", "orchestrate", "1-3", "--steps", "2")
    wait_for(several.place / "begun", process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out.count("next: ") == 1
    assert out.rstrip().endswith("next: planrail task orchestrate 1,2,3 --steps 2")
    assert f"goes on; to end it: planrail stop {several.artifact(1, 'plan')}" in out
    assert several.status(1) == "partial"
    assert several.git("status", "--porcelain") == ""
    gate.touch()
    done = several.task("orchestrate", "1-3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(several.count_starts()) == ["one", "three", "two"]


@pytest.mark.soak
def test_killed_outright_its_parts_go_on_to_their_end(several: TaskStage) -> None:
    gate = several.place / "gate"
    several.plan(1, "one", before_one=f"touch '{several.place}/begun'; while [ ! -e '{gate}' ]; do sleep 0.05; done")
    several.plan(3, "three")
    process = several.start("task", "orchestrate", "1,3")
    wait_for(several.place / "begun", process)
    process.kill()
    process.communicate()
    gate.touch()
    deadline = time.monotonic() + PATIENCE
    while {several.status(1), several.status(3)} != {"completed"}:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert several.task("orchestrate", "1,3").returncode == 0
    assert sorted(several.count_starts()) == ["one", "three"]
