"""Workspaces: exactly the files of their base, whatever was there before; and nothing of the user's is touched."""

import os
import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.git.workspaces.workspaces import close_workspace, move_to, open_workspace, open_worktree
from tests.git.snapshot_trees import git, git_state, users_files, walk, write
from tests.git.workspace_trees import Site, commit, files_of


def _git(path: str, *arguments: str) -> str:
    """git as an agent would call it, with no name of its own."""
    return subprocess.run(["git", *arguments], cwd=path, check=True, capture_output=True, text=True).stdout


def test_a_workspace_has_exactly_the_files_of_its_base(site: Site, tmp_path: Path) -> None:
    for number, base in enumerate((site.first, site.second)):
        workspace = site.open(f"w{number}", base)
        assert walk(Path(workspace.path)) == files_of(site.root, base, tmp_path / f"clone{number}")


def test_nothing_of_the_users_is_touched(site: Site) -> None:
    write(site.root, "a.py", "uncommitted\n")
    before = walk(site.root), git_state(site.root), users_files(site.root)
    workspace = site.open()
    write(Path(workspace.path), "a.py", "agent\n")
    move_to(str(site.root), workspace, site.first)
    close_workspace(workspace.path, root=str(site.root), index=workspace.index)
    assert (walk(site.root), git_state(site.root), users_files(site.root)) == before


def test_an_agent_can_use_git_as_the_user(site: Site) -> None:
    workspace = site.open()
    assert _git(workspace.path, "status", "--porcelain", "--ignored") == ""
    assert _git(workspace.path, "log", "--format=%s") == "second\nfirst\n"
    write(Path(workspace.path), "new", "x")
    _git(workspace.path, "add", "new")
    _git(workspace.path, "commit", "-q", "-m", "mine")
    assert _git(workspace.path, "log", "-1", "--format=%an <%ae>") == "Ada <ada@example.org>\n"
    assert _git(workspace.path, "fsck") == ""
    assert git(site.root, "cat-file", "-t", _git(workspace.path, "rev-parse", "HEAD").strip(), check=False) == ""


def test_a_clone_has_no_remote_no_hook_and_the_tags(site: Site) -> None:
    git(site.root, "remote", "add", "origin", "https://example.org/x.git")
    git(site.root, "config", "core.hooksPath", "hooks")
    git(site.root, "tag", "v1", site.first)
    git(site.root, "tag", "-a", "v2", "-m", "two", site.second)
    git(site.root, "pack-refs", "--all")
    git(site.root, "tag", "v3/x", site.second)
    hook = write(site.root, ".git/hooks/pre-commit", "#!/bin/sh\ntouch hooked\nexit 1\n")
    hook.chmod(0o755)
    workspace = site.open()
    _git(workspace.path, "commit", "-q", "--allow-empty", "-m", "x")
    assert _git(workspace.path, "remote") == ""
    assert _git(workspace.path, "tag").split() == ["v1", "v2", "v3/x"]
    assert _git(workspace.path, "describe", site.second) == "v2\n"
    assert not os.path.exists(os.path.join(workspace.path, "hooked"))


def _spoil(path: Path) -> None:
    """What agents leave behind, and worse."""
    write(path, "a.py", "changed\n")
    write(path, "new/deep/file", "x")
    write(path, "x.log", "ignored")
    write(path, "node_modules/pkg/index.js", "x")
    (path / "d/f2.txt").unlink()
    (path / "d/f3.txt").chmod(0o755)
    (path / "empty/er").mkdir(parents=True)
    (path / "swap/inner").unlink()
    (path / "swap").rmdir()
    (path / "swap").symlink_to("/etc")
    subprocess.run(["git", "init", "-q", str(path / "nested")], check=True)
    subprocess.run(["git", "init", "-q", str(path / "d")], check=True)
    write(path, ".git/hooks/post-checkout", "#!/bin/sh\ntouch /tmp/never\n").chmod(0o755)
    write(path, ".git/config", "[core]\n\tfsmonitor = touch never\n\tbare = true\n")
    write(path, ".git/index", "garbage")
    os.mkfifo(path / "pipe")
    os.mkfifo(path / "d/pipe")
    (path / "locked").mkdir()
    write(path, "locked/file", "x")
    (path / "locked").chmod(0o555)


def test_whatever_an_agent_leaves_is_gone_when_it_is_opened_again(site: Site, tmp_path: Path) -> None:
    workspace = site.open()
    _spoil(Path(workspace.path))
    again = site.open(base=site.first)
    assert walk(Path(again.path)) == files_of(site.root, site.first, tmp_path / "clone")
    assert not any(
        (Path(again.path) / name).exists() for name in ("empty", "nested", "pipe", "d/pipe", "locked", "d/.git")
    )
    assert _git(again.path, "status", "--porcelain", "--ignored") == ""
    assert _git(again.path, "rev-parse", "HEAD").strip() == site.first


