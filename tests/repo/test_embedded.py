"""Bare repositories among the files of a real one."""

import subprocess
from pathlib import Path

import pytest

from planrail.repo.embedded import find_embedded


def _git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "my repository"
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / ".gitignore").write_text("packages/\n")
    (folder / "HEAD").write_text("not a repository, only a name\n")
    return folder


def _embed(root: Path, place: str) -> None:
    _git(root, "init", "-q", "--bare", place)
    (root / place / "refs/heads/.keep").write_text("")
    (root / place / "objects/.keep").write_text("")


def test_an_ordinary_tree_has_none(root: Path) -> None:
    assert find_embedded(str(root)) == ""


def test_one_that_is_not_tracked_is_found(root: Path) -> None:
    _embed(root, "vendor/a b")
    assert find_embedded(str(root)) == "vendor/a b"


def test_one_that_was_committed_is_found(root: Path) -> None:
    _embed(root, "vendor/x")
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", "all")
    assert find_embedded(str(root)) == "vendor/x"


def test_one_in_an_ignored_folder_is_found(root: Path) -> None:
    """Installed packages are ignored, and nobody has read them."""
    _embed(root, "packages/x")
    assert find_embedded(str(root)) == "packages/x"


def test_one_whose_parts_lie_elsewhere_is_found(root: Path) -> None:
    """git follows `commondir`, also to the settings."""
    _embed(root, "parts")
    (root / "parts/HEAD").rename(root / "HEAD2")
    (root / "front").mkdir()
    (root / "HEAD2").rename(root / "front/HEAD")
    (root / "front/commondir").write_text("../parts\n")
    _git(root / "front", "--git-dir=.", "rev-parse")
    assert find_embedded(str(root)) == "front"


def test_the_root_itself_can_be_one(root: Path) -> None:
    for name in ("objects", "refs"):
        (root / name).mkdir()
    assert find_embedded(str(root)) == "."


def test_the_projects_own_repository_is_none(root: Path) -> None:
    _git(root, "commit", "-q", "--allow-empty", "-m", "first")
    _git(root, "worktree", "add", "-q", "beside")
    assert find_embedded(str(root)) == ""


@pytest.mark.parametrize(("value", "found"), [("explicit", ""), ("all", "x")])
def test_the_user_may_have_told_git_to_leave_them_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch, value: str, found: str
) -> None:
    _embed(root, "x")
    monkeypatch.setenv("HOME", str(root.parent))
    (root.parent / ".gitconfig").write_text(f"[safe]\nbareRepository = {value}\n")
    assert find_embedded(str(root)) == found


@pytest.mark.parametrize("place", [".", "x"])
def test_what_a_repository_says_about_it_is_not_heard_since_git_does_not_hear_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    _embed(root, "x")
    _git(root / place, "config", "safe.bareRepository", "explicit")
    _git(root / "x", "rev-parse", "--git-dir")  # git goes on using it
    assert find_embedded(str(root)) == "x"
