"""The working tree as rules see it."""

import os
from pathlib import Path

import pytest

from planrail.git.working_files import MAX_BYTES, RepositoryTree, open_folder, open_tree
from tests.git.snapshot_trees import git, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q")
    (folder / "src/app.py").write_text("class UserService: ...\n")
    (folder / "PLAN.md").write_text("`UserService` and `OrderService`\n")
    return folder


def _tree(path: Path) -> RepositoryTree:
    tree = open_tree(str(path))
    assert tree is not None
    return tree


def test_a_tree_is_opened_from_any_file_or_folder_of_a_repository_and_there_is_none_outside(root: Path) -> None:
    assert _tree(root / "PLAN.md").files() == ["PLAN.md", "src/app.py"]
    assert open_folder(str(root / "src")).files() == ["app.py"]
    assert open_tree(str(root.parent)) is None


def test_a_folder_outside_git_is_walked(tmp_path: Path) -> None:
    for name in ("a/b.py", "node_modules/x.js", ".git-not/y", "c.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("word\n")
    tree = open_folder(str(tmp_path))
    assert tree.files() == [".git-not/y", "a/b.py", "c.md"]
    assert tree.find_words("word|other", excluding="c.md") == {"word"}


def test_files_of_repositories_inside_are_part_of_the_tree(root: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    for folder in (inner, root / "nested"):
        folder.mkdir()
        git(folder, "init", "-q")
        write(folder, "lib.py", "")
    git(inner, "add", "lib.py")
    git(inner, "commit", "-q", "-m", "x")
    git(root, "submodule", "--quiet", "add", str(inner), "vendored")
    assert {"vendored/lib.py", "nested/lib.py"} <= set(_tree(root).files())


def test_only_text_files_of_the_tree_are_read(root: Path) -> None:
    """Links are followed inside of it only; nothing that is large or binary is read, and a pipe holds nobody."""
    write(root.parent, "outside.txt", "secret")
    for name, target in (("in", "src/app.py"), ("out", "../outside.txt"), ("loop", "loop")):
        (root / name).symlink_to(target)
    write(root, "large.txt", "x" * (MAX_BYTES + 1))
    write(root, "binary", b"a\x00b")
    write(root, "latin.py", b"# caf\xe9\n")
    os.mkfifo(root / "pipe")
    tree = _tree(root)
    assert tree.read("in") == "class UserService: ...\n"
    assert (tree.read("latin.py") or "").startswith("# caf")
    elsewhere = ["../outside.txt", "/etc/hostname", "src/../../outside.txt", "a\x00b", "out", "loop"]
    for path in ("missing.py", "src", *elsewhere, "large.txt", "binary", "pipe"):
        assert tree.read(path) is None, path
