"""Whatever an agent does to its files: the snapshot is what git itself would commit of them, and a room at the snapshot
has exactly those files again."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planrail.base.run_model import Workspace
from planrail.git.workspaces.work_snapshots import take_snapshot
from planrail.git.workspaces.workspaces import move_to, open_workspace
from tests.git.snapshot_trees import git, walk, write
from tests.git.workspace_trees import commit

_NAMES = ["a", "b", "c.txt", "d", "e e", "é", "-x", "x.log", "t.crlf", os.fsdecode(b"\xff"), "n\nl", '"q"', "\\"]
_paths = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3).map("/".join)
_contents = st.sampled_from([b"", b"1\n", b"2\n", b"one\r\ntwo\r\n", b"\0\1", b"long" * 500])
_edit = st.one_of(
    st.tuples(st.just("write"), _paths, _contents),
    st.tuples(st.just("write"), _paths, _contents),
    st.tuples(st.just("remove"), _paths, st.just(b"")),
    st.tuples(st.just("mode"), _paths, st.just(b"")),
    st.tuples(st.just("link"), _paths, st.sampled_from([b"a", b"..", b"/etc", b"missing"])),
    st.tuples(st.just("folder"), _paths, st.just(b"")),
    st.tuples(st.just("ignore"), st.just(".gitignore"), st.sampled_from([b"*.log\n", b"b\n", b"/d/*\n!/d/a\n", b""])),
    st.tuples(st.just("ignore"), st.just(".gitattributes"), st.sampled_from([b"*.crlf text eol=crlf\n", b"* -text\n"])),
)
_edits = st.lists(_edit, max_size=12)
Edits = list[tuple[str, str, bytes]]


def _apply(root: Path, edits: Edits) -> None:
    for kind, name, content in edits:
        place = root / name
        try:
            _apply_one(root, place, kind, content)
        except (NotADirectoryError, IsADirectoryError, FileExistsError, FileNotFoundError):
            continue


def _apply_one(root: Path, place: Path, kind: str, content: bytes) -> None:
    if any(parent.is_symlink() for parent in place.parents if parent.is_relative_to(root)):
        return
    if kind == "remove" or kind in ("write", "link", "ignore"):
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
    if kind in ("write", "ignore"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    elif kind == "link":
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(os.fsdecode(content))
    elif kind == "mode" and place.is_file() and not place.is_symlink():
        place.chmod(0o755 if place.stat().st_mode & 0o100 == 0 else 0o644)
    elif kind == "folder":
        place.mkdir(parents=True, exist_ok=True)


def _tree_by_git(workspace: Workspace, root: Path, folder: Path) -> str:
    """What `git add --all` in a clone of its own makes of the same files."""
    copy = folder / "copy"
    shutil.copytree(workspace.path, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    subprocess.run(["git", "clone", "-q", "--bare", "--shared", str(root), str(folder / "copy.git")], check=True)
    places = (f"--git-dir={folder}/copy.git", f"--work-tree={copy}")
    options = (*places, "-c", "core.bare=false", "-c", "core.safecrlf=false")
    git(copy, *options, "read-tree", workspace.base)
    git(copy, *options, "add", "--all", ".")
    return git(copy, *options, "write-tree").strip()


def _try(folder: Path, base_edits: Edits, rounds: list[Edits]) -> None:
    root = folder / "repo"
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    write(root, "kept", "kept\n")
    _apply(root, base_edits)
    base = commit(root, "base")
    workspace = open_workspace(str(root), str(folder / "work"), base, str(folder / "work.index"))
    room = open_workspace(str(root), str(folder / "room"), base, str(folder / "room.index"))
    for number, edits in enumerate(rounds):
        _apply(Path(workspace.path), edits)
        taken = take_snapshot(str(root), workspace, f"refs/planrail/x/{number}", "work")
        step = folder / f"step{number}"
        step.mkdir()
        assert taken.tree == _tree_by_git(workspace, root, step)
        git(root, "clone", "-q", "--no-checkout", str(root), str(step / "clone"))
        git(step / "clone", "fetch", "-q", "origin", f"refs/planrail/x/{number}")
        git(step / "clone", "checkout", "-q", "--detach", taken.commit)
        move_to(str(root), room, taken.commit)
        assert walk(Path(room.path)) == walk(step / "clone")
        _apply(Path(room.path), edits[::-1])  # what checks do to a room


def test_a_room_has_its_line_ends_anew_when_attributes_change(tmp_path: Path) -> None:
    said: Edits = [("ignore", ".gitattributes", b"*.crlf text eol=crlf\n")]
    _try(tmp_path, [], [[("write", "d/t.crlf", b"2\n")], said, [("remove", ".gitattributes", b"")]])


@pytest.mark.full
@settings(max_examples=12)
@given(base=_edits, rounds=st.lists(_edits, min_size=1, max_size=3))
def test_a_snapshot_is_what_git_would_commit(
    tmp_path_factory: pytest.TempPathFactory, base: Edits, rounds: list[Edits]
) -> None:
    folder = tmp_path_factory.mktemp("snap")
    _try(folder, base, rounds)
    shutil.rmtree(folder)


@pytest.mark.soak
@settings(max_examples=250)
@given(base=_edits, rounds=st.lists(_edits, min_size=1, max_size=4))
def test_many_snapshots_are_what_git_would_commit(
    tmp_path_factory: pytest.TempPathFactory, base: Edits, rounds: list[Edits]
) -> None:
    folder = tmp_path_factory.mktemp("snap")
    _try(folder, base, rounds)
    shutil.rmtree(folder)
