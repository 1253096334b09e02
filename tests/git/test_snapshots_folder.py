"""Outside git changes are told and not undone, and where a folder is too large that is said."""

import os
import time
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.git.snapshots import folder as snapshot_folder
from planrail.git.snapshots.parking import park, parked_branches, undo
from planrail.git.snapshots.snapshots import TreeSnapshot, compare, load_snapshot, take_snapshot
from tests.git.snapshot_trees import walk, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    write(folder, "a.txt", "a\n")
    write(folder, "d/b.txt", "b\n")
    write(folder, "d/run.sh", "echo\n").chmod(0o755)
    (folder / "link").symlink_to("a.txt")
    (folder / "folder link").symlink_to("d")
    write(folder, "node_modules/x.js", "x\n")
    return folder


def take(root: Path, taken_at: float = 0.0) -> TreeSnapshot:
    return take_snapshot(str(root), str(root.parent / "snapshots"), "n", taken_at=taken_at)


def kinds(root: Path, snapshot: TreeSnapshot) -> dict[str, str]:
    return {file.path: file.kind for file in compare(snapshot).files}


def test_nothing_changed_is_no_change_and_nothing_is_written(root: Path) -> None:
    before = walk(root)
    snapshot = take(root)
    assert load_snapshot(snapshot.folder, "n") == snapshot
    os.utime(root / "a.txt")
    write(root, "node_modules/y.js", "y\n")
    assert kinds(root, snapshot) == {}
    (root / "node_modules/y.js").unlink()
    assert walk(root) == before


def test_without_git_a_folder_is_compared_and_a_repository_is_an_error(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    snapshot = take(root)
    write(root, "a.txt", "b\n")
    assert kinds(root, snapshot) == {"a.txt": "modified"}
    (root / ".git").mkdir()
    with pytest.raises(ToolFailed):
        take(root)


def test_each_kind_of_change_is_told(root: Path) -> None:
    snapshot = take(root)
    write(root, "new.txt", "n\n")
    write(root, "a.txt", "b\n")
    (root / "d/b.txt").unlink()
    (root / "d/run.sh").chmod(0o644)
    (root / "link").unlink()
    write(root, "link", "a\n")
    (root / "folder link").unlink()
    (root / "folder link").symlink_to("elsewhere")
    assert kinds(root, snapshot) == {
        "new.txt": "added",
        "a.txt": "modified",
        "d/b.txt": "deleted",
        "d/run.sh": "mode",
        "link": "type",
        "folder link": "modified",
    }


def test_a_change_of_the_same_size_at_the_same_time_is_seen_and_the_plan_file_is_exempt(root: Path) -> None:
    snapshot = take(root, time.time())
    plan = write(root, "plan.md", "# P\n")
    assert not compare(snapshot, [str(plan.resolve())])
    plan.unlink()
    status = (root / "a.txt").stat()
    write(root, "a.txt", "b\n")
    os.utime(root / "a.txt", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert kinds(root, snapshot) == {"a.txt": "modified"}


def test_that_it_cannot_be_undone_is_said(root: Path) -> None:
    snapshot = take(root)
    write(root, "a.txt", "b\n")
    changes = compare(snapshot)
    assert park(snapshot, changes, "x")[0] == ""
    assert parked_branches(snapshot) == []
    assert undo(snapshot, changes).left == [("a.txt", "outside git no copy is kept")]
    assert "cannot be undone" in changes.notes[0]
    assert (root / "a.txt").read_text() == "b\n"


@pytest.mark.parametrize(("bound", "value"), [("MOST_FILES", 2), ("MOST_BYTES", 3)])
def test_a_folder_that_is_too_large_is_not_compared_and_that_is_said(
    root: Path, monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(snapshot_folder, bound, value)
    snapshot = take(root)
    write(root, "a.txt", "b\n")
    changes = compare(snapshot)
    assert not changes
    assert "comparison is off" in changes.notes[0]


def test_a_folder_that_grows_too_large_is_a_change(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = take(root)
    monkeypatch.setattr(snapshot_folder, "MOST_FILES", 2)
    assert "not compared" in compare(snapshot).files[0].reason
