"""`planrail notify`, as a user types it, and the process beside a run."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_run_command import PHASE, Project
from tests.notify.receivers import Receiver, open_receiver

pytestmark = pytest.mark.full


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    made.variables["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    return made


def _set(project: Project, name: str, value: str) -> "subprocess.CompletedProcess[str]":
    return project.type("config", f"notify.{name}", value, "--user")


def _wait_for(receiver: Receiver, count: int) -> None:
    end = time.monotonic() + 60
    while len(receiver.taken) < count:
        assert time.monotonic() < end, receiver.taken
        time.sleep(0.1)


def test_without_a_channel_the_first_step_is_named_and_works(project: Project) -> None:
    told = project.type("notify")
    assert "nobody is told of anything" in told.stdout
    assert "planrail config notify.desktop true --user" in told.stdout + told.stderr
    assert project.type("notify", "test").returncode == 2
    assert _set(project, "desktop", "true").returncode == 0
    assert "desktop" in project.type("notify").stdout


def test_addresses_are_heard_in_the_users_own_file_and_shown_nowhere(project: Project) -> None:
    refused = project.type("config", "notify.webhook", "https://example.org/secret-path")
    assert (refused.returncode, "your own file alone" in refused.stderr) == (2, True)
    assert _set(project, "webhook", "https://example.org/secret-path").returncode == 0
    file = project.root.parent / "config" / "planrail" / "planrail.toml"
    assert (file.stat().st_mode & 0o777, "secret-path" in file.read_text()) == (0o600, True)
    for words in (("config",), ("config", "--all", "--json"), ("config", "notify.webhook"), ("notify", "--json")):
        told = project.type(*words)
        assert (told.returncode, "secret-path" in told.stdout + told.stderr) == (0, False), words
    project.write("planrail.toml", '[notify]\nwebhook = "https://example.org/of-the-agent"\n')
    told = project.type("config")
    assert (told.returncode, "heard in your own file alone" in told.stderr) == (2, True)


def test_a_test_says_which_channel_took_it(project: Project) -> None:
    with open_receiver() as well, open_receiver(lambda number: 403) as broken:
        _set(project, "slack", well.url)
        _set(project, "webhook", broken.url)
        told = project.type("notify", "test", "--json")
    assert told.returncode == 1
    errors = {one["channel"]: one["error"] for one in json.loads(told.stdout)["channels"]}
    assert errors == {"slack": None, "webhook": "it answered with 403"}
    assert len(well.taken) == 1


def test_a_run_that_fails_and_one_that_completes_are_told_by_a_process_beside_them(project: Project) -> None:
    project.plan(PHASE.format(1).replace("grep -q 1", "grep -q 2"))
    with open_receiver() as receiver:
        _set(project, "webhook", receiver.url)
        assert project.type("run", "PLAN.md", "auto").returncode == 1
        _wait_for(receiver, 1)
        project.plan(PHASE.format(1))
        assert project.type("run", "PLAN.md", "auto").returncode == 0
        _wait_for(receiver, 2)
    assert [body["kind"] for body in receiver.taken] == ["failed", "complete"]
    assert all(body["command"].startswith("planrail ") for body in receiver.taken)
    told = json.loads(project.type("notify", "--json").stdout)["notices"]
    assert [notice["state"] for notice in told] == ["sent", "sent"]


def test_a_plan_that_waits_for_approval_is_told(project: Project) -> None:
    project.write("planrail.toml", "[approval]\nrequired = true\n")
    project.plan(PHASE.format(1))
    with open_receiver() as receiver:
        _set(project, "webhook", receiver.url)
        assert project.type("propose", "PLAN.md").returncode == 0
        _wait_for(receiver, 1)
    assert receiver.taken[0]["kind"] == "needs_you"
    assert receiver.taken[0]["command"] == "planrail approve PLAN.md"


def test_a_second_process_for_a_project_leaves(project: Project) -> None:
    project.plan(PHASE.format(1).replace("echo 1 >", "sleep 20; echo 1 >"))
    with open_receiver() as receiver:
        _set(project, "webhook", receiver.url)
        command = [sys.executable, "-m", "planrail", "run", "PLAN.md", "auto"]
        given = {"cwd": project.root, "env": project.environment, "stdin": subprocess.DEVNULL}
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **given) as run:  # type: ignore[call-overload]
            try:
                folder = project.root / ".git" / "planrail"
                end = time.monotonic() + 60
                while not (folder / "notify.lock").exists():
                    assert time.monotonic() < end
                    time.sleep(0.1)
                assert project.type("notify", "watch").returncode == 0
                assert run.poll() is None
            finally:
                project.type("stop", "PLAN.md")
                run.wait(60)
