"""An index that is put back makes git say what it said at entry, also of files that are as young as the index."""

import os
from pathlib import Path

import pytest

from planrail.git.snapshots.parking import park, undo
from planrail.git.snapshots.snapshots import compare, take_snapshot
from tests.git.snapshot_trees import git, git_state, make_repository, walk, write

MOMENT = 1_000_000_000  # seconds


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository in which `a.py` was staged and changed, to as many bytes, within one moment.

    git is told to look at times and sizes alone, so that no inode or time of change tells the two apart by chance.
    """
    root = make_repository(tmp_path / "r")
    git(root, "config", "core.checkStat", "minimal")
    git(root, "config", "core.trustCtime", "false")
    _write_then(root, b"1\n")
    git(root, "add", "a.py")
    _write_then(root, b"2\n")
    os.utime(root / ".git/index", (MOMENT, MOMENT))
    return root


def _write_then(root: Path, content: bytes) -> None:
    os.utime(write(root, "a.py", content), (MOMENT, MOMENT))


def test_a_file_changed_in_the_moment_it_was_staged_is_still_changed_after_undoing(root: Path) -> None:
    before = walk(root), git_state(root)
    assert "1 MM N..." in str(before[1][-1])
    snapshot = take_snapshot(str(root), str(root.parent / "snapshots"), "n", taken_at=1e9)
    git(root, "add", "-A")
    changes = compare(snapshot)
    park(snapshot, changes, "p")
    assert undo(snapshot, changes).left == []
    assert (walk(root), git_state(root)) == before
    assert not compare(snapshot)
