"""The plan's own blocks, executed."""

import os
from pathlib import Path

import pytest

from planrail.agents.drivers import load_driver
from planrail.agents.model import Assignment, Outcome, Running, Used
from planrail.agents.processes.trees import started_at
from planrail.base.settings.agent_table import AgentSettings
from planrail.testing.agent_stage import allow

_LONGEST = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work tree"
    made.mkdir()
    return made


def _run(folder: Path, *scripts: str, environment: dict[str, str] | None = None, timeout: int = _LONGEST) -> Outcome:
    return _start(folder, *scripts, environment=environment, timeout=timeout).wait()


def _start(folder: Path, *scripts: str, environment: dict[str, str] | None = None, timeout: int = _LONGEST) -> Running:
    driver = load_driver("runbook", {**os.environ, **(environment or {})}, AgentSettings(environment=("MORE",)))
    assignment = Assignment(
        "implementer",
        "",
        str(folder),
        read_only=False,
        timeout=timeout,
        scripts=scripts,
        log=str(folder.parent / "log"),
    )
    return driver.start(assignment, None, allow)


def test_blocks_run_in_order_in_the_folder_and_are_told_as_they_begin(folder: Path) -> None:
    """Signs in a block reach the shell untouched; everything said is in the log, and no file is left over."""
    text = """cat > out <<'END'\n$(touch hurt) `x` \\ "ü" 漢字\nEND"""
    running = _start(folder, "echo one > list", text, "# a remark\nwc -l list\necho there >&2\n")
    used = [event.command for event in running.events() if isinstance(event, Used)]
    outcome = running.wait()
    assert outcome.ok, outcome.error
    assert (used[0], len(used)) == ("echo one > list", 3)
    assert (folder / "out").read_text() == '$(touch hurt) `x` \\ "ü" 漢字\n'
    lines = outcome.text.splitlines()
    assert (lines[:2], lines[3]) == (["3 of 3 blocks begun:", "1. echo one > list"], "3. wc -l list")
    log = (folder.parent / "log").read_text()
    assert "1 list" in log
    assert "there" in log
    assert sorted(entry.name for entry in folder.parent.iterdir()) == ["log", "work tree"]


def test_a_block_ends_at_its_first_failing_command_and_so_does_the_run(folder: Path) -> None:
    outcome = _run(folder, "true", "echo before\necho oh no >&2\nfalse\ntouch after", "touch never")
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert outcome.error == "block 2 of 3 ended with code 1: before\noh no"
    assert os.listdir(folder) == []


def test_a_phase_without_a_block_says_how_to_write_one(folder: Path) -> None:
    outcome = _run(folder)
    assert (outcome.ok, outcome.reason) == (False, "failed")
    assert "```sh run" in outcome.error


def test_it_is_never_taken_for_a_reader(folder: Path) -> None:
    driver = load_driver("runbook", os.environ)
    outcome = driver.start(Assignment("critic", "", str(folder), scripts=("touch made",)), None, allow).wait()
    assert not outcome.ok
    assert os.listdir(folder) == []


def test_a_block_has_the_environment_of_the_list_and_no_input(folder: Path) -> None:
    environment = {"PLANRAIL_TEST_SECRET": "heron", "MORE": "reeds"}
    assert _run(folder, "env > variables\ncat > input", environment=environment).ok
    variables = (folder / "variables").read_text()
    assert "heron" not in variables
    assert "MORE=reeds" in variables
    assert "PATH=" in variables
    assert (folder / "input").read_text() == ""


def test_what_one_block_starts_is_there_for_the_next_and_gone_at_the_end(folder: Path) -> None:
    server = "sleep 3600.4711 & echo $! > pid"
    outcome = _run(folder, server, 'kill -0 "$(cat pid)"')
    assert outcome.ok, outcome.error
    assert started_at(int((folder / "pid").read_text())) == ""


@pytest.mark.full
def test_a_time_out_ends_everything(folder: Path) -> None:
    outcome = _run(folder, "echo begun\nsleep 3600", timeout=1)
    assert (outcome.ok, outcome.reason) == (False, "timeout")


def test_a_long_output_does_not_hold_it_up(folder: Path) -> None:
    outcome = _run(
        folder, "i=0; while [ $i -lt 20000 ]; do echo 'a long line of output that fills pipes'; i=$((i+1)); done; false"
    )
    assert len(outcome.error) < 9_000


def test_a_secret_that_the_agent_was_given_is_not_told_on(folder: Path) -> None:
    secret = "plain-value-" + "7"
    driver = load_driver("runbook", {**os.environ, "MY_TOKEN": secret}, AgentSettings(environment=("MY_TOKEN",)))
    log = folder.parent / "log"
    script = 'printf \'it is %s\' "${MY_TOKEN%?????}" >&2; sleep 0.2; echo "${MY_TOKEN#????????}" >&2; false'
    assignment = Assignment(
        "implementer", "", str(folder), read_only=False, timeout=60, scripts=(script,), log=str(log)
    )
    outcome = driver.start(assignment, None, allow).wait()
    assert "it is [masked]" in outcome.error
    assert secret not in outcome.error + log.read_text()