def test_a_room_moves_to_a_commit_or_a_tree_and_back(site: Site, tmp_path: Path) -> None:
    room = site.open("room", site.first)
    expected = {base: files_of(site.root, base, tmp_path / base) for base in (site.first, site.second)}
    for base in (site.second, site.first, site.second):
        _spoil(Path(room.path)) if base == site.first else None
        move_to(str(site.root), room, base)
        assert walk(Path(room.path)) == expected[base]
        assert _git(room.path, "rev-parse", "HEAD").strip() == base
    move_to(str(site.root), room, site.tree(site.first))
    assert walk(Path(room.path)) == expected[site.first]
    assert _git(room.path, "rev-parse", "HEAD").strip() == site.first


def test_what_is_kept_stays_and_all_around_it_goes(site: Site) -> None:
    room = site.open("room", site.first)
    path = Path(room.path)
    same = path / "d/f4.txt"
    before = same.stat().st_ino, same.stat().st_mtime_ns
    write(path, "node_modules/pkg/index.js", "installed")
    write(path, "build/cache/a", "kept")
    write(path, "build/b", "not kept")
    keep = ("node_modules", "build/cache")
    move_to(str(site.root), room, site.second, keep)
    assert (path / "node_modules/pkg/index.js").read_text() == "installed"
    assert (path / "build/cache/a").read_text() == "kept"
    assert not (path / "build/b").exists()
    assert (same.stat().st_ino, same.stat().st_mtime_ns) == before  # a move costs the difference only
    move_to(str(site.root), room, site.second)
    assert not (path / "node_modules").exists()


def test_an_edit_of_the_same_size_in_the_same_instant_does_not_survive(site: Site) -> None:
    room = site.open("room")
    file = Path(room.path) / "a.py"
    times = file.stat()
    for _ in range(5):
        file.write_text("bb\n")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        move_to(str(site.root), room, site.second)
        assert file.read_text() == "aa\n"


def test_no_link_is_followed_wherever_it_stands(site: Site, tmp_path: Path) -> None:
    """In the place of a folder, in the place of what is kept, and in the place of the workspace itself."""
    room, elsewhere, precious = site.open("room"), tmp_path / "elsewhere", tmp_path / "precious"
    folder = Path(room.path) / "d"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    move_to(str(site.root), room, site.second)
    assert not folder.is_symlink()
    assert (folder / "f4.txt").read_text() == (elsewhere / "f4.txt").read_text() == "4\n"
    subprocess.run(["rm", "-r", str(folder)], check=True)
    folder.symlink_to(site.root)
    before = walk(site.root), git_state(site.root), users_files(site.root)
    move_to(str(site.root), room, site.second, keep=("d",))
    write(precious, "file", "mine")
    os.rename(room.path, tmp_path / "away")
    os.symlink(precious, room.path)
    with pytest.raises(ToolFailed, match="not the folder that planrail made"):
        move_to(str(site.root), room, site.first)
    assert not os.path.islink(site.open("room").path)
    assert walk(precious) == {"file": ("644", b"mine")}
    assert (walk(site.root), git_state(site.root), users_files(site.root)) == before


def test_the_users_own_folders_are_no_place_for_a_workspace(site: Site) -> None:
    before = walk(site.root)
    for where in ("repo", "repo/.git/x", "."):
        with pytest.raises(ToolFailed, match="no place for a workspace"):
            open_workspace(str(site.root), str(site.root.parent / where), site.first, site.index())
    assert walk(site.root) == before


def test_planrails_own_files_may_be_damaged(site: Site, tmp_path: Path) -> None:
    expected = files_of(site.root, site.second, tmp_path / "clone")
    workspace = site.open()
    for damage in ("", ".git/HEAD", ".git", ".lock"):
        _spoil(Path(workspace.path))
        place = Path(workspace.index + damage)
        if place.is_dir():
            subprocess.run(["rm", "-rf", str(place)], check=True)
        else:
            place.write_bytes(b"garbage")
        assert walk(Path(site.open().path)) == expected


def test_the_settings_of_the_users_repository_say_how_files_are_kept(site: Site) -> None:
    git(site.root, "config", "core.autocrlf", "true")
    git(site.root, "config", "filter.up.smudge", "tr a-z A-Z")
    git(site.root, "config", "filter.up.clean", "tr A-Z a-z")
    write(site.root, ".gitattributes", "*.up filter=up\n")
    write(site.root, "x.up", "hello\n")
    base = commit(site.root, "filters")
    workspace = site.open(base=base)
    assert (Path(workspace.path) / "a.py").read_bytes() == b"aa\r\n"
    assert (Path(workspace.path) / "x.up").read_bytes().strip() == b"HELLO"
    assert _git(workspace.path, "status", "--porcelain") == ""


def test_a_sparse_checkout_of_the_user_does_not_make_a_workspace_sparse(site: Site, tmp_path: Path) -> None:
    expected = files_of(site.root, site.second, tmp_path / "clone")
    git(site.root, "sparse-checkout", "set", "ü")
    assert not (site.root / "d").exists()
    assert walk(Path(site.open().path)) == expected


