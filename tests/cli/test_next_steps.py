"""What planrail tells people to type works as it stands, wherever they are; and what it accepted it does."""

import contextlib
import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_run_command import PHASE, Project, two_phases
from tests.support.patience import PATIENCE

UNCHECKED = "\n## Phase {0} — Part {0}\n\n- [ ] write {0}.txt\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


def advice(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """The words behind `planrail` of what a command names next."""
    told = (done.stdout + done.stderr).replace("  → ", "next: ").rpartition("next: ")[2].splitlines()[0]
    return shlex.split(told.partition(", ")[0])[1:]


def settle(project: Project, command: str) -> None:
    project.write("planrail.toml", f'[approval]\nrequired = false\n[run]\ncommand = "{command}"\n')


@contextlib.contextmanager
def working(project: Project) -> "Iterator[tuple[subprocess.Popen[bytes], Path]]":
    """A run whose agent is at work on phase 1 until the file is there."""
    begun, go = project.root.parent / "begun", project.root.parent / "go"
    slow = f"touch {begun}; while [ ! -e {go} ]; do sleep 0.1; done; echo 1 >"
    project.plan(two_phases().replace("echo 1 >", slow))
    project.let_agents_out()
    command = [sys.executable, "-m", "planrail", "run", "PLAN.md", "1", "--json"]
    process = subprocess.Popen(command, cwd=project.root, env=project.environment, stdin=subprocess.DEVNULL)
    try:
        while not begun.exists():
            assert process.poll() is None
            time.sleep(0.1)
        yield process, go
    finally:
        go.touch()
        process.wait(PATIENCE)


@pytest.mark.full
def test_an_order_that_was_submitted_outlives_a_run_in_the_foreground(project: Project) -> None:
    project.plan(two_phases() + PHASE.format(3))
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    assert project.type("run", "PLAN.md", "1").returncode == 0
    assert "PLAN.md" in project.type("queue").stdout
    assert project.type("worker", "--once").returncode == 0
    assert sorted(project.landed()) == ["1", "2", "3"]


@pytest.mark.full
def test_what_the_order_of_a_submission_leaves_of_it_is_done_in_its_next_turn(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "1", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    project.type("worker", "--once")
    assert sorted(project.landed()) == ["1", "2"]


@pytest.mark.full
def test_an_order_that_a_worker_tried_while_another_run_waited_for_its_person_is_served_afterwards(
    project: Project,
) -> None:
    project.plan(two_phases())
    assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
    project.write("1.txt", "mine\n")
    assert project.type("run", "PLAN.md", "1").stdout.startswith("waiting: ")
    assert "waits for its person" in project.type("worker", "--once").stderr
    (project.root / "1.txt").unlink()
    assert project.type("resume", "PLAN.md").returncode == 0
    assert "PLAN.md" in project.type("queue").stdout
    assert project.landed() == ["1"]


def test_a_call_that_needs_another_verifier_keeps_its_other_options(project: Project) -> None:
    settle(project, "touch 1.txt")
    project.plan(UNCHECKED.format(1))
    asked = ("auto", "--agent", "command", "--budget", "money=5")
    refused = project.type("run", "PLAN.md", "1", *asked, "--verifier", "runbook")
    assert advice(refused) == ["run", "PLAN.md", "1", *asked, "--verifier", "command"], refused.stdout


@pytest.mark.full
def test_a_verifier_that_cannot_answer_leads_out_of_its_run(project: Project) -> None:
    settle(project, "touch 1.txt")
    project.plan(PHASE.format(1).replace("grep -q 1 1.txt", "test -e 1.txt"))
    first = project.type("run", "PLAN.md", "1", "auto", "--agent", "command")
    assert advice(first) == ["resume", "PLAN.md"], first.stdout + first.stderr
    second = project.type("resume", "PLAN.md")
    way_out = second.stdout.rpartition("next: ")[2].strip()
    assert "--agent command" in way_out, second.stdout
    for call in way_out.split(" && "):
        done = project.type(*shlex.split(call)[1:])
        assert done.returncode == 0, done.stdout + done.stderr
    assert project.landed() == ["1"]


@pytest.mark.full
@pytest.mark.parametrize("crash", ["", "implement.1.begun"])
def test_a_repository_that_was_moved_names_its_plans_where_they_are(project: Project, crash: str) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT=crash)
    moved = project.root.with_name("moved")
    shutil.move(project.root, moved)
    project.root = moved
    for command in (("list", "runs"), ("status",)):
        told = project.type(*command)
        assert advice(told)[1] == "PLAN.md", told.stdout
    assert project.type(*advice(project.type("list", "runs"))).returncode == 0


def test_a_copy_of_a_repository_names_its_own_plans_also_from_outside(project: Project) -> None:
    project.plan(two_phases())
    project.type("run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    shutil.copytree(project.root, project.root.with_name("copy"), symlinks=True)
    (project.root.with_name("outside")).mkdir()
    project.root = project.root.with_name("outside")
    for command in ("status", "report", "next"):
        assert advice(project.ask(command, "../copy/PLAN.md")) == ["stop", "../copy/PLAN.md"], command
        assert advice(project.ask(command, "../project/PLAN.md")) == ["resume", "../project/PLAN.md"], command


def test_a_plan_with_landed_phases_is_a_draft_in_no_list(project: Project) -> None:
    """What `status` says of it is what the lists say."""
    project.plan(two_phases())
    (project.root / "plans").mkdir()
    project.plan(two_phases(), "plans/other.md")
    stages = []
    for _ in range(2):
        project.type("run", "PLAN.md", "auto")
        status = json.loads(project.ask("status", "PLAN.md", "--json").stdout)
        for command in (("list", "plans"), ("list",), ("plans",)):
            found = {plan["name"]: plan for plan in json.loads(project.ask(*command, "--json").stdout)["plans"]}
            stages.append(found["PLAN"]["stage"])
            assert found["PLAN"]["stage"] == status["status"]
            assert found["PLAN"]["progress"] == status["progress"]
            assert found["other"]["stage"] == "draft"
        assert json.loads(project.ask("plans", "show", "PLAN", "--json").stdout)["stage"] == status["status"]
    assert stages == ["in_progress"] * 3 + ["complete"] * 3
    assert "complete" in project.ask("list", "plans").stdout


@pytest.mark.parametrize(
    ("words", "again"),
    [(("finish", "auto"), ("finish", "auto")), (("--budget", "money=5"), ("1", "--budget", "money=5"))],
)
def test_what_follows_a_failed_phase_changes_something(
    project: Project, words: tuple[str, ...], again: tuple[str, ...]
) -> None:
    """No command leads to another look: who follows them would walk in a circle."""
    project.plan(PHASE.format(1).replace("grep -q 1", "grep -q 2"))
    assert advice(project.type("run", "PLAN.md", *words)) == ["run", "PLAN.md", *again]
    assert advice(project.ask("list", "runs")) == ["report", "PLAN.md"]
    for command in ("status", "report", "next"):
        assert advice(project.ask(command, "PLAN.md")) == ["run", "PLAN.md", *again], command
    project.plan(PHASE.format(1))
    done = project.type(*advice(project.ask("report", "PLAN.md")))
    assert (done.returncode, project.landed()) == (0, ["1"]), done.stderr


@pytest.mark.full
def test_while_a_run_lives_every_other_one_is_told_so_and_what_was_submitted_stays(project: Project) -> None:
    with working(project) as (live, go):
        for words in (("1",), ("2",), ("finish", "auto")):
            refused = project.type("run", "PLAN.md", *words)
            assert (refused.returncode, "is held by" in refused.stderr) == (10, True), refused.stderr
            assert advice(refused) == ["watch", "PLAN.md"]
        assert project.type("run", "PLAN.md", "finish", "auto", "--submit").returncode == 0
        assert "is held by" in project.type("worker", "--once").stderr
        go.touch()
        assert live.wait(PATIENCE) == 0
    assert "PLAN.md" in project.ask("queue").stdout
    stopped = project.ask("stop", "PLAN.md").stdout
    assert "what was submitted is out of the queue" in stopped, stopped


def test_refusals_name_a_plan_as_it_is_typed_from_here(project: Project) -> None:
    needing = PHASE.format(2).replace("- [ ]", "Depends on: 1\n\n- [ ]")
    project.write("q ü.md", f"# Plan\n{PHASE.format(1)}{needing}")
    project.write("p q.md", f"# Plan\n{UNCHECKED.format(1)}")
    project.commit()
    (project.root / "below").mkdir()
    project.root /= "below"
    for words in (("2",), ("9",), ("2", "--submit")):
        refused = project.ask("run", "../q ü.md", *words)
        assert (refused.returncode != 0, advice(refused)[1]) == (True, "../q ü.md"), refused.stderr
    refused = project.ask("run", "../p q.md", "1", "--submit", "--model", "small")
    assert advice(refused) == ["run", "../p q.md", "1", "--model", "small", "--agent", "claude"], refused.stderr
    assert advice(project.ask("run", "../q ü.md", "1", "--submit")) == ["queue"]
    refused = project.ask("run", "../q ü.md", "finish", "--submit")
    assert (refused.returncode != 0, advice(refused)[1]) == (True, "../q ü.md"), refused.stderr
    project.type("run", "../q ü.md", "1", PLANRAIL_CRASH_AT="implement.1.begun")
    refused = project.type("run", "../q ü.md", "finish", "auto")
    assert (refused.returncode != 0, advice(refused)[1]) == (True, "../q ü.md"), refused.stderr
