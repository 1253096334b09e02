"""Work that nobody committed is there until its files are as they were before."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.git.undone_work import TreeChange, list_undone
from planrail.runs.in_session.working_tree import take_tree
from tests.git.snapshot_trees import git


def _tree(root: Path) -> str:
    return take_tree(str(root), str(root / "PLAN.md")).id


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A repository with files of each kind, committed."""
    root = tmp_path / "a place"
    root.mkdir()
    git(root, "init", "-q")
    (root / "edited.txt").write_text("one\n")
    (root / "removed é.txt").write_text("one\n")
    (root / "lines.crlf").write_bytes(b"one\r\ntwo\r\n")
    (root / ".gitattributes").write_text("*.crlf text eol=crlf\n")
    os.symlink("edited.txt", root / "link")
    git(root, "add", "-A")
    git(root, "-c", "user.name=Lena", "-c", "user.email=lena@example.org", "commit", "-qm", "Begin")
    return root


def _make_link(root: Path, target: str) -> Path:
    os.symlink(target, root / "made")
    return root / "made"


_WORKS: dict[str, Callable[[Path], object]] = {
    "edit": lambda root: (root / "edited.txt").write_text("two\n"),
    "line ends": lambda root: (root / "lines.crlf").write_bytes(b"one\r\nthree\r\n"),
    "remove": lambda root: (root / "removed é.txt").unlink(),
    "add": lambda root: (root / "new.txt").write_text("new\n"),
    "mode": lambda root: (root / "edited.txt").chmod(0o755),
    "link": lambda root: os.replace(_make_link(root, "lines.crlf"), root / "link"),
    "file for link": lambda root: os.replace(shutil.copyfile(root / "edited.txt", root / "made"), root / "link"),
}


@pytest.mark.parametrize("kind", _WORKS)
def test_work_is_there_until_it_is_undone(place: Path, kind: str) -> None:
    before = _tree(place)
    _WORKS[kind](place)
    work = TreeChange(before, _tree(place))
    assert list_undone(str(place), [work]) == [False]
    git(place, "reset", "-q", "--hard")
    git(place, "clean", "-fdq")
    assert list_undone(str(place), [work]) == [True]
    _WORKS[kind](place)
    assert list_undone(str(place), [work]) == [False]


def test_each_work_is_told_by_its_own_files(place: Path) -> None:
    before = _tree(place)
    for kind in ("edit", "add"):
        _WORKS[kind](place)
    after = _tree(place)
    git(place, "checkout", "-q", "edited.txt")
    works = [
        TreeChange(before, after),
        TreeChange(before, after, ("edited.txt",)),
        TreeChange(before, after, ("new.txt",)),
    ]
    assert list_undone(str(place), works) == [False, True, False]


def test_a_tree_that_git_has_no_more_undoes_nothing(place: Path) -> None:
    before = _tree(place)
    gone = "0123456789" * 4
    assert (
        list_undone(str(place), [TreeChange(before, gone), TreeChange(gone, before), TreeChange(before, before)])
        == [False] * 3
    )
