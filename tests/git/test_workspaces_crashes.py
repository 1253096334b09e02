"""kill -9 at every named point, and at any other instant: done again, it is as if nothing had happened."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planrail.base.run_model import Workspace
from planrail.git.workspaces.work_snapshots import take_snapshot
from planrail.git.workspaces.workspaces import close_workspace, open_workspace, open_worktree
from tests.git.snapshot_trees import git, git_state, users_files, walk, write
from tests.git.workspace_trees import Site, files_of

_REF = "refs/planrail/runs/r/1/1/work"
_PROGRAM = """
import sys
from planrail.git.workspaces import work_snapshots, workspaces
from planrail.base.run_model import Workspace
what, root, place, base, index = sys.argv[1:]
if what == "open":
    workspaces.open_workspace(root, place, base, index)
elif what == "link":
    workspaces.open_worktree(root, place, base, index)
elif what == "take":
    work_snapshots.take_snapshot(root, Workspace(place, base, index), "refs/planrail/runs/r/1/1/work", "work")
elif what == "close":
    workspaces.close_workspace(place, root=root, index=index)
"""


def _start(site: Site, what: str, base: str, point: str = "") -> "subprocess.Popen[bytes]":
    environment = {**os.environ, **({"PLANRAIL_CRASH_AT": point} if point else {})}
    place = str(site.check_folder / "run" / "work")
    arguments = [sys.executable, "-c", _PROGRAM, what, str(site.root), place, base, site.index()]
    return subprocess.Popen(arguments, env=environment, start_new_session=True, stderr=subprocess.DEVNULL)


def _edit(path: Path) -> None:
    write(path, "a.py", "changed\n")
    write(path, "new/file", "x")
    write(path, "x.log", "ignored")
    (path / "d/f0.txt").unlink()


@pytest.mark.parametrize("point", ["workspace.made", "workspace.filled", "workspace.opened"])
@pytest.mark.parametrize("what", ["open", "link"])
def test_opening_can_die_anywhere(site: Site, tmp_path: Path, what: str, point: str) -> None:
    before = users_files(site.root)
    opens = open_workspace if what == "open" else open_worktree
    for base in (site.first, site.second):
        assert _start(site, what, base, point).wait() == -9
        workspace = opens(str(site.root), str(site.check_folder / "run" / "work"), base, site.index())
        found = walk(Path(workspace.path))
        found.pop(".git", None)
        assert found == files_of(site.root, base, tmp_path / base)
        assert git(Path(workspace.path), "status", "--porcelain", "--ignored") == ""
        _edit(Path(workspace.path))
    assert users_files(site.root) == before


@pytest.mark.parametrize("point", ["snapshot.staged", "snapshot.committed", "snapshot.kept"])
def test_taking_a_snapshot_can_die_anywhere(site: Site, point: str) -> None:
    workspace = site.open()
    _edit(Path(workspace.path))
    assert _start(site, "take", site.second, point).wait() == -9
    taken = take_snapshot(str(site.root), workspace, _REF, "work")
    other = site.open("other")
    _edit(Path(other.path))
    assert take_snapshot(str(site.root), other, "refs/planrail/other", "work") == taken
    assert git(site.root, "rev-parse", _REF).strip() == taken.commit


@pytest.mark.parametrize("point", ["workspace.closing", "workspace.removed"])
def test_closing_can_die_anywhere(site: Site, point: str) -> None:
    before = git_state(site.root)
    place = str(site.check_folder / "run" / "work")
    open_worktree(str(site.root), place, site.first, site.index())
    assert _start(site, "close", site.first, point).wait() == -9
    close_workspace(place, root=str(site.root), index=site.index())
    assert not os.path.lexists(place)
    assert git(site.root, "worktree", "list").count("\n") == 1
    assert git_state(site.root) == before


@pytest.mark.soak
@pytest.mark.parametrize("with_git", [True, False])
def test_it_can_die_at_any_instant_with_or_without_its_git(site: Site, tmp_path: Path, with_git: bool) -> None:
    chance = random.Random(7)
    expected = {base: files_of(site.root, base, tmp_path / base) for base in (site.first, site.second)}
    whole = take_snapshot(str(site.root), _edited(site, "whole"), "refs/planrail/whole", "work")
    for turn in range(60):
        base = (site.first, site.second)[turn % 2]
        _kill_later(_start(site, "open", base), chance.uniform(0.03, 0.12), with_git=with_git)
        workspace = site.open(base=base)
        assert walk(Path(workspace.path)) == expected[base]
        workspace = _edited(site, "work")
        _kill_later(_start(site, "take", site.second), chance.uniform(0.03, 0.12), with_git=with_git)
        assert take_snapshot(str(site.root), workspace, _REF, "work") == whole
    assert git(site.root, "fsck", "--no-dangling") == ""


def _edited(site: Site, name: str) -> Workspace:
    workspace = site.open(name)
    _edit(Path(workspace.path))
    return workspace


def _kill_later(process: "subprocess.Popen[bytes]", seconds: float, *, with_git: bool) -> None:
    time.sleep(seconds)
    if process.poll() is None:
        (os.killpg if with_git else os.kill)(process.pid, signal.SIGKILL)
    process.wait()
