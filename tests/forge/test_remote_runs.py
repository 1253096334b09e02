"""Whole runs that land by pull request from a clone of planrail's own, on one machine and then on another."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE
from tests.forge.stage import git
from tests.forge.test_run import landed_files, write_plan
from tests.landing.remotes import ROOT
from tests.support.forge_server import HOST, ForgeServer, Hosted, bare
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

ADDRESS = f"https://{HOST}/o/r.git"


@pytest.fixture
def project(root: Path, server: ForgeServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_plan(root, 2)
    server.hosted.looks = [{"ci": "success"}]
    settings = root.parent / "gitconfig"
    settings.write_text(f'[url "{server.hosted.path}"]\n\tinsteadOf = {ADDRESS}\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    return root


def work(project: Path, clone: str, crash: str = "") -> "subprocess.CompletedProcess[str]":
    """A worker that serves the repository in a clone of this name."""
    command = [sys.executable, "-m", "tests.landing.remote_run_actor", str(project.parent / clone), ADDRESS, "PLAN.md"]
    environment = {**os.environ, "PLANRAIL_STATE_DIR": str(project.parent / f"state-{clone}")}
    environment |= {VARIABLE: crash} if crash else {}
    return subprocess.run([*command, "pr"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.full
@pytest.mark.parametrize(
    "point",
    [
        soak("remote.sent:2"),
        "remote.followed:2",
        *(
            pytest.param(name, marks=pytest.mark.soak)
            for name in ("remote.sent:1", "publish.done", "pr.checked", "pr.confirming")
        ),
    ],
)
def test_a_run_that_is_killed_merges_once(project: Path, hosted: Hosted, point: str) -> None:
    killed = work(project, "clone", crash=point)
    assert killed.returncode == -9, killed.stdout + killed.stderr
    done = work(project, "clone")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt"} <= landed_files(project)
    assert (len(hosted.requests), hosted.merges) == (1, 1)


@pytest.mark.soak
def test_a_target_that_moved_is_built_upon_and_verified_anew(project: Path, hosted: Hosted) -> None:
    def move() -> None:
        bare.commit_file(hosted.path, "main", "other.txt", "other\n")

    hosted.before("GET", "check-runs", move)
    done = work(project, "clone")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt", "other.txt"} <= landed_files(project)
    assert (len(hosted.requests), hosted.merges) == (1, 1)
    assert bare.run(hosted.path, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]


@pytest.mark.soak
def test_another_machine_goes_on_with_the_branch_that_is_there(project: Path, hosted: Hosted) -> None:
    killed = work(project, "clone", crash="candidate.1.begun:2")
    assert killed.returncode == -9, killed.stdout + killed.stderr
    for ref in bare.run(hosted.path, "for-each-ref", "--format=%(refname)", "refs/planrail").split():
        git(hosted.path, "update-ref", "-d", ref)  # the other machine has a ledger of its own, which counts anew
    done = work(project, "other")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt"} <= landed_files(project)
    assert (len(hosted.requests), hosted.merges) == (1, 1)
    assert hosted.requests[1].body.count("✅") == 2
