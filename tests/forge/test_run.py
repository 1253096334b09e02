"""Whole runs that land by pull request: `planrail run PLAN finish auto pr`, with the real gh."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forge.stage import git
from tests.support.forge_server import ForgeServer, Hosted, bare
from tests.support.lanes import soak
from tests.support.patience import PATIENCE

SETTINGS = '[approval]\nrequired = false\n[run]\nlanding = "pr"\n'


def write_plan(root: Path, phases: int) -> None:
    """A plan whose phases each write a file, committed and pushed."""
    parts = ["# Files\n"]
    for number in range(1, phases + 1):
        parts.append(
            f"## Phase {number} — File {number}\n\n- [ ] write {number}.txt\n\n"
            f"```sh run\necho {number} > {number}.txt\n```\n\n```sh check\ngrep -q {number} {number}.txt\n```\n"
        )
    (root / "PLAN.md").write_text("\n".join(parts))
    (root / "planrail.toml").write_text(SETTINGS)
    git(root, "add", "PLAN.md", "planrail.toml")
    git(root, "commit", "--quiet", "--message", "Plan")
    git(root, "push", "--quiet", "origin", "main")


def planrail(root: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """What planrail answers in the repository."""
    command = [sys.executable, "-m", "planrail", *arguments]
    environment = {**os.environ, "PLANRAIL_STATE_DIR": str(root.parent / "state"), **variables}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=PATIENCE)


@pytest.fixture
def project(root: Path, server: ForgeServer) -> Path:
    write_plan(root, 2)
    server.hosted.looks = [{"ci": "success"}]
    return root


def landed_files(project: Path) -> set[str]:
    """The files that the forge's main has."""
    git(project, "fetch", "--quiet", "origin")
    return set(git(project, "ls-tree", "--name-only", "origin/main").split())


@pytest.mark.full
def test_a_plan_is_merged_by_one_pull_request(project: Path, hosted: Hosted) -> None:
    done = planrail(project, "run", "PLAN.md", "finish", "auto")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt"} <= landed_files(project)
    assert (len(hosted.requests), hosted.merges) == (1, 1)
    body = hosted.requests[1].body
    assert body.count("✅") == 2
    assert hosted.requests[1].title == "[plan] Files"
    merged = git(hosted.path, "rev-parse", "main")[:10]
    report = planrail(project, "report", "PLAN.md", "--full").stdout  # it does not contradict itself
    assert "not finished" not in report
    assert "pr-ready" not in report
    assert report.count("- **Status:** landed") == 2
    assert report.count(f"- **Commits:** `{merged}`") == 2
    assert f"| 1 | File 1 | landed | `{merged}` |" in report
    assert report.count("https://github.localhost/o/r/pull/1") == 2


@pytest.mark.full
def test_without_auto_the_request_is_left_to_a_person(project: Path, hosted: Hosted) -> None:
    done = planrail(project, "run", "PLAN.md", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert hosted.merges == 0
    assert "1.txt" not in landed_files(project)
    assert hosted.requests[1].state == "open"


def test_without_a_login_or_the_right_to_see_the_repository_nothing_begins(
    project: Path, hosted: Hosted, server: ForgeServer, tmp_path: Path
) -> None:
    done = planrail(project, "run", "PLAN.md", "1", **server.environment(str(tmp_path / "empty"), is_logged_in=False))
    assert (done.returncode, "gh is not logged in at github.localhost" in done.stderr) == (1, True), done.stderr
    assert "gh auth login --hostname github.localhost" in done.stderr
    assert bare.head_of(hosted.path, "feat/plan") == ""
    assert json.loads(planrail(project, "runs", "--json").stdout)["runs"] == []
    hosted.fail("GET", "/repos/o/r", 404)
    done = planrail(project, "run", "PLAN.md", "1")
    assert (done.returncode, "not for this login; nothing was started" in done.stderr) == (1, True), done.stderr


@pytest.mark.soak
def test_the_error_that_ends_a_run_is_its_last_word_and_names_the_branch_that_was_pushed(
    project: Path, hosted: Hosted
) -> None:
    hosted.fail("POST", "/pulls", 403)
    done = planrail(project, "run", "PLAN.md", "1")
    assert done.returncode == 11, done.stdout + done.stderr
    looks = [
        planrail(project, *words).stdout for words in (("status",), ("list", "runs"), ("report", "PLAN.md", "--full"))
    ]
    for said in (done.stderr, *looks):
        assert "does not allow that" in said, said
    for said in (done.stderr, looks[0], looks[2]):
        assert "the branch feat/plan is on origin already" in said, said
    stopped = planrail(project, "stop").stdout
    assert "its branch feat/plan stays on origin (to take it away there: git push origin --delete feat/plan)" in stopped
    git(project, "push", "origin", "--delete", "feat/plan")


@pytest.mark.full
def test_red_checks_never_merge(project: Path, hosted: Hosted) -> None:
    hosted.looks = [{"ci": "failure"}]
    done = planrail(project, "run", "PLAN.md", "finish", "auto")
    assert done.returncode == 1, done.stdout + done.stderr
    assert hosted.merges == 0
    assert "2.txt" not in landed_files(project)


@pytest.mark.full
@pytest.mark.parametrize(
    "points",
    [
        ["pr.pushed", "pr.checked"],
        *map(soak, (["publish.begun"], ["pr.pushed"], ["pr.checked"], ["pr.confirming"], ["publish.done"])),
    ],
)
def test_a_run_that_is_killed_while_it_publishes_merges_once(project: Path, hosted: Hosted, points: list[str]) -> None:
    for point in points:
        killed = planrail(project, "run", "PLAN.md", "finish", "auto", PLANRAIL_CRASH_AT=point)
        assert killed.returncode == -9, (point, killed.stdout + killed.stderr)
    done = planrail(project, "resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"1.txt", "2.txt"} <= landed_files(project)
    assert (len(hosted.requests), hosted.merges) == (1, 1)


@pytest.mark.soak
def test_while_phases_wait_in_the_request_every_command_names_what_really_comes_next(
    project: Path, hosted: Hosted
) -> None:
    planrail(project, "run", "PLAN.md", "1")
    known = [json.loads(planrail(project, name, "PLAN.md", "--json").stdout) for name in ("next", "status")]
    assert (known[0]["phase"], known[0]["command"], known[1]["next"]) == (
        "2",
        "planrail run PLAN.md 2",
        known[0]["command"],
    )
    assert [phase["note"] for phase in known[1]["phases"]] == ["in the pull request", "Next ←"]
    done = planrail(project, "run", "PLAN.md")
    assert "pr ready: #1 can be merged" in done.stdout
    merge = done.stdout.rpartition("next: ")[2].strip()
    told = planrail(project, "next", "PLAN.md")
    assert "in the pull request: phase 1, phase 2" in told.stdout
    assert told.stdout.endswith(f"next: {merge}\n")
    assert json.loads(planrail(project, "status", "PLAN.md", "--json").stdout)["next"] == merge
    assert merge.startswith("gh pr merge 1 ")


@pytest.mark.soak
def test_a_request_that_a_person_merged_and_pulled_is_taken_note_of(project: Path, hosted: Hosted) -> None:
    planrail(project, "run", "PLAN.md", "finish")
    planrail(project, "resume", "PLAN.md")
    hosted.merge(1, "squash", "Files (#1)")
    git(project, "pull", "--quiet", "origin", "main")
    assert json.loads(planrail(project, "status", "PLAN.md", "--json").stdout)["next"] == "planrail run PLAN.md"
    done = planrail(project, "run", "PLAN.md")
    assert "the plan is complete: #1 was merged" in done.stdout
