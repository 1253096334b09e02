"""The folder of a feature is a plan: its tasks are what runs, and the documents beside them are told to agents."""

import json
import os
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.cli.main import main
from planrail.projects.open_plan import resolve_plan

TASKS = "# Tasks: Login\n\n## Phase 1: Setup\n\n- [x] T001 begin\n\n## Phase 2: Core\n\n- [ ] T002 log in\n"
FOLDERS = {
    "specs/001-login": ("spec.md", "plan.md", "tasks.md"),
    "openspec/changes/add-login": ("proposal.md", "design.md", "tasks.md"),
    ".kiro/specs/login": ("requirements.md", "design.md", "tasks.md"),
    "agent-os/specs/login": ("spec.md", "tasks.md"),
    "kitty-specs/001-login": ("spec.md", "plan.md", "tasks.md"),
    "conductor/tracks/login": ("plan.md",),
    "docs/login": ("README.md", "login.md"),
}


def make(root: Path, folder: str) -> Path:
    place = root / folder
    place.mkdir(parents=True)
    for name in FOLDERS[folder]:
        (place / name).write_text(TASKS if name == FOLDERS[folder][-1] else f"# {name}\n")
    return place


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_file_that_runs_is_found(tmp_path: Path, folder: str) -> None:
    place = make(tmp_path, folder)
    assert resolve_plan(str(place)) == os.path.join(place, FOLDERS[folder][-1])
    assert resolve_plan(str(place / "tasks.md")) == str(place / "tasks.md"), "a file is itself"


@pytest.mark.parametrize("command", ["show", "next", "lint", "status"])
def test_commands_take_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    make(tmp_path, "specs/001-login")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / "state"))
    assert main([command, "specs/001-login", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "specs/001-login/tasks.md" in json.dumps(told) or told == {"problems": []}


def test_a_folder_with_several_plans_or_none_is_refused_with_what_there_is(tmp_path: Path) -> None:
    make(tmp_path, "specs/001-login")
    (tmp_path / "specs/002-logout").mkdir()
    (tmp_path / "specs/002-logout/tasks.md").write_text(TASKS)
    with pytest.raises(PlanrailError, match="2 plans") as several:
        resolve_plan(str(tmp_path / "specs"))
    assert "002-logout/tasks.md" in several.value.remedy
    (tmp_path / "specs/001-login/tasks.md").unlink()
    with pytest.raises(PlanrailError, match=r"no tasks\.md yet"):
        resolve_plan(str(tmp_path / "specs/001-login"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(PlanrailError, match="is a folder"):
        resolve_plan(str(tmp_path / "empty"))
