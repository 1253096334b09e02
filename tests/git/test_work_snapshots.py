"""Snapshots of an agent's work: what is in the files, all of it, and nothing that the agent's own git says."""

import contextlib
import os
import socket
import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed
from planrail.base.run_model import Snapshot, Workspace
from planrail.base.values import pack, unpack
from planrail.git.workspaces.work_snapshots import (
    WorkSnapshot,
    changed_paths,
    drop_refs,
    read_diff,
    read_file,
    take_snapshot,
    tree_of,
)
from planrail.git.workspaces.workspaces import open_worktree
from planrail.runs.checks.links import find_misshapen, read_shape
from tests.git.snapshot_trees import git, git_state, users_files, walk, write
from tests.git.workspace_trees import Site, commit, files_of

_REF = "refs/planrail/runs/r/1/1/work"


def _take(site: Site, workspace: Workspace, **options: int) -> WorkSnapshot:
    return take_snapshot(str(site.root), workspace, _REF, "the work", **options)  # type: ignore[arg-type]


def test_the_commit_has_the_files_as_they_are_on_the_base(site: Site, tmp_path: Path) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    write(path, "a.py", "changed\n")
    write(path, "new/x.sh", "echo\n").chmod(0o755)
    (path / "new/link").symlink_to("/nowhere")
    (path / "d/f0.txt").unlink()
    (path / "d/f2.txt").chmod(0o755)
    write(path, os.fsdecode(b"n\nl\xfe"), "odd\n")
    write(path, "x.log", "ignored\n")
    taken = _take(site, workspace)
    expected = walk(path)
    expected.pop("x.log")
    assert files_of(site.root, taken.commit, tmp_path / "clone") == expected
    assert git(site.root, "rev-parse", _REF, f"{taken.commit}^").split() == [taken.commit, site.second]
    assert set(taken.paths) == {"a.py", "new/x.sh", "new/link", "d/f0.txt", "d/f2.txt", os.fsdecode(b"n\nl\xfe")}
    assert list(taken.paths) == changed_paths(str(site.root), site.second, taken.commit)
    assert taken.findings == ()


def test_taking_it_again_is_the_same_and_a_journal_can_hold_it(site: Site) -> None:
    workspace = site.open()
    untouched = _take(site, workspace)
    assert (untouched.tree, untouched.paths) == (site.tree(site.second), ())
    assert tree_of(str(site.root), untouched.commit) == tree_of(str(site.root), site.second) == untouched.tree
    write(Path(workspace.path), "new", "x")
    write(Path(workspace.path), "big", "x" * 100)
    first = _take(site, workspace, largest=50)
    assert _take(site, workspace, largest=50) == first
    assert first.findings
    assert isinstance(first, Snapshot)
    assert unpack(pack(first)) == first


def test_nothing_of_the_users_is_touched(site: Site) -> None:
    write(site.root, "a.py", "uncommitted\n")
    write(site.root, "staged", "x")
    git(site.root, "add", "staged")
    workspace = site.open()
    write(Path(workspace.path), "a.py", "agent\n")
    before = walk(site.root), git_state(site.root), users_files(site.root)
    _take(site, workspace)
    assert (walk(site.root), git_state(site.root), users_files(site.root)) == before


def test_a_later_snapshot_says_what_differs_from_the_base_alone(site: Site) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    write(path, "a.py", "changed\n")
    write(path, "b.py", "new\n")
    _take(site, workspace)
    write(path, "a.py", "aa\n")
    (path / "b.py").unlink()
    write(path, "c.py", "new\n")
    taken = _take(site, workspace)
    assert taken.paths == ("c.py",)
    assert git(site.root, "rev-parse", _REF).strip() == taken.commit
    write(path, ".gitignore", "c.py\n")
    assert _take(site, workspace).paths == (".gitignore",)


def test_what_the_agents_own_git_says_does_not_matter(site: Site, tmp_path: Path) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    marker = tmp_path / "ran"
    script = write(tmp_path, "evil.sh", f"#!/bin/sh\ntouch '{marker}'\n")
    script.chmod(0o755)
    write(path, "a.py", "changed\n")
    write(path, ".gitattributes", "*.py filter=evil\n")
    for setting in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process", "diff.external", "core.hooksPath"):
        git(path, "config", setting, str(script), check=False)
    git(path, "update-index", "--assume-unchanged", "d/f0.txt", check=False)
    write(path, "d/f0.txt", "hidden\n")
    write(path, ".git/info/exclude", "*\n")
    write(path, ".git/hooks/pre-commit", f"#!/bin/sh\ntouch '{marker}'\n").chmod(0o755)
    marker.unlink(missing_ok=True)
    taken = _take(site, workspace)
    assert set(taken.paths) == {"a.py", ".gitattributes", "d/f0.txt"}
    assert not marker.exists()


