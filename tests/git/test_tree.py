"""The working tree as rules see it."""

import os
import subprocess
from pathlib import Path

import pytest

from planrail.git.working_files import MAX_BYTES, RepositoryTree, open_folder, open_tree


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "src/app.py").write_text("class UserService: ...\n")
    (folder / "PLAN.md").write_text("`UserService` and `OrderService`\n")
    return folder


def _tree(path: Path) -> RepositoryTree:
    tree = open_tree(str(path))
    assert tree is not None
    return tree


def test_a_tree_is_opened_from_any_file_in_it(root: Path) -> None:
    tree = _tree(root / "PLAN.md")
    assert tree.files() == ["PLAN.md", "src/app.py"]
    assert tree.read("src/app.py") == "class UserService: ...\n"


def test_outside_a_repository_there_is_none(tmp_path: Path) -> None:
    assert open_tree(str(tmp_path)) is None


def test_a_folder_outside_git_is_walked(tmp_path: Path) -> None:
    for name in ("a/b.py", "node_modules/x.js", ".git-not/y", "c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("word\n")
    tree = open_folder(str(tmp_path))
    assert tree.files() == [".git-not/y", "a/b.py", "c.md"]
    assert tree.find_words("word|other", excluding="c.md") == {"word"}


def test_a_folder_of_a_repository_is_a_tree_of_its_own(root: Path) -> None:
    assert open_folder(str(root / "src")).files() == ["app.py"]


def test_the_plan_itself_is_not_searched(root: Path) -> None:
    assert _tree(root).find_words("UserService|OrderService", excluding="PLAN.md") == {"UserService"}


def test_files_of_a_submodule_are_part_of_the_tree(root: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git = ["git", "-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "init", "-q", str(inner)], check=True)
    (inner / "lib.py").write_text("")
    subprocess.run([*git, "add", "lib.py"], cwd=inner, check=True)
    subprocess.run([*git, "commit", "-q", "-m", "x"], cwd=inner, check=True)
    subprocess.run([*git, "submodule", "--quiet", "add", str(inner), "vendored"], cwd=root, check=True)
    assert "vendored/lib.py" in _tree(root).files()


def test_a_repository_inside_another_is_seen_as_well(root: Path) -> None:
    (root / "nested").mkdir()
    subprocess.run(["git", "init", "-q", str(root / "nested")], check=True)
    (root / "nested/x.py").write_text("")
    assert "nested/x.py" in _tree(root).files()


@pytest.mark.parametrize(
    "path", ["missing.py", "src", "../outside.txt", "/etc/hostname", "src/../../outside.txt", "a\x00b"]
)
def test_what_is_not_a_file_of_the_tree_is_not_read(root: Path, path: str) -> None:
    (root.parent / "outside.txt").write_text("secret")
    assert _tree(root).read(path) is None


def test_a_link_is_followed_inside_the_tree_only(root: Path) -> None:
    (root.parent / "outside.txt").write_text("secret")
    (root / "in").symlink_to("src/app.py")
    (root / "out").symlink_to("../outside.txt")
    (root / "loop").symlink_to("loop")
    tree = _tree(root)
    assert tree.read("in") == "class UserService: ...\n"
    assert tree.read("out") is None
    assert tree.read("loop") is None


def test_large_and_binary_files_are_not_read(root: Path) -> None:
    (root / "large.txt").write_text("x" * (MAX_BYTES + 1))
    (root / "binary").write_bytes(b"a\x00b")
    tree = _tree(root)
    assert tree.read("large.txt") is None
    assert tree.read("binary") is None


def test_a_pipe_does_not_hold_the_reader(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert _tree(root).read("pipe") is None


def test_text_that_is_not_utf_8_is_read_as_far_as_it_goes(root: Path) -> None:
    (root / "latin.py").write_bytes(b"# caf\xe9\n")
    assert (_tree(root).read("latin.py") or "").startswith("# caf")
