"""At a terminal of their own the person is asked for their yes on the spot, and sees how several tasks go on."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.approval.attacks import terminal_host
from tests.approval.attacks.terminal_host import YES
from tests.cli.tasking.task_stage import TaskStage
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a window of a person's own is looked for in /proc")


def converse(stage: TaskStage, words: list[str], answers: list[list[str]]) -> tuple[str, int]:
    """Type a command in a window of one's own; what was shown, and the exit code."""
    environment = {name: value for name, value in stage.environment.items() if "CLAUDE" not in name}
    command = [sys.executable, "-m", "planrail", "task", *words]
    job: dict[str, Any] = {"command": command, "cwd": str(stage.root), "answers": answers}
    source, result = stage.place / "job.json", stage.place / "result.json"
    result.unlink(missing_ok=True)
    source.write_text(json.dumps({**job, "environment": {**environment, "TERM": "xterm"}}))
    subprocess.run([sys.executable, terminal_host.__file__, str(source), str(result)], check=True, timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while not result.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    told = json.loads(result.read_text())
    return told["shown"], told["code"]


@pytest.fixture
def stage(tmp_path: Path) -> TaskStage:
    return TaskStage(tmp_path, settings="")


@pytest.mark.full
@pytest.mark.parametrize("command", ["orchestrate", soak("implement")])
def test_a_no_is_told_as_a_no_and_after_a_yes_it_goes_on_at_once(stage: TaskStage, command: str) -> None:
    stage.new("Write the greeting")
    stage.plan(1, "one")
    shown, code = converse(stage, [command, "1"], [[r"approve\?", "n\n"]])
    assert code == 1, shown
    assert "you said no" in shown
    assert "planrail task revise 1 WHAT" in shown
    assert (stage.status(1), stage.count_starts()) == ("planned", [])
    shown, code = converse(stage, [command, "1"], [list(YES)])
    assert code == 0, shown
    assert (stage.status(1), stage.count_starts()) == ("completed", ["one"])


@pytest.mark.soak
def test_of_several_each_that_waits_is_asked_about_and_the_one_that_is_said_no_to_is_told_so(stage: TaskStage) -> None:
    for number, name in ((1, "one"), (2, "two")):
        stage.new(f"Write {name}")
        stage.plan(number, name)
    shown, code = converse(stage, ["implement", "1,2"], [[r"approve\?", "n\n"], list(YES)])
    assert code == 1, shown
    assert [stage.status(1), stage.status(2)].count("completed") == 1
    assert shown.count("you said no") == 1
    assert "next: planrail task revise" in shown
    assert "\033[1A\033[2K" in shown  # the table is drawn in place
    shown, code = converse(stage, ["orchestrate", "1,2"], [list(YES)])
    assert code == 0, shown
    assert [stage.status(1), stage.status(2)] == ["completed", "completed"]
    assert "2 of 2 tasks completed" in shown