def test_the_state_of_the_agents_git_does_not_matter(site: Site) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    write(path, "new", "x")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "mine")
    git(path, "checkout", "-q", "--orphan", "other")
    assert _take(site, workspace).paths == ("new",)
    subprocess.run(["rm", "-rf", str(path / ".git")], check=True)
    assert _take(site, workspace).paths == ("new",)
    (path / ".git").write_text("garbage")
    assert _take(site, workspace).paths == ("new",)
    (path / ".git").unlink()
    (path / ".git").symlink_to(site.root / ".git")
    assert _take(site, workspace).paths == ("new",)


def test_repositories_among_the_files_hide_nothing(site: Site) -> None:
    """One inside is told and not swallowed, one in a tracked folder hides no file, a bare one is taken and told."""
    workspace = site.open()
    path = Path(workspace.path)
    git(path, "init", "-q", "nested")
    write(path, "nested/file", "x")
    commit(path / "nested", "inner")
    git(path, "init", "-q", "d")
    write(path, "d/new", "x")
    write(path, "d/f0.txt", "changed\n")
    taken = _take(site, workspace)
    assert taken.paths == ("d/f0.txt", "d/new")
    assert [(finding.kind, finding.place) for finding in taken.findings] == [("embedded_repository", "nested")]
    git(path, "init", "-q", "--bare", "trap")
    git(path / "trap", "symbolic-ref", "refs/heads/x", "refs/heads/main")
    git(path / "trap", "hash-object", "-w", "config")
    taken = _take(site, workspace)
    assert "trap/HEAD" in taken.paths
    wrong = find_misshapen(str(site.root), taken.base, read_shape(str(site.root), taken.tree), taken.paths)
    assert [(finding.kind, finding.place, finding.is_failure) for finding in wrong] == [
        ("bare_repository", "trap", True)
    ]


def test_a_submodule_that_was_moved_is_told(site: Site, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, "x", "x")
    commit(inner, "one")
    git(site.root, "submodule", "--quiet", "add", str(inner), "deps/inner")
    base = commit(site.root, "with a submodule")
    workspace = site.open(base=base)
    assert _take(site, workspace).paths == ()
    path = Path(workspace.path)
    git(path, "submodule", "--quiet", "update", "--init")
    write(path, "deps/inner/x", "moved")
    commit(path / "deps/inner", "two")
    taken = _take(site, workspace)
    assert taken.paths == ()
    assert [finding.place for finding in taken.findings] == ["deps/inner"]


def test_what_is_too_large_no_file_or_refused_by_git_is_told_and_the_rest_is_taken(site: Site) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    write(path, "large.bin", "x" * 2000)
    write(path, ".GIT/config", "[core]\n\tfsmonitor = x\n")
    for number in range(5):
        write(path, f"n{number}", "x")
    (path / "a.py").unlink()
    os.mkfifo(path / "a.py")
    with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(path):
        server.bind("s")
        taken = _take(site, workspace, largest=1000)
    assert taken.paths == tuple(f"n{number}" for number in range(5))
    assert {(finding.kind, finding.place) for finding in taken.findings} == {
        ("too_large", "large.bin"),
        ("not_a_file", "a.py"),
        ("not_taken", ".GIT/config"),
    }
    assert "2,000 bytes" in next(finding.text for finding in taken.findings if finding.kind == "too_large")


def test_a_folder_behind_a_link_is_a_link_and_gone_where_that_is_ignored(site: Site, tmp_path: Path) -> None:
    workspace = site.open()
    path = Path(workspace.path)
    (path / "d").rename(tmp_path / "elsewhere")
    (path / "d").symlink_to(tmp_path / "elsewhere")
    taken = _take(site, workspace)
    assert read_file(str(site.root), taken.commit, "d") == os.fsencode(tmp_path / "elsewhere")
    assert read_file(str(site.root), taken.commit, "d/f0.txt") is None
    write(path, ".gitignore", "d\n")
    taken = _take(site, workspace)
    assert set(taken.paths) == {".gitignore", "d/f0.txt", "d/f2.txt", "d/f3.txt", "d/f4.txt"}


