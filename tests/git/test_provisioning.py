"""A fresh workspace is made fit from its base alone: declared files, installed packages, and nothing that looks like work."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from planrail.git.workspaces.provisions import Provision
from planrail.git.workspaces.work_snapshots import take_snapshot
from planrail.git.workspaces.workspaces import move_to
from planrail.runs.checks.provisioning import Provisioned, provision
from tests.git.snapshot_trees import git, write
from tests.git.workspace_trees import Site, commit

_ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}


def _provision(
    site: Site, path: str, steps: Sequence[str] = (), include: Sequence[str] = (), inputs: Sequence[str] = ()
) -> Provisioned:
    wanted = Provision(tuple(steps), "", (), tuple(inputs))
    return provision(
        str(site.root), path, wanted, list(include), _ENVIRONMENT, 30, str(site.check_folder / "provision.log")
    )


def test_what_a_step_makes_is_kept_when_the_room_moves(site: Site) -> None:
    room = site.open("room", site.first)
    assert _provision(site, room.path) == Provisioned((), "", 0.0, "")
    made = _provision(site, room.path, ["mkdir -p node_modules/x && echo 1 > node_modules/x/y && echo l > z.log"])
    assert (made.problem, set(made.kept)) == ("", {"node_modules", "z.log"})
    move_to(str(site.root), room, site.second, made.kept)
    assert (Path(room.path) / "node_modules/x/y").read_text() == "1\n"
    assert (Path(room.path) / "z.log").exists()


def test_a_failure_is_told_as_the_environments_with_the_last_word_and_the_log(site: Site) -> None:
    made = _provision(site, site.open().path, ["echo first; echo no such package >&2; exit 3", "touch never"])
    assert "the environment could not be made" in made.problem
    assert "could not be made: no such package (`echo first" in made.problem
    assert str(site.check_folder / "provision.log") in made.problem
    assert (site.check_folder / "provision.log").read_text() == "first\nno such package\n"
    assert not (Path(site.open().path) / "never").exists()


def test_tracked_files_that_a_step_changes_are_put_back_and_told(site: Site) -> None:
    workspace = site.open()
    made = _provision(site, workspace.path, ["echo rewritten > a.py; rm d/f0.txt; touch x.log"])
    assert (made.problem, made.kept) == ("", ("x.log",))
    assert "put back: a.py, d/f0.txt" in made.what
    assert take_snapshot(str(site.root), workspace, "refs/planrail/x", "x").paths == ()


def test_declared_files_that_are_ignored_are_copied_with_their_rights(site: Site) -> None:
    write(site.root, ".worktreeinclude", "# what tests need\n.env\nnot-ignored.txt\na.py\n\n")
    base = commit(site.root, "declare")
    write(site.root, ".env", "SECRET=1\n").chmod(0o600)
    write(site.root, "sub/.env", "SUB=1\n")
    write(site.root, "not-ignored.txt", "x")
    write(site.root, "build/keep/me", "x")
    write(site.root, "build/other", "x")
    workspace = site.open(base=base)
    made = _provision(site, workspace.path, include=["build/keep/"])
    path = Path(workspace.path)
    assert (path / ".env").read_text() == "SECRET=1\n"
    assert (path / ".env").stat().st_mode & 0o777 == 0o600
    assert (path / "sub/.env").exists()
    assert (path / "build/keep/me").exists()
    assert not (path / "build/other").exists()
    assert not (path / "not-ignored.txt").exists()
    assert set(made.kept) == {".env", "sub", "build"}
    assert take_snapshot(str(site.root), workspace, "refs/planrail/x", "x").paths == ()


def test_no_link_leads_out_of_the_root_or_of_the_workspace(site: Site, tmp_path: Path) -> None:
    outside = write(tmp_path, "outside/secret.log", "secret")
    (site.root / "l.log").symlink_to(outside)
    (site.root / "build").symlink_to(outside.parent)
    (site.root / "link").unlink()  # in the base it is a link to a folder
    write(site.root, "link/x.log", "x")
    write(site.root, ".env", "SECRET=1\n")
    write(site.root, ".worktreeinclude", ".env\n")  # only the declaration of the base counts
    workspace = site.open()
    made = _provision(site, workspace.path, include=["*.log", "build/"])
    assert made.kept == ()
    assert not (Path(workspace.path) / "d/x.log").exists()


def test_what_was_made_is_used_again_while_its_inputs_are_the_same_and_nobody_touched_it(site: Site) -> None:
    write(site.root, "x.lock", "1\n")
    first = commit(site.root, "lock")
    write(site.root, "other", "1\n")
    second = commit(site.root, "another")
    write(site.root, "x.lock", "2\n")
    third = commit(site.root, "new lock")
    step = "mkdir -p node_modules; echo x >> count.log; cp x.lock node_modules/lock"
    room = site.open("room", first)
    made = _provision(site, room.path, [step], inputs=["x.lock"])
    room = site.open("room", second, made.kept)
    again = _provision(site, room.path, [step], inputs=["x.lock"])
    assert (again.kept, again.what) == (made.kept, f"as before: {step}")
    assert (Path(room.path) / "count.log").read_text() == "x\n"
    room = site.open("room", third, again.kept)
    anew = _provision(site, room.path, [step], inputs=["x.lock"])
    assert anew.what == step
    program = Path(room.path) / "node_modules/lock"
    assert program.read_text() == "2\n"
    times = program.stat()
    program.write_text("3\n")
    os.utime(program, ns=(times.st_atime_ns, times.st_mtime_ns))
    room = site.open("room", third, anew.kept)
    assert _provision(site, room.path, [step], inputs=["x.lock"]).what == step
    assert program.read_text() == "2\n"


@pytest.mark.parametrize("point", ["provision.begun", "provision.copied", "provision.step"])
def test_it_can_die_anywhere(site: Site, point: str) -> None:
    room = site.open("room")
    step = "mkdir node_modules; touch node_modules/x"
    program = (
        "import os, sys\nfrom planrail.runs.checks.provisioning import provision\n"
        "from planrail.git.workspaces.provisions import Provision\n"
        f"provision({str(site.root)!r}, {room.path!r}, Provision(({step!r},), '', (), ('a.py',)), ['x.log'],"
        f" dict(PATH=os.environ['PATH']), 30, {str(site.check_folder / 'provision.log')!r})"
    )
    environment = {**os.environ, "PLANRAIL_CRASH_AT": point}
    assert subprocess.run([sys.executable, "-c", program], env=environment).returncode == -9
    room = site.open("room")
    made = _provision(site, room.path, [step], ["x.log"], ["a.py"])
    assert (made.problem, made.kept) == ("", ("node_modules",))


@pytest.mark.soak
def test_a_real_python_environment_is_made_and_is_no_work(site: Site) -> None:
    from planrail.git.workspaces.provisions import decide_provision

    write(site.root, "requirements.txt", "# nothing\n")
    base = commit(site.root, "requirements")
    workspace = site.open(base=base)
    wanted = decide_provision(set(os.listdir(workspace.path)), "")
    log = str(site.check_folder / "provision.log")
    made = provision(str(site.root), workspace.path, wanted, [], dict(os.environ), 120, log)
    if "ensurepip" in made.problem:
        pytest.skip("this Python makes no environments")
    assert made.problem == ""
    assert made.kept == (".venv",)
    assert (Path(workspace.path) / wanted.path[0] / "python").exists()
    assert take_snapshot(str(site.root), workspace, "refs/planrail/x", "x").paths == ()
    assert git(Path(workspace.path), "status", "--porcelain") == ""
