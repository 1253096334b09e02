"""The state of a repository, by git's own word, in the main working tree and in linked ones."""

from pathlib import Path

import pytest

from planrail.git.git_state import read_state
from tests.git.snapshot_trees import git, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two branches that contradict each other."""
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in ("a", "b", "c"):
        write(root, name, "base\n")
    _commit(root, "base")
    git(root, "checkout", "-q", "-b", "side")
    write(root, "a", "side\n")
    (root / "b").unlink()
    _commit(root, "side")
    git(root, "checkout", "-q", "main")
    write(root, "a", "main\n")
    write(root, "b", "main\n")
    _commit(root, "main")
    return root


def _commit(root: Path, message: str) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def test_a_quiet_repository(root: Path) -> None:
    state = read_state(str(root))
    assert (state.operation, state.conflicts, state.dirty, state.branch) == ("", (), (), "main")
    assert state.head == git(root, "rev-parse", "HEAD").strip()


@pytest.mark.parametrize(
    ("command", "operation"),
    [
        (("merge", "side"), "merge"),
        (("cherry-pick", "side"), "cherry-pick"),
        (("rebase", "side"), "rebase"),
        (("rebase", "--apply", "side"), "rebase"),
        (("revert", "--no-edit", "HEAD~1"), "revert"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_an_operation_under_way_is_seen_in_every_working_tree(
    root: Path, tmp_path: Path, command: tuple[str, ...], operation: str
) -> None:
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", "--detach", str(linked))
    for where, other in ((linked, ""), (root, operation)):
        git(where, *command, check=False)
        state = read_state(str(where))
        assert state.operation == operation
        assert operation == "bisect" or state.conflicts
        assert read_state(str(root)).operation == other


def test_mails_that_are_being_applied_are_told_from_a_rebase(root: Path) -> None:
    git(root, "format-patch", "-q", "-1", "side", "-o", "patches")
    git(root, "am", "-q", "patches/0001-side.patch", check=False)
    assert read_state(str(root)).operation == "am"


def test_a_series_between_two_picks_is_still_under_way(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "more", "side")
    write(root, "new", "1\n")
    _commit(root, "one more")
    write(root, "a", "again\n")
    _commit(root, "another")
    git(root, "checkout", "-q", "main")
    git(root, "cherry-pick", "side", "more~1", "more", check=False)
    write(root, "a", "side\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "picked")
    state = read_state(str(root))
    assert (state.operation, state.conflicts) == ("cherry-pick", ())


def test_conflicts_of_every_code_are_seen(root: Path) -> None:
    git(root, "merge", "side", check=False)
    assert read_state(str(root)).conflicts == ("a", "b")


def test_uncommitted_paths_are_told_by_kind_with_their_names(root: Path) -> None:
    write(root, "a", "staged\n")
    git(root, "add", "a")
    write(root, "c", "changed\n")
    write(root, "new\nline", "x")
    write(root, "d/é", "x")
    state = read_state(str(root))
    assert (state.staged, state.unstaged) == (("a",), ("c",))
    assert set(state.untracked) == {"new\nline", "d/é"}
    assert set(state.dirty) == {"a", "c", "new\nline", "d/é"}
    git(root, "checkout", "-q", "--detach")
    state = read_state(str(root))
    assert (state.branch, bool(state.head)) == ("", True)


def test_only_the_stash_of_a_broken_landing_is_told(root: Path) -> None:
    write(root, "c", "1\n")
    git(root, "stash", "push", "-q", "-m", "mine")
    write(root, "c", "2\n")
    git(root, "stash", "push", "-q", "-m", "pre-cherry-pick of phase 2")
    assert read_state(str(root)).stashes == ("On main: pre-cherry-pick of phase 2",)


def test_submodules_and_lfs_of_the_target_are_told(root: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, "x", "x")
    _commit(inner, "x")
    git(root, "checkout", "-q", "-b", "special")
    git(root, "submodule", "--quiet", "add", str(inner), "deps/inner")
    write(root, "assets/.gitattributes", "*.png filter=lfs diff=lfs merge=lfs -text\n")
    _commit(root, "special")
    git(root, "checkout", "-q", "main")
    assert (read_state(str(root)).submodules, read_state(str(root)).has_lfs) == ((), False)
    state = read_state(str(root), "special")
    assert (state.submodules, state.has_lfs) == (("deps/inner",), True)


def test_repositories_without_a_commit_or_a_checkout_are_read(root: Path, tmp_path: Path) -> None:
    git(root, "init", "-q", "-b", "main", str(tmp_path / "empty"))
    state = read_state(str(tmp_path / "empty"))
    assert (state.head, state.branch, state.submodules) == ("", "main", ())
    git(root, "clone", "-q", "--bare", str(root), str(tmp_path / "bare"))
    assert read_state(str(tmp_path / "bare")).dirty == ()