@pytest.mark.soak
def test_an_edit_of_the_same_size_in_the_same_instant_is_seen(site: Site) -> None:
    workspace = site.open()
    file = Path(workspace.path) / "a.py"
    times = file.stat()
    for number in range(10, 24):
        file.write_text(f"{number}\n")
        if number % 3:
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        taken = _take(site, workspace)
        assert read_file(str(site.root), taken.commit, "a.py") == file.read_bytes()


def test_line_ends_and_filters_are_those_of_the_user(site: Site) -> None:
    git(site.root, "config", "core.autocrlf", "true")
    git(site.root, "config", "core.safecrlf", "true")
    workspace = site.open()
    path = Path(workspace.path)
    assert _take(site, workspace).paths == ()
    write(path, "mixed.txt", b"one\r\ntwo\n")
    taken = _take(site, workspace)
    assert read_file(str(site.root), taken.commit, "mixed.txt") == b"one\ntwo\n"


def test_what_planrail_put_there_is_left_out_and_a_stale_lock_does_no_harm(site: Site) -> None:
    workspace = site.open()
    write(Path(workspace.path), "vendor/pkg/x", "installed")
    write(Path(workspace.path), "vendored", "work")
    write(site.root, f".git/{_REF}.lock", "")
    Path(f"{workspace.index}.lock").touch()
    taken = take_snapshot(str(site.root), workspace, _REF, "work", leave_out=("vendor",))
    assert taken.paths == ("vendored",)


def test_a_linked_workspace_is_taken_in_the_same_way(site: Site, tmp_path: Path) -> None:
    workspace = open_worktree(str(site.root), str(tmp_path / "linked"), site.first, site.index())
    write(Path(workspace.path), "new", "x")
    git(Path(workspace.path), "add", "new")
    assert _take(site, workspace).paths == ("new",)


def test_a_link_in_the_place_of_the_workspace_is_refused(site: Site, tmp_path: Path) -> None:
    workspace = site.open()
    os.rename(workspace.path, tmp_path / "away")
    os.symlink(site.root, workspace.path)
    with pytest.raises(ToolFailed, match="not the folder"):
        _take(site, workspace)


def test_a_diff_calls_no_program_of_the_users(site: Site, tmp_path: Path) -> None:
    script = write(tmp_path, "evil.sh", f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    script.chmod(0o755)
    for setting in ("diff.external", "diff.evil.textconv", "diff.evil.command"):
        git(site.root, "config", setting, str(script))
    write(site.root, ".git/info/attributes", "* diff=evil\n")
    text = read_diff(str(site.root), site.first, site.second)
    assert "-a\n+aa\n" in text
    assert "rename from" not in text
    assert not (tmp_path / "ran").exists()


def test_a_file_of_a_commit_is_read_byte_by_byte(site: Site) -> None:
    write(site.root, "bytes", bytes(range(256)))
    made = commit(site.root, "bytes")
    assert read_file(str(site.root), made, "bytes") == bytes(range(256))
    assert read_file(str(site.root), made, "missing") is None
    assert read_file(str(site.root), made, "d") is None
    assert read_file(str(site.root), made, "../x") is None


def test_refs_are_dropped_by_their_prefix_and_no_others(site: Site) -> None:
    workspace = site.open()
    write(Path(workspace.path), "new", "x")
    for ref in ("refs/planrail/runs/r/1/1/work", "refs/planrail/runs/r/1/2/work", "refs/planrail/runs/rr/1"):
        take_snapshot(str(site.root), workspace, ref, "work")
    for _ in range(2):
        drop_refs(str(site.root), "refs/planrail/runs/r/")
        left = git(site.root, "for-each-ref", "--format=%(refname)").split()
        assert left == ["refs/heads/main", "refs/planrail/runs/rr/1"]
    with pytest.raises(ValueError, match="not planrail's own"):
        drop_refs(str(site.root), "refs/heads/")


def test_a_repository_with_long_hashes_is_served_too(tmp_path: Path) -> None:
    root = tmp_path / "long"
    root.mkdir()
    git(root, "init", "-q", "-b", "main", "--object-format=sha256")
    write(root, "a", "a\n")
    base = commit(root, "first")
    site = Site(root, base, base, tmp_path / "rooms")
    workspace = site.open()
    write(Path(workspace.path), "b", "b\n")
    taken = _take(site, workspace)
    assert taken.paths == ("b",)
    assert len(taken.commit) == 64
    git(Path(workspace.path), "log")
    assert git(root, "fsck", "--strict") == ""
