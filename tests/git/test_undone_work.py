"""Work that nobody committed is there until its files are as they were before."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.git.undone_work import TreeChange, list_undone
from planrail.runs.in_session.working_tree import take_tree
from tests.git.snapshot_trees import git
from tests.guard.planted import IDENTITY


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
    git(root, *IDENTITY, "commit", "-qm", "Begin")
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
    files: list[tuple[str, ...]] = [(), ("edited.txt",), ("new.txt",), ("edited.txt", "new.txt")]
    undone = [list_undone(str(place), [TreeChange(before, after, files=own)]) for own in files]
    assert undone == [[False], [True], [False], [True]]


@pytest.mark.parametrize(
    ("files", "is_undone"), [(("edited.txt",), False), (("edited.txt", "new.txt"), False), (("new.txt",), True)]
)
def test_what_a_later_work_is_about_is_its_own(place: Path, files: tuple[str, ...], is_undone: bool) -> None:
    before = _tree(place)
    _WORKS["edit"](place)
    between = _tree(place)
    git(place, "checkout", "-q", "edited.txt")
    _WORKS["add"](place)
    first, second = TreeChange(before, between, files=("edited.txt",)), TreeChange(between, _tree(place), files=files)
    assert list_undone(str(place), [first, second]) == [is_undone, False]
    assert list_undone(str(place), [first, second._replace(files=())]) == [False, False]


@pytest.mark.parametrize("is_committed", [True, False])
def test_what_was_committed_is_history_whatever_became_of_it(place: Path, is_committed: bool) -> None:
    before, base = _tree(place), git(place, "rev-parse", "HEAD").strip()
    _WORKS["add"](place)
    work = TreeChange(before, _tree(place), base, ("new.txt",))
    if not is_committed:
        (place / "new.txt").unlink()
    _WORKS["edit"](place)
    git(place, "add", "-A")
    git(place, *IDENTITY, "commit", "-qm", "Go on")
    (place / "new.txt").unlink(missing_ok=True)
    assert list_undone(str(place), [work]) == [not is_committed]


def test_a_tree_that_git_has_no_more_undoes_nothing(place: Path) -> None:
    before = _tree(place)
    gone = "0123456789" * 4
    works = [TreeChange(*pair) for pair in ((before, gone), (gone, before), (before, before))]
    assert list_undone(str(place), works) == [False] * 3
