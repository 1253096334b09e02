"""A mirror is a clone of planrail's own: whole or not there, its branches as the remote has them, nothing checked out."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from planrail.base.errors import PlanrailError, ToolFailed
from planrail.git.remotes.mirrors import bring_branch, follow, is_mirror, mirror_name, open_mirror, write_plan_file
from planrail.git.trailers import read_history
from tests.landing.remotes import RemoteStage, act, finish, git, start_actor, was_killed

_INSTANTS = ("mirror.begun", "mirror.brought", "mirror.made")


@pytest.fixture
def stage(tmp_path: Path) -> RemoteStage:
    return RemoteStage(tmp_path)


def test_a_mirror_has_the_target_and_nothing_checked_out_no_hook_and_no_collector(stage: RemoteStage) -> None:
    git(stage.person, "tag", "v1")
    git(stage.person, "push", "--quiet", "origin", "v1")
    root = stage.mirror()
    assert os.listdir(root) == [".git"]
    assert git(root, "rev-parse", "HEAD", "refs/heads/main", "refs/tags/v1").split() == [stage.base] * 3
    assert git(root, "rev-parse", "--symbolic-full-name", "HEAD") == "HEAD"  # no branch
    assert not os.path.exists(os.path.join(root, ".git", "index"))
    assert git(root, "fsck", "--strict") == ""
    assert read_history(root, "refs/heads/main") == []
    assert git(root, "config", "--get", "core.hooksPath") == "/dev/null"
    assert git(root, "config", "--get", "gc.auto") == "0"
    assert not os.path.exists(os.path.join(root, ".git", "hooks"))


def test_a_mirror_is_opened_again_with_what_is_new_and_follows_a_rewritten_history(stage: RemoteStage) -> None:
    root = stage.mirror()
    tip = stage.commit("new.txt", "new\n")
    assert stage.mirror() == root
    assert git(root, "rev-parse", "HEAD", "refs/heads/main").split() == [tip, tip]
    git(stage.bare, "update-ref", "refs/heads/main", stage.base)
    stage.mirror()
    assert git(root, "rev-parse", "refs/heads/main") == stage.base


def test_the_target_need_not_be_the_remotes_default_branch(stage: RemoteStage) -> None:
    git(stage.person, "push", "--quiet", "origin", "main:release/2")
    root = open_mirror(str(stage.folder / "m"), str(stage.bare), "refs/heads/release/2")
    assert git(root, "for-each-ref", "--format=%(refname)", "refs/heads/") == "refs/heads/release/2"


def test_a_target_that_the_remote_does_not_have_or_that_is_no_name_is_refused_and_leaves_nothing(
    stage: RemoteStage,
) -> None:
    with pytest.raises(PlanrailError, match="no branch nowhere") as caught:
        open_mirror(str(stage.folder / "m"), str(stage.bare), "nowhere")
    assert not isinstance(caught.value, ToolFailed)
    assert caught.value.remedy
    for target in ("", "+a:refs/heads/main", "a:b", "-x", "refs/heads/", "a b"):
        with pytest.raises(PlanrailError, match=r"no name for a branch|no branch"):
            open_mirror(str(stage.folder / "m"), str(stage.bare), target)
    assert [name for name in os.listdir(stage.folder) if name.startswith("m")] == ["m.lock"]
    git(stage.folder, "init", "--quiet", "--bare", str(stage.folder / "empty.git"))
    with pytest.raises(PlanrailError, match="no branch main"):
        open_mirror(str(stage.folder / "m"), str(stage.folder / "empty.git"), "main")


def test_no_error_repeats_the_credentials_of_an_address(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as caught:
        open_mirror(str(tmp_path / "m"), "https://me:s3cret@127.0.0.1:1/o/r.git", "main")
    assert "s3cret" not in caught.value.message + caught.value.remedy + str(caught.value)
    assert "127.0.0.1" in caught.value.message + caught.value.remedy


def test_the_address_is_for_its_owner_alone_and_may_change(stage: RemoteStage) -> None:
    root = stage.mirror()
    place = Path(root, ".git", "planrail-remote")
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(os.stat(root).st_mode) == 0o700
    moved = stage.folder / "moved.git"
    stage.bare.rename(moved)
    open_mirror(root, str(moved), "main")
    assert git(root, "config", "--get", "remote.origin.url") == str(moved)


def test_a_remote_with_the_longer_hashes_is_mirrored(tmp_path: Path) -> None:
    person = tmp_path / "person"
    git(tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", str(person))
    git(person, "commit", "--quiet", "--allow-empty", "--message", "Begin")
    root = open_mirror(str(tmp_path / "m"), str(person), "main")
    assert len(git(root, "rev-parse", "HEAD")) == 64


@pytest.mark.parametrize("instant", _INSTANTS)
def test_whoever_dies_while_making_one_leaves_none_that_is_half(stage: RemoteStage, instant: str) -> None:
    folder = str(stage.folder / "m")
    assert was_killed(act("open", folder, str(stage.bare), crash=instant)[0])
    assert is_mirror(folder) == (instant == "mirror.made")
    root = open_mirror(folder, str(stage.bare), "main")
    assert git(root, "fsck") == ""
    assert sorted(name for name in os.listdir(stage.folder) if name.startswith("m")) == ["m", "m.lock"]


def test_what_is_damaged_or_no_mirror_is_set_aside_and_replaced(stage: RemoteStage) -> None:
    work = stage.folder / "mirror" / "some" / "work.txt"
    work.parent.mkdir(parents=True)
    work.write_text("mine\n")
    root = stage.mirror()
    assert is_mirror(root)
    assert (stage.folder / "mirror.broken" / "some" / "work.txt").read_text() == "mine\n"
    shutil.rmtree(stage.folder / "mirror.broken")
    for place in Path(root, ".git", "objects").rglob("*"):
        if place.is_file():
            place.unlink()
    assert stage.mirror() == root
    assert git(root, "fsck") == ""
    assert is_mirror(f"{root}.broken")


@pytest.mark.full
def test_several_processes_may_open_one_at_once(stage: RemoteStage) -> None:
    folder = str(stage.folder / "m")
    actors = [start_actor("open", folder, str(stage.bare)) for _ in range(6)]
    assert [finish(actor) for actor in actors] == [(0, f"{folder}\n")] * 6
    assert git(folder, "fsck") == ""
    assert git(folder, "rev-parse", "HEAD") == stage.base


def test_the_branch_of_a_request_is_brought_as_the_remote_has_it(stage: RemoteStage) -> None:
    root = stage.mirror()
    assert bring_branch(root, "refs/heads/feat/a") == ""
    git(stage.person, "push", "--quiet", "origin", "main:feat/a")
    assert bring_branch(root, "refs/heads/feat/a") == stage.base
    assert git(root, "rev-parse", "refs/heads/feat/a") == stage.base


def test_branches_of_a_users_repository_are_never_made_to_follow(stage: RemoteStage) -> None:
    other = stage.commit("other.txt", "other\n")
    with pytest.raises(ToolFailed, match="left alone"):
        follow(str(stage.person), {"refs/heads/main": stage.base})
    assert git(stage.person, "rev-parse", "main") == other


def test_a_mirror_has_a_name_for_each_target_and_none_of_its_credentials() -> None:
    name = mirror_name("https://me:s3cret@forge.example/o/r.git", "refs/heads/main")
    assert name == mirror_name("https://other:token@forge.example/o/r.git", "main")
    assert name != mirror_name("https://forge.example/o/r.git", "next")
    assert "s3cret" not in name
    assert "/" not in name


# ---- the plan's file


def test_the_plans_file_is_put_where_it_would_lie(stage: RemoteStage) -> None:
    text = "# A plan\r\n\xe4\udcff\n"
    place = stage.person / "docs" / "a plan.md"
    place.parent.mkdir()
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    git(stage.person, "add", "-A")
    git(stage.person, "commit", "--quiet", "--message", "Plan")
    git(stage.person, "push", "--quiet", "origin", "main")
    root = stage.mirror()
    written = write_plan_file(root, "refs/heads/main", "docs/a plan.md")
    assert written == os.path.join(root, "docs/a plan.md")
    assert Path(written).read_bytes() == place.read_bytes()
    assert write_plan_file(root, "main", "docs/a plan.md") == written
    assert os.listdir(os.path.join(root, "docs")) == ["a plan.md"]


def test_a_plan_that_the_remote_does_not_have_as_a_file_is_refused(stage: RemoteStage) -> None:
    os.symlink("/etc/passwd", stage.person / "plan.md")
    stage.commit("docs/x.md", "x\n")
    root = stage.mirror()
    for path in ("no.md", "docs", "plan.md"):
        with pytest.raises(PlanrailError, match="no file on origin/main") as caught:
            write_plan_file(root, "main", path)
        assert "git push" in caught.value.remedy
    for path in ("/etc/passwd", "../x.md", "a/../../x.md", ".git/config", "a//b", "sub/.GIT/x", ""):
        with pytest.raises(PlanrailError, match="no path inside"):
            write_plan_file(root, "main", path)


def test_a_link_on_the_way_is_not_followed(stage: RemoteStage, tmp_path: Path) -> None:
    stage.commit("docs/x.md", "x\n")
    root, outside = stage.mirror(), tmp_path / "outside"
    outside.mkdir()
    os.symlink(outside, os.path.join(root, "docs"))
    write_plan_file(root, "main", "docs/x.md")
    assert os.listdir(outside) == []
    assert Path(root, "docs", "x.md").read_text() == "x\n"
