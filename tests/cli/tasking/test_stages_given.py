"""A document of one's own, from wherever it comes: only what is a text with an end is read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.errors import UsageError
from planrail.tasks.stages.own_documents import read_own
from tests.cli.tasking.test_stages_several import _PLAN
from tests.support.patience import PATIENCE
from tests.tasks.stages.stage_project import StageProject


@pytest.fixture
def project(tmp_path: Path) -> StageProject:
    made = StageProject(tmp_path)
    made.new()
    return made


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused_at_once(device: str) -> None:
    with pytest.raises(UsageError, match="it is a device"):
        read_own(device)


def test_a_pipe_is_refused_without_waiting_for_its_writer(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="it is a pipe"):
        read_own(str(pipe))


def test_a_file_is_read_up_to_the_limit_and_not_beyond(tmp_path: Path) -> None:
    large = tmp_path / "large.md"
    large.touch()
    os.truncate(large, 1 << 40)  # of holes alone
    with pytest.raises(UsageError, match="too large"):
        read_own(str(large))
    large.write_bytes(b"one\r\ntwo\n")
    assert read_own(str(large)) == "one\r\ntwo\n"


def test_a_plan_can_come_from_standard_input(project: StageProject) -> None:
    done = _type(project, "plan", "1", "--from", "-", given=_PLAN)
    assert done.returncode == 0, done.stderr
    assert project.task(1)["status"] == "planned"


def test_a_file_that_is_no_plan_is_answered_with_how_much_it_lacks_and_where_to_see_all(project: StageProject) -> None:
    (project.repo / "x.md").write_text("# Notes\n")
    done = project.run("plan", "1", "--from", "x.md")
    assert done.returncode == 1
    assert "x.md is no plan yet, 8 problems to fix: " in done.stderr
    assert done.stderr.count(";") == 5
    assert "; and 3 more\n" in done.stderr
    assert "planrail task validate-artifact x.md plan" in done.stderr


def test_what_is_said_of_standard_input_names_no_file_that_is_not_there(project: StageProject) -> None:
    done = _type(project, "plan", "1", "--from", "-", given="# Notes\n")
    assert done.returncode == 1
    assert "standard input is no plan yet" in done.stderr
    assert "validate-artifact FILE plan" in done.stderr


def test_a_plan_is_told_and_approved_by_a_path_that_works_in_this_folder(project: StageProject) -> None:
    folder = project.repo / "src" / "deep"
    folder.mkdir()
    (folder / "p.md").write_text(_PLAN)
    done = _type(project, "plan", "1", "--from", "p.md", folder=folder)
    assert done.returncode == 0, done.stderr
    typed = "../../specs/001_refuse_empty_names/plans/01_my-way.md"
    assert typed in done.stdout.splitlines()
    assert done.stdout.rstrip().endswith(f"next: planrail approve {typed}")


def _type(
    project: StageProject, *words: str, given: str = "", folder: Path | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "planrail", "task", *words],
        cwd=folder or project.repo,
        env=project.environment(),
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
