"""Pushing and fetching with real git: by compare-and-swap, with nobody's hooks, beside the user's refs."""

from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.git.remotes.forge_places import hide_credentials, locate_forge, read_address
from planrail.git.remotes.pushing import Upstream, delete_branch, fetch_ref, push, remote_of
from planrail.git.remotes.request_values import MergeProof, Pushed, PushFailed, PushRejected
from tests.forge.stage import add_work, git
from tests.support.forge_server import Hosted, bare


def test_a_branch_moves_only_from_where_it_is_expected(root: Path, repository: tuple[Path, Hosted]) -> None:
    first, second = add_work(root, "one.txt"), add_work(root, "two.txt")
    pushed = Pushed("feat/x", first.commit)
    assert push(str(root), "origin", first.commit, "feat/x", "") == pushed
    assert push(str(root), "origin", first.commit, "feat/x", "") == pushed
    assert isinstance(push(str(root), "origin", second.commit, "feat/x", ""), PushRejected)
    assert isinstance(push(str(root), "origin", second.commit, "feat/x", second.base), PushRejected)
    assert bare.head_of(repository[1].path, "feat/x") == first.commit
    assert isinstance(push(str(root), "origin", second.commit, "feat/x", first.commit), Pushed)
    for state in ("open", "closed", "unproven", ""):
        assert not delete_branch(str(root), "origin", "feat/x", second.commit, MergeProof(state))
    for commit in ("", second.base):  # no branch is deleted without proof
        assert not delete_branch(str(root), "origin", "feat/x", commit, MergeProof("landed"))
    assert bare.head_of(repository[1].path, "feat/x") == second.commit


def test_neither_push_nor_fetch_runs_a_hook_of_the_repository(root: Path, tmp_path: Path) -> None:
    work = add_work(root, "one.txt")
    for name in ("pre-push", "reference-transaction"):
        hook = root / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\nexit 1\n")
        hook.chmod(0o755)
    assert isinstance(push(str(root), "origin", work.commit, "feat/x", ""), Pushed)
    fetch_ref(str(root), "origin", "feat/x")
    assert fetch_ref(str(root), "origin", "never") is None  # which is no error
    assert not (tmp_path / "ran").exists()


def test_a_remote_that_refuses_says_why(root: Path, repository: tuple[Path, Hosted]) -> None:
    hook = Path(repository[1].path, "hooks", "pre-receive")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no secrets here' >&2\nexit 1\n")
    hook.chmod(0o755)
    answer = push(str(root), "origin", add_work(root, "one.txt").commit, "feat/x", "")
    assert isinstance(answer, PushRejected)
    assert "no secrets here" in answer.reason


def test_a_remote_that_is_not_there_is_a_failure(root: Path, tmp_path: Path) -> None:
    git(root, "remote", "add", "gone", str(tmp_path / "gone"))
    answer = push(str(root), "gone", add_work(root, "one.txt").commit, "feat/x", "")
    assert isinstance(answer, PushFailed)
    assert answer.remedy
    with pytest.raises(ToolFailed, match="could not be fetched"):
        fetch_ref(str(root), "gone", "main")


def test_what_is_no_name_of_a_branch_is_never_pushed(root: Path, repository: tuple[Path, Hosted]) -> None:
    before, work = bare.run(repository[1].path, "for-each-ref"), add_work(root, "one.txt")
    for branch in ("", "a:refs/heads/main", "a b", "a..b", "-a", "a.lock", "/a", "a@{0}", "HEAD", "*"):
        assert isinstance(push(str(root), "origin", work.commit, branch, ""), PushRejected), branch
    assert bare.run(repository[1].path, "for-each-ref") == before


def test_the_remote_of_a_branch_is_as_git_was_told(root: Path) -> None:
    assert remote_of(str(root), "refs/heads/main") == Upstream("origin", "main")
    git(root, "remote", "add", "upstream", "https://github.localhost/them/r.git")
    git(root, "config", "branch.main.remote", "upstream")
    git(root, "config", "branch.main.merge", "refs/heads/trunk")
    assert remote_of(str(root), "refs/heads/main") == Upstream("upstream", "trunk")
    assert remote_of(str(root), "refs/heads/other") == Upstream("origin", "other")
    git(root, "init", "--quiet", str(root.parent / "alone"))
    assert remote_of(str(root.parent / "alone"), "refs/heads/main") is None


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("https://github.com/o/r.git", ("github.com", "o", "r")),
        ("https://user:token@GitHub.com/o/r", ("github.com", "o", "r")),
        ("git@github.com:o/r.git", ("github.com", "o", "r")),
        ("ssh://git@forge.example:2222/o/r.git", ("forge.example", "o", "r")),
        ("/srv/git/r.git", None),
        ("../r.git", None),
        ("file:///srv/o/r.git", None),
        ("https://github.com/o", None),
        ("https://github.com/o/r/../../x", None),
        ("https://github.com/o/-r?x", None),
    ],
)
def test_an_address_names_host_owner_and_repository(address: str, place: tuple[str, str, str] | None) -> None:
    assert read_address(address) == place


def test_a_fork_asks_the_repository_that_gh_was_told(root: Path) -> None:
    git(root, "remote", "add", "upstream", "https://github.localhost/them/r.git")
    git(root, "config", "remote.upstream.gh-resolved", "base")
    forge = locate_forge(str(root), "origin")
    assert (forge.owner, forge.head_owner, forge.base_remote) == ("them", "o", "upstream")


def test_a_token_in_an_address_is_not_repeated() -> None:
    assert hide_credentials("fatal: 'https://me:secret@host/o/r' not found") == "fatal: 'https://host/o/r' not found"
