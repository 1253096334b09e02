"""How many processes of git each step costs: they are most of what planrail spends on a phase."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planrail.git.git_state import read_state
from planrail.git.workspaces.provisions import Provision
from planrail.git.workspaces.work_snapshots import take_snapshot, tree_of
from planrail.git.workspaces.workspaces import close_workspace, move_to
from planrail.runs.checks.provisioning import provision
from tests.git.snapshot_trees import write
from tests.git.workspace_trees import make_site


def test_a_phase_costs_few_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, log = make_site(tmp_path), tmp_path / "started"
    program = write(tmp_path, "bin/git", f'#!/bin/sh\necho x >> "{log}"\nexec {shutil.which("git")} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    def count(action: Callable[[], object]) -> int:
        log.write_text("")
        action()
        return log.read_text().count("x")

    root = str(site.root)
    assert count(lambda: read_state(root)) <= 4
    assert count(lambda: site.open(base=site.first)) == 2
    assert count(lambda: site.open()) == 2
    workspace = site.open()
    write(Path(workspace.path), "new", "x")
    write(Path(workspace.path), "a.py", "changed\n")
    assert count(lambda: take_snapshot(root, workspace, "refs/planrail/x", "work")) == 4
    taken = take_snapshot(root, workspace, "refs/planrail/x", "work")
    room = site.open("room")
    assert count(lambda: move_to(root, room, taken.commit)) == 2
    assert count(lambda: tree_of(root, taken.commit)) == 0
    assert count(lambda: provision(root, room.path, Provision(), [], {}, 1, str(tmp_path / "log"))) == 0
    assert count(lambda: close_workspace(room.path, root=root, index=room.index)) == 0
