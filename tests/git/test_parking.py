"""What slipped through is copied to a branch, and undone exactly, and nothing that is not copied is ever lost."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError
from planrail.git.snapshots import content as snapshot_content
from planrail.git.snapshots.parking import park, parked_branches, undo
from planrail.git.snapshots.snapshots import TreeChanges, TreeSnapshot, compare, take_snapshot
from planrail.git.snapshots.undo import Undone
from tests.git.snapshot_trees import git, git_state, users_files, walk, write


def take(root: Path) -> TreeSnapshot:
    return take_snapshot(str(root), str(root.parent / "snapshots"), "n1", taken_at=1e9)


def park_all(root: Path, snapshot: TreeSnapshot) -> tuple[str, TreeChanges]:
    changes = compare(snapshot)
    return park(snapshot, changes, "s1")[0], changes


def park_and_undo(root: Path, snapshot: TreeSnapshot) -> Undone:
    _, changes = park_all(root, snapshot)
    return undo(snapshot, changes)


def _slip(root: Path) -> None:
    write(root, "new/file.py", "new\n")
    write(root, "a.py", "other\n")
    write(root, "b.py", "the user's change is gone\n")
    (root / "d/one.txt").unlink()
    (root / "notes.txt").unlink()
    (root / "run.sh").chmod(0o644)
    (root / "link").unlink()
    write(root, "link", "a file now\n")


def test_parking_makes_a_branch_with_the_changes_once_and_touches_nothing_else(root: Path) -> None:
    snapshot = take(root)
    assert park_all(root, snapshot)[0] == ""
    _slip(root)
    before = walk(root), git_state(root), users_files(root)
    with pytest.raises(PlanrailError, match="parked"):
        undo(snapshot, compare(snapshot))
    branch, changes = park_all(root, snapshot)
    assert park_all(root, snapshot)[0] == branch == "planrail/parked/s1-1"
    assert (walk(root), git_state(root), users_files(root)) == before
    shown = git(root, "diff-tree", "-r", "--name-only", "--no-renames", snapshot.commit, branch).split()
    assert sorted(shown) == sorted(file.path for file in changes.files)
    assert git(root, "show", f"{branch}:new/file.py") == "new\n"
    message = git(root, "log", "-1", "--format=%an%n%B", branch)
    assert message.startswith("planrail\n")
    assert all(file.path in message for file in changes.files)
    write(root, "a.py", "yet another\n")
    assert park_all(root, snapshot)[0] == "planrail/parked/s1-2"
    assert parked_branches(snapshot) == [branch, "planrail/parked/s1-2"]
    assert git(root, "show", f"{branch}:a.py") == "other\n"


def test_any_label_gives_a_branch_of_planrails_own_and_none_is_overwritten(root: Path) -> None:
    git(root, "branch", "planrail/parked/s1-1")
    before = git(root, "rev-parse", "planrail/parked/s1-1")
    snapshot = take(root)
    _slip(root)
    assert park_all(root, snapshot)[0] == "planrail/parked/s1-2"
    assert git(root, "rev-parse", "planrail/parked/s1-1") == before
    for number, label in enumerate(["", "../../heads/main", "a b~^:", "x.lock", "日本", "-"]):
        write(root, "a.py", f"{number}\n")
        branch = park(snapshot, compare(snapshot), label)[0]
        assert branch.startswith("planrail/parked/")
        assert git(root, "rev-parse", "--verify", f"refs/heads/{branch}")


def test_undoing_restores_every_byte_and_mode(root: Path) -> None:
    (root / "notes.txt").chmod(0o600)
    snapshot = take(root)
    before = walk(root), git_state(root)
    _slip(root)
    undone = park_and_undo(root, snapshot)
    assert undone.left == []
    assert (walk(root), git_state(root)) == before
    assert not (root / "new").exists()
    assert not compare(snapshot)


def test_what_a_person_changed_after_the_parking_is_left_and_said(root: Path) -> None:
    snapshot = take(root)
    _slip(root)
    _, changes = park_all(root, snapshot)
    write(root, "a.py", "a person's edit\n")
    write(root, "new/file.py", "a person's edit\n")
    undone = undo(snapshot, changes)
    assert [name for name, _ in undone.left] == ["a.py", "new/file.py"]
    assert all("changed since it was parked" in reason for _, reason in undone.left)
    assert (root / "a.py").read_text() == (root / "new/file.py").read_text() == "a person's edit\n"
    assert (root / "notes.txt").read_text() == "untracked\n"


def _commit(root: Path) -> None:
    write(root, "a.py", "committed\n")
    git(root, "commit", "-q", "-m", "slipped", "a.py")


def _commit_all(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "all")


def _rename_branch(root: Path) -> None:
    git(root, "branch", "-m", "main", "trunk")


def _reset(root: Path) -> None:
    _commit_all(root)
    git(root, "reset", "-q", "--hard", "HEAD~1")


def _stash_twice(root: Path) -> None:
    git(root, "stash", "-q", "-u")
    write(root, "a.py", "more\n")
    git(root, "stash", "-q")


ACTS: dict[str, Callable[[Path], object]] = {
    "commit everything": _commit_all,
    "reset --hard": _reset,
    "branch -m": _rename_branch,
    "branch -D": lambda root: git(root, "branch", "-D", "other"),
    "branch and tag": lambda root: (git(root, "branch", "new"), git(root, "tag", "v1")),
    "annotated tag": lambda root: git(root, "tag", "-a", "-m", "x", "v1"),
    "switch -c": lambda root: git(root, "switch", "-q", "-c", "new"),
    "add": lambda root: git(root, "add", "-A"),
    "rm": lambda root: git(root, "rm", "-q", "-r", "-f", "."),
    "stash twice": _stash_twice,
    "folder for file": lambda root: (git(root, "rm", "-q", "a.py"), write(root, "a.py/inner/x", "x\n")),
    "file for folder": lambda root: (git(root, "rm", "-q", "-r", "d"), write(root, "d", "x\n")),
    "rules": lambda root: (write(root, ".gitignore", "*\n"), write(root, "hidden/x", "x\n")),
    "itself": lambda root: (write(root, "h/.gitignore", "*\n"), write(root, "h/x/y", "x\n")),
}


@pytest.mark.parametrize("name", ACTS)
def test_undoing_restores_the_tree_and_all_that_git_keeps_and_the_branch_has_what_was_undone(
    root: Path, name: str
) -> None:
    snapshot = take(root)
    before = walk(root), git_state(root)
    ACTS[name](root)
    after = walk(root)
    branch, changes = park_all(root, snapshot)
    assert undo(snapshot, changes).left == []
    assert (walk(root), git_state(root)) == before
    assert not compare(snapshot)
    git(root, "reflog", "expire", "--expire=now", "--all")
    git(root, "gc", "-q", "--prune=now")
    for file in changes.files:
        kind, content = after.get(file.path, ("", None))
        if kind and kind != "link":
            assert git(root, "show", f"{branch}:{file.path}").encode() == content
    for ref in changes.refs:
        assert not ref.now or git(root, "cat-file", "-t", ref.now)


@pytest.mark.full
def test_an_entry_dropped_from_the_stash_comes_back(root: Path) -> None:
    for text in ("one\n", "two\n", "three\n"):
        write(root, "a.py", text)
        git(root, "stash", "push", "-q", "a.py")
    snapshot = take(root)
    before = git_state(root)
    git(root, "stash", "drop", "-q", "stash@{1}")
    git(root, "gc", "-q", "--prune=now")
    assert park_and_undo(root, snapshot).left == []
    assert git_state(root) == before
    git(root, "stash", "clear")
    assert park_and_undo(root, snapshot).left == []
    assert git_state(root) == before


def test_a_ref_that_was_moved_again_is_left(root: Path) -> None:
    snapshot = take(root)
    _commit(root)
    _, changes = park_all(root, snapshot)
    git(root, "commit", "-q", "--allow-empty", "-m", "a person's")
    mine = git(root, "rev-parse", "HEAD")
    undone = undo(snapshot, changes)
    assert "refs/heads/main" in dict(undone.left)
    assert git(root, "rev-parse", "HEAD") == mine


def test_in_a_repository_with_long_hashes_and_without_a_commit_all_is_undone(tmp_path: Path) -> None:
    root = tmp_path / "empty"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    write(root, "a.py", "a\n")
    snapshot = take(root)
    before = walk(root), git_state(root)
    write(root, "a.py", "b\n")
    write(root, "c.py", "c\n")
    _commit_all(root)
    assert park_and_undo(root, snapshot).left == []
    assert (walk(root), git_state(root)) == before


def test_odd_names_bytes_and_line_ends_are_restored(root: Path) -> None:
    write(root, ".gitattributes", "*.txt text eol=crlf\n*.dat -text\n")
    write(root, "clean.txt", "a\r\nb\r\n")
    write(root, "mixed.dat", "a\r\nb\n")
    git(root, "add", ".gitattributes", "clean.txt", "mixed.dat")
    git(root, "commit", "-q", "-m", "ends")
    write(root, "dirty.txt", "a\r\nb\n")
    names = ["with space", "new\nline", 'quo"te', "back\\slash", "end\r", "日本.md", "-dash", ":(glob)*", "*"]
    for at, name in enumerate(names):
        write(root, name, bytes(range(256)) * at)
    snapshot = take(root)
    before = walk(root)
    assert not compare(snapshot)
    for name in (*names, "clean.txt", "mixed.dat", "dirty.txt"):
        write(root, name, b"\xff\x00\r\n")
    write(root, ".gitattributes", "")
    assert park_and_undo(root, snapshot).left == []
    assert walk(root) == before


def test_a_link_out_of_the_tree_is_never_followed(root: Path) -> None:
    outside = root.parent / "outside"
    snapshot = take(root)
    before = walk(root)
    (root / "d").rename(outside)
    (root / "d").symlink_to(outside)
    write(root, "d/one.txt", "written through the link\n")
    there = walk(outside)
    assert park_and_undo(root, snapshot).left == []
    assert walk(root) == before
    assert walk(outside) == there


def test_a_link_planted_in_the_way_after_the_parking_is_not_followed(root: Path) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    write(outside, "one.txt", "not yours\n")
    snapshot = take(root)
    (root / "d/one.txt").unlink()
    _, changes = park_all(root, snapshot)
    (root / "d").rename(root.parent / "aside")
    (root / "d").symlink_to(outside)
    undone = undo(snapshot, changes)
    assert [name for name, _ in undone.left] == ["d/one.txt"]
    assert walk(outside) == {"one.txt": ("644", b"not yours\n")}


def test_ignored_files_are_never_touched(root: Path) -> None:
    write(root, "build/out", "x\n")
    snapshot = take(root)
    write(root, "new.log", "ignored\n")
    write(root, "build/out", "y\n")
    write(root, ".gitignore", "")
    assert park_and_undo(root, snapshot).left == []
    assert (root / "new.log").exists()
    assert (root / "build/out").read_text() == "y\n"


def test_what_could_not_be_copied_is_left_and_said(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_content, "LARGEST_FILE", 1000)
    write(root, "was big", b"x" * 2000)
    snapshot = take(root)
    write(root, "was big", b"y")
    write(root, "is big", b"x" * 2000)
    os.mkfifo(root / "pipe")
    branch, changes = park_all(root, snapshot)
    undone = undo(snapshot, changes)
    assert {name for name, _ in undone.left} == {"is big", "was big"} | ({"pipe"} & {f.path for f in changes.files})
    assert (root / "is big").exists()
    assert "is big (not copied: too large" in git(root, "log", "-1", "--format=%B", branch)


def test_a_file_that_cannot_be_written_is_left_and_the_rest_restored(root: Path) -> None:
    snapshot = take(root)
    (root / "d/one.txt").unlink()
    write(root, "a.py", "x\n")
    (root / "d/two.txt").unlink()
    write(root, "d/two.txt/in the way", "x\n")
    _, changes = park_all(root, snapshot)
    write(root, "d/two.txt/a person's", "x\n")
    undone = undo(snapshot, changes)
    assert [name for name, _ in undone.left] == ["d/two.txt"]
    assert (root / "a.py").read_text() == "a\n"
    assert (root / "d/two.txt/a person's").exists()


def test_settings_are_told_and_not_restored(root: Path) -> None:
    snapshot = take(root)
    git(root, "config", "user.name", "X")
    branch, changes = park_all(root, snapshot)
    assert "settings  config" in git(root, "log", "-1", "--format=%B", branch)
    assert [name for name, _ in undo(snapshot, changes).left] == ["config"]


def test_a_file_changed_in_the_moment_it_was_staged_is_still_changed_after_undoing(root: Path) -> None:
    """git is told to look at times and sizes alone, so that no inode or time of change tells the two apart by chance."""
    git(root, "config", "core.checkStat", "minimal")
    git(root, "config", "core.trustCtime", "false")
    moment = (1_000_000_000, 1_000_000_000)
    os.utime(write(root, "a.py", b"1\n"), moment)
    git(root, "add", "a.py")
    os.utime(write(root, "a.py", b"2\n"), moment)
    os.utime(root / ".git/index", moment)
    before = walk(root), git_state(root)
    assert "1 MM N..." in str(before[1][-1])
    snapshot = take(root)
    git(root, "add", "-A")
    assert park_and_undo(root, snapshot).left == []
    assert (walk(root), git_state(root)) == before
    assert not compare(snapshot)
