"""A pull request brings what planrail made, and nothing that its person had not pushed: with the real gh."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.forge.stage import git
from tests.forge.test_run import landed_files, planrail, write_plan
from tests.support.forge_server import HOST, ForgeServer, Hosted, bare
from tests.support.lanes import soak

MINE = "My secret work"


@pytest.fixture
def project(root: Path, server: ForgeServer) -> Path:
    write_plan(root, 2)
    server.hosted.looks = [{"ci": "success"}]
    return root


def commit(project: Path, name: str = "mine.txt", subject: str = MINE) -> str:
    (project / name).write_text("mine\n")
    git(project, "add", name)
    git(project, "commit", "--quiet", "--message", subject)
    return git(project, "rev-parse", "HEAD")


def reachable(hosted: Hosted) -> str:
    """Every commit that any branch of the forge has."""
    return git(hosted.path, "log", "--all", "--format=%H %s")


@pytest.mark.full
def test_a_run_does_not_begin_while_the_target_has_commits_that_the_forge_lacks(project: Path, hosted: Hosted) -> None:
    mine = commit(project)
    done = planrail(project, "run", "PLAN.md", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{mine[:10]} {MINE}" in done.stderr
    assert "git push origin main" in done.stderr
    assert (hosted.requests, MINE in reachable(hosted)) == ({}, False)
    assert json.loads(planrail(project, "runs", "--json").stdout)["runs"] == []
    git(project, "push", "--quiet", "origin", "main")
    assert planrail(project, "run", "PLAN.md", "finish", "auto").returncode == 0
    assert {"1.txt", "2.txt", "mine.txt"} <= landed_files(project)


@pytest.mark.full
def test_commits_travel_where_a_person_says_so_and_everybody_is_told(project: Path, hosted: Hosted) -> None:
    mine = commit(project)
    done = planrail(project, "run", "PLAN.md", "finish", "auto", "pr", "--with-unpushed")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt", "mine.txt"} <= landed_files(project)
    told = f"{mine[:10]} {MINE}"
    assert told in done.stderr
    assert told in planrail(project, "report", "PLAN.md", "--full").stdout
    assert json.loads(planrail(project, "report", "PLAN.md", "--json").stdout)["unpushed"] == [mine]
    assert f"- `{mine[:10]}` {MINE}" in hosted.requests[1].body


@pytest.mark.soak
def test_only_the_commits_that_were_named_travel(project: Path, hosted: Hosted) -> None:
    commit(project)
    killed = planrail(
        project, "run", "PLAN.md", "finish", "auto", "--with-unpushed", PLANRAIL_CRASH_AT="implement.1.begun"
    )
    assert killed.returncode == -9
    commit(project, "later.txt", "Later work")
    assert planrail(project, "resume").returncode == 0
    files = landed_files(project)
    assert ("mine.txt" in files, "later.txt" in files, "Later work" in reachable(hosted)) == (True, False, False)


@pytest.mark.soak
def test_commits_that_travel_keep_their_author_on_a_target_that_moved(project: Path, hosted: Hosted) -> None:
    (project / "mine.txt").write_text("mine\n")
    git(project, "add", "mine.txt")
    git(project, "commit", "--quiet", "--author=Ann <ann@example.org>", "--message", MINE)

    def move() -> None:
        bare.commit_file(hosted.path, "main", "other.txt", "other\n")

    hosted.before("GET", "check-runs", move)
    (project / "planrail.toml").write_text((project / "planrail.toml").read_text() + 'merge = "rebase"\n')
    git(project, "commit", "--quiet", "--all", "--message", "Settings")
    done = planrail(project, "run", "PLAN.md", "finish", "auto", "--with-unpushed")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt", "mine.txt", "other.txt"} <= landed_files(project)
    assert "Ann" in git(hosted.path, "log", "--format=%an", "main", "--", "mine.txt")


@pytest.mark.soak
def test_a_target_that_went_another_way_is_refused_even_with_the_option(project: Path, hosted: Hosted) -> None:
    commit(project)
    bare.commit_file(hosted.path, "main", "other.txt", "other\n")
    done = planrail(project, "run", "PLAN.md", "finish", "auto", "--with-unpushed")
    assert (done.returncode, "git pull --rebase origin main" in done.stderr) == (1, True), done.stderr
    git(project, "pull", "--quiet", "--rebase", "origin", "main")
    assert planrail(project, "run", "PLAN.md", "finish", "auto", "--with-unpushed").returncode == 0
    assert {"1.txt", "2.txt", "mine.txt", "other.txt"} <= landed_files(project)


@pytest.mark.soak
def test_a_target_that_the_forge_does_not_know_is_refused(project: Path, hosted: Hosted) -> None:
    git(project, "switch", "--quiet", "--create", "work")
    done = planrail(project, "run", "PLAN.md", "finish", "auto")
    assert (done.returncode, "git push origin work" in done.stderr) == (1, True), done.stderr
    git(project, "push", "--quiet", "origin", "work")
    assert planrail(project, "run", "PLAN.md", "finish", "auto").returncode == 0
    assert "2.txt" in git(hosted.path, "ls-tree", "--name-only", "work").split()
    assert "2.txt" not in landed_files(project)


@pytest.mark.soak
def test_a_commit_on_the_branch_of_the_request_is_not_pushed_unnoticed(project: Path, hosted: Hosted) -> None:
    assert planrail(project, "run", "PLAN.md", "1").returncode == 0
    git(project, "switch", "--quiet", "feat/plan")
    commit(project)
    git(project, "switch", "--quiet", "main")
    done = planrail(project, "run", "PLAN.md", "finish", "auto")
    assert (done.returncode, MINE in done.stderr) == (1, True), done.stderr
    assert (MINE in reachable(hosted), hosted.merges) == (False, 0)
    git(project, "push", "--quiet", "origin", "feat/plan")
    assert planrail(project, "run", "PLAN.md", "finish", "auto").returncode == 0
    assert {"1.txt", "2.txt", "mine.txt"} <= landed_files(project)


@pytest.mark.full
def test_a_commit_that_comes_onto_the_branch_meanwhile_is_not_pushed(project: Path, hosted: Hosted) -> None:
    assert planrail(project, "run", "PLAN.md", "1").returncode == 0
    killed = planrail(project, "run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT="implement.1.begun")
    assert killed.returncode == -9
    git(project, "switch", "--quiet", "feat/plan")
    commit(project)
    git(project, "switch", "--quiet", "main")
    done = planrail(project, "resume")
    assert (done.returncode, "which planrail did not make" in done.stdout) == (1, True), done.stdout
    assert (MINE in reachable(hosted), hosted.merges) == (False, 0)


def test_what_a_fork_has_and_the_original_lacks_does_not_travel_unnoticed(
    project: Path, hosted: Hosted, tmp_path: Path
) -> None:
    fork = tmp_path / "fork.git"
    git(tmp_path, "clone", "--quiet", "--bare", hosted.path, str(fork))
    git(project, "remote", "rename", "origin", "upstream")
    git(project, "config", f"url.{fork}.insteadOf", f"https://{HOST}/me/r.git")
    git(project, "remote", "add", "origin", f"https://{HOST}/me/r.git")
    git(project, "config", "branch.main.remote", "origin")
    git(project, "config", "branch.main.merge", "refs/heads/main")
    git(project, "config", "remote.upstream.gh-resolved", "base")
    commit(project)
    git(project, "push", "--quiet", "origin", "main")
    done = planrail(project, "run", "PLAN.md", "finish", "auto")
    assert (done.returncode, "which upstream/main lacks" in done.stderr) == (1, True), done.stderr
    assert hosted.requests == {}


@pytest.mark.soak
def test_requests_in_turn_each_bring_their_own_phase_alone(project: Path, hosted: Hosted) -> None:
    assert planrail(project, "run", "PLAN.md", "1").returncode == 0
    (project / "OTHER.md").write_text((project / "PLAN.md").read_text().replace("txt", "log"))
    git(project, "add", "OTHER.md")
    git(project, "commit", "--quiet", "--message", "Another plan")
    git(project, "push", "--quiet", "origin", "main")
    done = planrail(project, "run", "OTHER.md", "finish", "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    files = landed_files(project)
    assert ({"1.log", "2.log"} <= files, "1.txt" in files) == (True, False)
    assert planrail(project, "run", "PLAN.md", "finish", "auto").returncode == 0
    assert {"1.log", "2.log", "1.txt", "2.txt"} <= landed_files(project)


@pytest.mark.soak
def test_nothing_is_said_to_travel_with_a_request_that_was_begun_without_it(project: Path, hosted: Hosted) -> None:
    assert planrail(project, "run", "PLAN.md", "1").returncode == 0
    commit(project)
    done = planrail(project, "run", "PLAN.md", "finish", "auto", "--with-unpushed")
    assert (done.returncode, "feat/plan was begun without 1 commit" in done.stderr) == (1, True), done.stderr
    git(project, "push", "--quiet", "origin", "main")
    assert planrail(project, "run", "PLAN.md", "finish", "auto").returncode == 0
    assert {"1.txt", "2.txt", "mine.txt"} <= landed_files(project)


@pytest.mark.soak
@pytest.mark.parametrize(("method", "has_moved"), [("squash", True), soak("merge", False), soak("rebase", True)])
def test_the_advice_after_the_merge_works_as_typed_and_keeps_later_work(
    project: Path, hosted: Hosted, method: str, has_moved: bool
) -> None:
    (project / "planrail.toml").write_text((project / "planrail.toml").read_text() + f'merge = "{method}"\n')
    git(project, "commit", "--quiet", "--all", "--message", "Settings")
    commit(project)
    (project / "mine.txt").write_text("mine, twice\n")
    git(project, "commit", "--quiet", "--all", "--message", f"{MINE} again")
    done = planrail(project, "run", "PLAN.md", "finish", "auto", "--with-unpushed")
    assert done.returncode == 0, done.stdout + done.stderr
    if has_moved:
        bare.commit_file(hosted.path, "main", "other.txt", "other\n")
    commit(project, "later.txt", "Later work")
    (project / "base.txt").write_text("edited, not committed\n")
    advice = json.loads(planrail(project, "status", "PLAN.md", "--json").stdout)["next"]
    assert done.stdout.endswith(f"next: {advice}\n")
    identity = {"GIT_COMMITTER_NAME": "me", "GIT_COMMITTER_EMAIL": "me@localhost"}
    typed = subprocess.run(["sh", "-c", advice], cwd=project, capture_output=True, text=True, env=os.environ | identity)
    assert typed.returncode == 0, typed.stderr
    assert git(project, "log", "--format=%s", "origin/main..main").splitlines() == ["Later work"]
    assert git(project, "rev-list", "main..origin/main") == ""
    assert (project / "base.txt").read_text() == "edited, not committed\n"
    assert (project / "mine.txt").read_text() == "mine, twice\n"
    assert json.loads(planrail(project, "status", "PLAN.md", "--json").stdout)["progress"]["done"] == 2