@pytest.mark.parametrize("kind", ["linked", "borrower", "shallow", "bare"])
def test_a_repository_of_any_kind_can_have_workspaces(site: Site, tmp_path: Path, kind: str) -> None:
    made = tmp_path / kind
    if kind == "linked":
        git(site.root, "worktree", "add", "-q", "--detach", str(made))
    else:
        option = {"borrower": "--shared", "shallow": "--depth=1", "bare": "--bare"}[kind]
        git(site.root, "clone", "-q", option, f"file://{site.root}" if kind == "shallow" else str(site.root), str(made))
    workspace = open_workspace(str(made), str(tmp_path / "ws"), site.second, site.index())
    assert _git(workspace.path, "status", "--porcelain") == ""
    assert _git(workspace.path, "log", "--format=%s") == ("second\n" if kind == "shallow" else "second\nfirst\n")


def test_a_commit_that_is_not_there_is_told_and_names_that_differ_in_case_alone_where_they_are_one_file(
    site: Site,
) -> None:
    with pytest.raises(ToolFailed):
        site.open(base="1" * 40)
    write(site.root, "A.PY", "other\n")
    base = commit(site.root, "twins")
    git(site.root, "config", "core.ignoreCase", "true")
    with pytest.raises(ToolFailed, match="cannot both be checked out"):
        site.open(base=base)


def test_a_linked_workspace_is_one_of_the_users_working_trees_until_it_is_closed(site: Site, tmp_path: Path) -> None:
    arguments = (str(site.root), str(tmp_path / "linked"), site.first, site.index())
    workspace = open_worktree(*arguments)
    for _ in range(2):
        assert open_worktree(*arguments) == workspace
        (found := walk(Path(workspace.path))).pop(".git")
        assert found == files_of(site.root, site.first, tmp_path / os.urandom(4).hex())
        assert _git(workspace.path, "status", "--porcelain") == ""
        assert git(site.root, "worktree", "list").count("\n") == 2
    other = tmp_path / "stale"
    git(site.root, "worktree", "add", "-q", "--detach", str(other))
    subprocess.run(["rm", "-rf", str(other)], check=True)
    move_to(str(site.root), workspace, site.second)
    assert _git(workspace.path, "rev-parse", "HEAD").strip() == site.second
    close_workspace(workspace.path)
    listed = git(site.root, "worktree", "list")
    assert str(workspace.path) not in listed
    assert str(other) in listed  # the user's own, which another disk may hold


def test_closing_removes_everything_and_follows_no_link(site: Site, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    write(precious, "file", "mine")
    workspace = site.open()
    _spoil(Path(workspace.path))
    (Path(workspace.path) / "out").symlink_to(precious)
    for _ in range(2):
        close_workspace(workspace.path, root=str(site.root), index=workspace.index)
        assert not os.path.lexists(workspace.path)
        assert os.listdir(os.path.dirname(workspace.index)) == []
    assert walk(precious) == {"file": ("644", b"mine")}


def test_a_forged_link_to_somewhere_else_is_not_removed_with_a_workspace(site: Site, tmp_path: Path) -> None:
    workspace = open_worktree(str(site.root), str(tmp_path / "linked"), site.first, site.index())
    precious = tmp_path / "worktrees" / "precious"
    write(precious, "file", "mine")
    (Path(workspace.path) / ".git").write_text(f"gitdir: {precious}\n")
    close_workspace(workspace.path)
    assert (precious / "file").exists()


def test_folders_that_nobody_may_write_to_are_cleaned_and_removed_by_their_owner(site: Site) -> None:
    """In a process without root's rights, where the test has them."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        return
    code = 1
    try:
        _give_up_rights(site.root.parent)
        workspace = site.open()
        write(Path(workspace.path), "a/b/c", "x")
        for name, mode in (("a/b", 0o400), ("a", 0), ("d", 0o555)):
            (Path(workspace.path) / name).chmod(mode)
        move_to(str(site.root), workspace, site.first)
        assert not os.path.lexists(f"{workspace.path}/a")
        assert os.path.exists(f"{workspace.path}/d/f1.txt")
        os.chmod(f"{workspace.path}/d", 0)
        close_workspace(workspace.path)
        code = int(os.path.lexists(workspace.path))
    finally:
        os._exit(code)


def _give_up_rights(folder: Path) -> None:
    if os.geteuid() != 0:
        return
    nobody = 65534
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == 0 and parent != Path("/") and str(parent).startswith("/tmp/"):
            os.chmod(parent, 0o755)
    subprocess.run(["chown", "-R", f"{nobody}:{nobody}", str(folder)], check=True)
    os.setgroups([])
    os.setgid(nobody)
    os.setuid(nobody)


def test_folders_in_folders_without_end_are_removed(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(place)
        for _ in range(1500):
            os.mkdir("deep")
            os.chdir("deep")
    finally:
        os.fchdir(here)
        os.close(here)
    close_workspace(str(place))
    assert not place.exists()
