"""Submodules with a repository among the files of a real one."""

from pathlib import Path

import pytest

from planrail.git.embedded import find_foreign_module
from tests.guard.planted import git, plant_bare, plant_clone


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "my repository"
    plant_clone(folder, tmp_path / "MARK", trap=False)
    return folder


def test_a_clone_that_was_added_as_a_submodule_is_found_where_its_settings_name_a_program(root: Path) -> None:
    assert find_foreign_module(str(root.parent)) == ""  # no repository at all
    plant_clone(root / "fine", root.parent / "MARK", trap=False)
    plant_clone(root / "beside", root.parent / "MARK")  # git enters none that is not a submodule
    plant_bare(root / "bare", root.parent / "MARK")
    git(root, "add", "fine")
    assert find_foreign_module(str(root)) == ""
    plant_clone(root / "vendor/a b", root.parent / "MARK")
    git(root, "-c", "core.fsmonitor=false", "add", "vendor")
    assert find_foreign_module(str(root)) == "vendor/a b"


def test_one_that_git_made_is_the_projects_own_and_those_inside_it_are_looked_at(root: Path, tmp_path: Path) -> None:
    plant_clone(tmp_path / "origin", tmp_path / "MARK", trap=False)
    git(root, "submodule", "-q", "add", str(tmp_path / "origin"), "module")
    git(root / "module", "config", "core.fsmonitor", "x")  # the owner's wish: it lies in the project's repository
    assert find_foreign_module(str(root)) == ""
    plant_clone(root / "module/inner", tmp_path / "MARK")
    git(root / "module", "-c", "core.fsmonitor=false", "add", "inner")
    assert find_foreign_module(str(root)) == "module/inner"
