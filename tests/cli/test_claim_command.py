"""`planrail claim`: the exit codes that scripts rely on."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.store.ledger import open_ledger
from tests.cli.processes import call, planrail


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "plans").mkdir()
    (tmp_path / "PLAN.md").write_text("# Plan\n\n## Phase 1 — One\n\n- [ ] do it\n")
    return tmp_path


@pytest.fixture
def sleeper() -> "Iterator[subprocess.Popen[bytes]]":
    process = subprocess.Popen(["sleep", "600"])
    yield process
    process.kill()
    process.wait()


def _claim(project: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return call("claim", *arguments, cwd=project)


def _me() -> tuple[str, ...]:
    return ("--pid", str(os.getpid()))


def test_a_claim_is_taken_held_released_and_told_to_programs(project: Path, sleeper: "subprocess.Popen[bytes]") -> None:
    done = planrail("claim", "acquire", "PLAN.md", "--owner", "A", "--pid", str(sleeper.pid), "--json", cwd=project)
    told = json.loads(done.stdout)
    claim = told["claim"]
    assert (done.returncode, told["decision"]) == (0, "acquired")
    assert (claim["schema_version"], claim["kind"], claim["name"]) == (1, "plan", "PLAN.md")
    assert (claim["owner"], claim["pid"], claim["current_phase"]) == ("A", sleeper.pid, "Phase 0 — acquired")
    assert len(claim["started_at"]) == len("2026-01-01T00:00:00Z")
    again = _claim(project, "acquire", "PLAN.md", "--owner", "A", "--pid", str(sleeper.pid), "--json")
    assert (again.returncode, json.loads(again.stdout)["decision"]) == (0, "already_yours")
    refused = _claim(project, "acquire", "PLAN.md", "--owner", "B", *_me(), "--json")
    told = json.loads(refused.stdout)
    assert (refused.returncode, told["decision"], told["claim"]["owner"]) == (10, "held", "A")
    assert "takeover" in refused.stderr
    assert _claim(project / "plans", "acquire", "../PLAN.md", "--owner", "B", *_me()).returncode == 10
    assert _claim(project, "release", "PLAN.md", "--owner", "B").returncode == 12
    (listed,) = json.loads(_claim(project, "list", "--json").stdout)["claims"]
    assert (listed["owner"], listed["current_phase"], listed["alive"]) == ("A", "Phase 0 — acquired", True)
    (project / "PLAN.md").rename(project / "GONE.md")
    assert _claim(project, "release", "PLAN.md", "--owner", "A").returncode == 0
    assert json.loads(_claim(project, "list", "--json").stdout)["claims"] == []


def test_a_dead_owner_is_followed_without_a_word_and_a_live_one_for_a_reason_that_is_on_record(
    project: Path, sleeper: "subprocess.Popen[bytes]"
) -> None:
    _claim(project, "acquire", "PLAN.md", "--owner", "A", "--pid", str(sleeper.pid))
    assert _claim(project, "takeover", "PLAN.md", "--owner", "B", *_me()).returncode == 2
    taken = ("takeover", "PLAN.md", "--owner", "B", "--pid", str(sleeper.pid), "--reason", "it hangs")
    assert _claim(project, *taken).returncode == 0
    with open_ledger(str(project)) as ledger:
        (fact,) = ledger.facts("claim")
    assert (fact.value["owner"], fact.value["reason"]) == ("B", "it hangs")
    sleeper.kill()
    sleeper.wait()
    done = _claim(project, "acquire", "PLAN.md", "--owner", "C", *_me(), "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["decision"], told["former"]["owner"]) == (0, "taken_over", "B")
    assert _claim(project, "acquire", "PLAN.md", "--owner", "D", "--pid", str(sleeper.pid)).returncode == 2


def test_a_wrong_call_is_2(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    for words in (
        ("PLAN.md", "--owner", ""),
        ("MISSING.md", "--owner", "A"),
        ("--owner", "A"),
    ):
        assert _claim(project, "acquire", *words, *_me()).returncode == 2, words
    bare = tmp_path_factory.mktemp("bare")
    (bare / "PLAN.md").write_text("# Plan\n")
    assert _claim(bare, "acquire", "PLAN.md", "--owner", "A", *_me()).returncode == 2, "it needs a repository"


def test_a_disk_that_fails_is_11(project: Path) -> None:
    (project / "state").write_text("a file in the place of the folder")
    done = planrail(
        "claim", "acquire", "PLAN.md", "--owner", "A", *_me(), cwd=project, PLANRAIL_STATE_DIR=str(project / "state")
    )
    assert done.returncode == 11
