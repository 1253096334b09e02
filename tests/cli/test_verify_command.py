"""`planrail verify`: a change without a plan, judged as a run judges a phase, and told; nothing is changed by it."""

import json
import subprocess
from pathlib import Path

import pytest

from planrail.cli.main import main

_TESTS = "import unittest, m\nclass A(unittest.TestCase):\n    def test_one(self): self.assertEqual(m.f(), 1)\n"
_SETTINGS = '[testing]\ncommand = "python3 -m unittest t"\n[ui]\nfiles = ["*.css"]\n'


def _git(root: Path, *words: str) -> str:
    named = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    return subprocess.run(["git", "-C", str(root), *named, *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {"t.py": _TESTS, "m.py": "def f(): return 1\n", "planrail.toml": _SETTINGS}.items():
        (tmp_path / name).write_text(text)
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "Begin")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _verify(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    code = main(["verify", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_uncommitted_work_that_breaks_the_tests_is_told_and_left_as_it_is(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "m.py").write_text("def f(): return 2\n")
    code, told = _verify(capsys)
    assert (code, told["ok"], told["title"], told["files"]) == (1, False, "uncommitted work", ["m.py"])
    assert told["tests"] == {"command": "python3 -m unittest t", "base": 0, "work": 1}
    assert told["problems"] == ["tests fail that did not fail on the base: test_one (t.A.test_one)"]
    assert _git(project, "status", "--porcelain") == " M m.py\n"


def test_a_branch_is_judged_since_it_left_its_target_and_the_last_commits_by_themselves(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _git(project, "switch", "-q", "-c", "feat")
    (project / "m.py").write_text("def f(): return 1  # still\n")
    _git(project, "commit", "-q", "-a", "-m", "Say so")
    (project / "page.css").write_text("a {}\n")
    _git(project, "add", ".")
    _git(project, "commit", "-q", "-m", "Style")
    _git(project, "switch", "-q", "main")
    code, told = _verify(capsys, "branch", "feat")
    assert (code, told["files"]) == (0, ["m.py", "page.css"])
    assert [str(one).partition(" ")[2] for one in told["commits"]] == ["Say so", "Style"]  # type: ignore[attr-defined]
    assert told["notes"] == ["people see what is changed: a person has to look at it"]
    _git(project, "switch", "-q", "feat")
    assert _verify(capsys, "last", "1")[1]["files"] == ["page.css"]
    assert _verify(capsys)[1]["title"] == "this branch, since it left main"  # nothing is uncommitted


def test_a_weakened_test_and_a_secret_speak_against_a_change(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "t.py").write_text(_TESTS.replace("    def test_one", "    @unittest.skip('later')\n    def test_one"))
    (project / "key.txt").write_text("ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5\n")
    code, told = _verify(capsys, "worktree")
    assert code == 1
    assert "key.txt:1 adds what looks like a secret" in str(told["problems"])
    assert "not one test was run (1 skipped)" in str(told["problems"])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["worktree"], "nothing has changed"),
        (["last", "9"], "git knows no commit 'HEAD~9'"),
        (["last", "none"], "is no number of commits"),
        (["branch", "nope"], "git knows no commit 'nope'"),
        (["everything"], "is nothing to verify"),
    ],
)
def test_what_cannot_be_verified_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], why: str
) -> None:
    assert main(["verify", *words]) != 0
    assert why in capsys.readouterr().err
