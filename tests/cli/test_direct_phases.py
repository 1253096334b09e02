"""`Execution: direct`: a phase that works in the user's own checkout takes nothing of theirs, and says what it leaves."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from shlex import quote

import pytest

from tests.cli.test_run_command import Project
from tests.support.patience import PATIENCE
from tests.support.run_traces import find_processes

DIRECT = """
## Phase 1 — Direct

**Execution:** direct

- [ ] write d.txt

```sh run
{0}
```

```sh check
grep -q d d.txt
```
"""
SECOND = DIRECT.format("echo e > e.txt").replace("1 —", "2 —").replace("d d.txt", "e e.txt")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.write("t.txt", "theirs\n")
    return made


def interrupt(project: Project, gate: Path) -> None:
    """Ctrl-C while the agent works; it goes on when there is a gate."""
    project.let_agents_out()
    command = [sys.executable, "-m", "planrail", "run", "PLAN.md", "auto"]
    process = subprocess.Popen(command, cwd=project.root, env=project.environment, stderr=subprocess.PIPE, text=True)
    begun = gate.with_name("begun")
    while not begun.exists():
        assert process.poll() is None, process.stderr
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


def waiting_for(gate: Path) -> str:
    begun = quote(str(gate.with_name("begun")))
    return f"touch {begun}; while [ ! -e {quote(str(gate))} ]; do sleep 0.05; done; echo d > d.txt"


def kill_all_below(place: Path) -> None:
    while found := find_processes(place):
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def landed_paths(project: Project) -> set[str]:
    return set(project.git("show", "--format=", "--name-only", "HEAD").split())


@pytest.mark.full
def test_direct_phases_land_from_a_clean_checkout_and_planrails_own_files_are_in_nobodys_way(project: Project) -> None:
    project.plan(DIRECT.format("echo d > d.txt") + SECOND)
    done = project.type("run", "PLAN.md", "auto")
    assert done.returncode == 0, done.stderr
    assert landed_paths(project) == {"PLAN.md", "d.txt"}
    assert project.git("status", "--porcelain") == ""
    assert "No agent" in project.ask("changes").stdout  # no snapshot of it is left for undo to find
    assert project.ask("report", "PLAN.md", "--write").returncode == 0
    assert (project.root / "reports").is_dir()
    assert project.type("run", "PLAN.md", "auto").returncode == 0
    assert project.landed() == ["2", "1"]


@pytest.mark.parametrize("is_staged", [False, True])
def test_uncommitted_work_untracked_files_included_is_refused_before_anything_begins(
    project: Project, is_staged: bool
) -> None:
    project.plan(DIRECT.format("echo d > d.txt; echo generated > notes.txt"))
    project.write("notes.txt", "three hours of notes\n")
    if is_staged:
        project.git("add", "notes.txt")
    done = project.ask("run", "PLAN.md", "auto")
    assert (done.returncode, "notes.txt" in done.stderr) == (1, True), done.stdout + done.stderr
    assert "git stash push --include-untracked" in done.stderr
    assert (project.root / "notes.txt").read_text() == "three hours of notes\n"
    assert project.ask("list", "runs", "--json").stdout.count('"run"') == 0


@pytest.mark.parametrize("script", ["true", pytest.param("echo d > d.txt", marks=pytest.mark.full)])
def test_what_an_agent_was_given_does_not_stay_in_the_checkout(project: Project, script: str) -> None:
    """A phase with so long a text that its agent is given a file; a script is the agent."""
    agent = project.root.parent / "agent.sh"
    agent.write_text(f"cat .planrail/phase.md > /dev/null || exit 1\n{script}\n")
    command = f'[run]\ncommand = "sh {quote(str(agent))} {{prompt}}"\nverifier = "runbook"\n'
    project.write("planrail.toml", f"[approval]\nrequired = false\n{command}")
    project.plan(DIRECT.format("true") + "\n" + "Much to be said about this.\n\n" * 100)
    done = project.type("run", "PLAN.md", "auto", "--agent", "command")
    assert (done.returncode, "left in your checkout" in done.stdout) == (int(script == "true"), False), done
    assert script == "true" or landed_paths(project) == {"PLAN.md", "d.txt"}
    assert not (project.root / ".planrail").exists()


@pytest.mark.full
def test_edits_made_between_an_interruption_and_resume_are_asked_about_and_never_committed(
    project: Project, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    project.plan(DIRECT.format(waiting_for(gate)))
    interrupt(project, gate)
    project.write("t.txt", "my edit\n")
    project.write("mynew.txt", "mine\n")
    gate.touch()
    asked = project.type("resume")
    assert asked.stdout.startswith("paused: "), asked.stdout + asked.stderr
    assert all(name in asked.stdout for name in ("d.txt", "mynew.txt", "t.txt"))
    assert project.landed() == []
    assert "mynew.txt" in project.type("status").stdout
    project.write("t.txt", "theirs\n")
    (project.root / "mynew.txt").rename(tmp_path / "mynew.txt")
    told = project.type("resume")
    assert (told.stdout.startswith("paused: "), "mynew.txt" in told.stdout) == (True, False), told.stdout
    done = project.type("resume")
    assert done.returncode == 0, done.stderr
    assert landed_paths(project) == {"PLAN.md", "d.txt"}


@pytest.mark.full
def test_an_agent_that_was_lost_leaves_nothing_to_the_next_attempt_unasked(project: Project, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    begun = quote(str(tmp_path / "begun"))
    half = f"test -e {quote(str(gate))} || {{ echo half > half.txt; touch {begun}; sleep 600; }}; echo d > d.txt"
    project.plan(DIRECT.format(half))
    interrupt(project, gate)
    kill_all_below(tmp_path)
    gate.touch()
    rests = project.type("resume")
    assert (rests.stdout.startswith("paused: "), "half.txt" in rests.stdout) == (True, True), rests.stdout
    command = next(line for line in rests.stdout.split(". First: ") if line.startswith("planrail undo")).split()[:4]
    assert project.type_at_terminal([("Type yes: ", "yes")], *command[1:])[0] == 0
    done = project.type("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert landed_paths(project) == {"PLAN.md", "d.txt"}


@pytest.mark.full
def test_an_edit_while_a_fix_is_asked_for_is_not_handed_to_the_fixer(project: Project) -> None:
    wrong = DIRECT.format("echo wrong > x.txt") + "\n```sh fix\necho d > d.txt\n```\n"
    project.plan(wrong)
    killed = project.type("run", "PLAN.md", "auto", PLANRAIL_CRASH_AT="fix.begun")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    project.write("mynew.txt", "mine\n")
    asked = project.type("resume")
    assert asked.stdout.startswith("paused: "), asked.stdout + asked.stderr
    assert ("mynew.txt" in asked.stdout, "x.txt" in asked.stdout) == (True, False)
    assert not (project.root / "d.txt").exists()
    (project.root / "mynew.txt").unlink()
    done = project.type("resume")
    assert done.returncode == 0, done.stderr
    assert landed_paths(project) == {"PLAN.md", "d.txt", "x.txt"}


@pytest.mark.full
def test_a_failed_direct_phase_names_what_it_left_and_undo_takes_it_back(project: Project) -> None:
    project.plan(DIRECT.format("echo wrong > left.txt; echo spoilt > t.txt"))
    failed = project.type("run", "PLAN.md", "auto")
    assert failed.returncode == 1
    command = failed.stdout.rpartition("next: ")[2].strip()
    assert ("left.txt" in failed.stdout, "t.txt" in failed.stdout) == (True, True), failed.stdout
    assert command.startswith("planrail undo --session ")
    status = project.type("status").stdout
    assert ("left.txt" in status, command in status) == (True, True), status
    again = project.type("run", "PLAN.md", "auto")
    assert (again.returncode, command in again.stderr) == (1, True), again.stderr
    code, undone = project.type_at_terminal([("Type yes: ", "yes")], *command.split()[1:])
    assert (code, "Restored: 2." in undone) == (0, True), undone
    assert project.git("status", "--porcelain") == ""
    assert command not in project.ask("status").stdout


@pytest.mark.full
def test_a_stopped_direct_run_names_what_it_left(project: Project, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    project.plan(DIRECT.format(f"echo half > half.txt; {waiting_for(gate)}"))
    interrupt(project, gate)
    stopped = project.type("stop")
    assert ("half.txt" in stopped.stdout, "planrail undo --session" in stopped.stdout) == (True, True), stopped.stdout


def test_an_approval_says_which_phases_work_in_the_checkout(project: Project) -> None:
    project.plan(DIRECT.format("echo d > d.txt"))
    _, shown = project.type_at_terminal([("for yes", "no")], "approve", "PLAN.md")
    assert "works in your checkout" in shown, shown
