"""The questions of a run are answered by the word that they show: keys that are typed blindly start nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.approval.attacks import terminal_host
from tests.cli.processes import CTRL_C
from tests.cli.run_projects import make_project
from tests.cli.test_run_command import Project
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="a window of a person's own is looked for in /proc")
PLAN = "# P\n\n## Phase 1 — One\n\n- [ ] a\n\n```sh run\necho one > one.txt\n```\n\n```sh check\ntest -f one.txt\n```\n"
RUN, RESUME = "run PLAN.md --agent runbook", "resume PLAN.md"


def _at_window(project: Path, answer: tuple[str, str], words: str = RUN) -> str:
    """What a person sees who runs the plan in a window of their own, or types other words there."""
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    given = {
        **environment,
        "HOME": str(project.parent),
        "TERM": "dumb",
        "PLANRAIL_STATE_DIR": str(project.parent / "s"),
    }
    command = [sys.executable, "-m", "planrail", *words.split()]
    job, result = project.parent / "job", project.parent / "result"
    result.unlink(missing_ok=True)
    job.write_text(json.dumps({"command": command, "cwd": str(project), "environment": given, "answers": [answer]}))
    subprocess.run([sys.executable, terminal_host.__file__, str(job), str(result)], check=True, timeout=PATIENCE)
    deadline = time.monotonic() + PATIENCE
    while not result.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return str(json.loads(result.read_text())["shown"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    made = make_project(tmp_path / "project", PLAN)
    for name, value in (("user.name", "t"), ("user.email", "t@localhost")):
        subprocess.run(["git", "-C", str(made), "config", name, value], check=True)
    return made


SLOW = PLAN.replace("echo one >", "sleep 3; echo one >")


@pytest.mark.full
@pytest.mark.parametrize(
    ("said", "code", "state"), [("r", 0, "complete"), ("s", 130, "stopped"), soak("", 130, "interrupted")]
)
def test_ctrl_c_asks_whether_the_run_goes_on_or_ends(tmp_path: Path, said: str, code: int, state: str) -> None:
    project = Project(tmp_path / "project")
    project.plan(SLOW)
    answers = [("the agent works", CTRL_C), (r"and now\? \[r/s\]", said)]
    left, shown = project.type_at_terminal(answers, "run", "PLAN.md", "auto")
    assert left == code, shown
    assert json.loads(project.ask("status", "PLAN.md", "--json").stdout)["run"]["state"] == state
    if state == "interrupted":
        assert shown.rstrip().endswith("→ planrail resume PLAN.md"), shown
        assert project.type("resume", "PLAN.md").returncode == 0


_START = r"Start phase 1\? Type (\w+) for yes \(.*\): "
_GO_ON = r"Go on with phase 2\? Type (\w+) for yes \(.*\): "


@pytest.mark.soak
def test_a_no_to_a_further_phase_is_asked_again_by_resume(project: Path) -> None:
    second = PLAN.partition("\n\n")[2].replace("Phase 1 — One", "Phase 2 — Two").replace("one", "two")
    (project / "PLAN.md").write_text(f"{PLAN}\n{second}")
    subprocess.run(["git", "-C", str(project), "commit", "-qam", "two phases"], check=True)
    first = _at_window(project, (_GO_ON, "n\n"), f"{RUN} finish")
    assert "paused: Go on with phase 2?" in first, first
    again = _at_window(project, (_GO_ON, "n\n"), RESUME)
    assert "paused: Go on with phase 2?" in again, again
    assert not (project / "two.txt").exists()


@pytest.mark.parametrize(("typed", "is_slip"), [("y\n", True), ("no\n", False)])
def test_anything_but_the_word_starts_nothing(project: Path, typed: str, *, is_slip: bool) -> None:
    shown = _at_window(project, (r"Start phase 1\? ", typed))
    assert ("not the word that the question showed" in shown, "paused" in shown) == (is_slip, True), shown
    assert "next: planrail resume PLAN.md" in shown
    assert not (project / "one.txt").exists()


@pytest.mark.soak
def test_a_no_to_the_beginning_is_asked_again_by_resume_until_the_word_starts_it(project: Path) -> None:
    _at_window(project, (_START, "n\n"))
    again = _at_window(project, (_START, "n\n"), RESUME)
    assert "paused: Start phase 1?" in again, again
    assert "complete:" in _at_window(project, (_START, "\\1\n"), RESUME)
