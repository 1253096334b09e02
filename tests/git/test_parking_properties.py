"""Whatever is done to a tree after a snapshot is seen, parked and undone, to the byte."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from planrail.git.snapshots.parking import park, undo
from planrail.git.snapshots.snapshots import compare, take_snapshot
from tests.git.snapshot_trees import git, git_state, make_repository, walk

NAMES = st.sampled_from(
    [
        "a.py",
        "b.py",
        "d",
        "d/one.txt",
        "d/e",
        "d/e/deep.txt",
        "link",
        "run.sh",
        "notes.txt",
        "new",
        "new/x",
        "staged.py",
    ]
)
TEXTS = st.sampled_from([b"", b"a\n", b"z\n", b"changed by the user\n", b"\r\n", b"\x00\xff" * 50])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("chmod"), NAMES, st.booleans()),
        st.tuples(st.just("link"), NAMES, NAMES),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("git"), st.sampled_from(["add -A", "commit -q -a -m x", "stash -q", "stash -q -u", "branch new"])),
        st.tuples(
            st.just("git"),
            st.sampled_from(["switch -q --detach", "switch -q -f other", "reset -q --hard", "branch -D other", "tag v1"]),
        ),
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip
Step = tuple[object, ...]


def _perform(root: Path, step: Step) -> None:
    """One step, as far as the tree allows it."""
    kind, name = step[0], str(step[1])
    path = root / name
    try:
        if kind == "git":
            git(root, *name.split(), check=False)
        elif kind == "write" and isinstance(step[2], bytes):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(step[2])
        elif kind == "remove":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        elif kind == "chmod" and not path.is_symlink() and path.is_file():
            path.chmod(0o755 if step[2] else 0o644)
        elif kind == "link":
            path.symlink_to(str(step[2]))
        elif kind == "move":
            path.rename(root / str(step[2]))
    except OSError:
        return


def _check(before: list[Step], after: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make_repository(Path(folder) / "r")
        for step in before:
            _perform(root, step)
        snapshot = take_snapshot(str(root), os.path.join(folder, "s"), "n", taken_at=1e9)
        files, state = walk(root), git_state(root)
        assert not compare(snapshot)
        for step in after:
            _perform(root, step)
        now = walk(root)
        changes = compare(snapshot)
        told = {file.path for file in changes.files}
        differing = {name for name in {*files, *now} if files.get(name) != now.get(name)}
        assert told == {name for name in differing if not name.endswith(".log")}
        assert bool(changes) == (bool(told) or git_state(root)[:4] != state[:4])
        branch = park(snapshot, changes, "p")[0]
        assert bool(branch) == bool(changes)
        undone = undo(snapshot, changes)
        assert undone.left == []
        assert walk(root) == files
        assert git_state(root) == state
        assert not compare(snapshot)


@pytest.mark.full
@settings(max_examples=20)
@example([], [("remove", "a.py"), ("remove", "d/e/deep.txt"), ("move", "d", "a.py")])  # a folder in it is empty
@given(STEPS, STEPS)
def test_what_is_done_to_any_tree_is_seen_parked_and_undone(before: list[Step], after: list[Step]) -> None:
    _check(before, after)


@pytest.mark.soak
@settings(max_examples=600)
@given(STEPS, STEPS)
def test_so_it_is_for_many_trees(before: list[Step], after: list[Step]) -> None:
    _check(before, after)
