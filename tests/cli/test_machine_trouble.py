"""What the machine refuses: streams that are closed, a folder that is gone, a git that is missing. Each is told as what
it is, with the exit code that the command would have had.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLAN = "# Plan\n\n## Phase 1: One [DONE]\n\n- [x] a\n\n## Phase 2: Two\n\n- [ ] b\n"


def planrail(line: str, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """What a shell makes of a line in which `planrail` is ours."""
    called = f'planrail() {{ "{sys.executable}" -m planrail "$@"; }}\n{line}'
    given = {**os.environ, "PLANRAIL_STATE_DIR": f"{folder}/.state", **environment}
    return subprocess.run(["/bin/sh", "-c", called], cwd=folder, env=given, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    (tmp_path / "PLAN.md").write_text(PLAN)
    return tmp_path


@pytest.mark.parametrize("command", ["next PLAN.md", "task"])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_neither_the_code_nor_the_other_streams(
    project: Path, command: str, closed: str
) -> None:
    usual, quiet = planrail(f"planrail {command}", project), planrail(f"planrail {command} {closed}", project)
    assert quiet.returncode == usual.returncode
    assert quiet.stdout == ("" if ">&-" in closed.replace("2>&-", "") else usual.stdout)
    assert quiet.stderr == ("" if "2>&-" in closed else usual.stderr)


def test_an_error_keeps_its_code_where_nobody_can_read_it(project: Path) -> None:
    assert planrail("planrail next nope.md 2>&-", project).returncode == 3


def test_no_file_takes_the_place_of_a_closed_stream(project: Path) -> None:
    done = planrail("planrail task new 'Say hello' >&- 2>&-", project)
    assert done.returncode == 0
    assert "Say hello" in planrail("planrail task", project).stdout


@pytest.mark.parametrize("command", ["next", "status", "doctor", "task", "init"])
def test_a_folder_that_is_gone_is_said_to_be_gone(project: Path, command: str) -> None:
    told = planrail(f"mkdir gone && cd gone && rmdir ../gone && planrail {command}", project).stderr
    assert "is gone" in told
    assert "answer could not be written" not in told


@pytest.mark.parametrize("command", ["run PLAN.md", "init --dry-run"])
def test_a_missing_git_is_said_to_be_missing(project: Path, command: str) -> None:
    told = planrail(f"planrail {command}", project, PATH="/nowhere").stderr
    assert "git cannot be started" in told
    assert "install git" in told


def test_the_demo_looks_at_the_folder_that_is_to_stay_before_it_begins(project: Path) -> None:
    done = planrail("planrail demo --keep .", project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is there already; nothing was done" in done.stderr


@pytest.mark.parametrize("line", ["next --nope", "task new --nope"])
def test_words_that_are_not_understood_end_with_where_to_look(project: Path, line: str) -> None:
    done = planrail(f"planrail {line}", project)
    assert done.returncode == 2
    command = done.stderr.strip().rpartition("→ ")[2]
    assert command.startswith("planrail ")
