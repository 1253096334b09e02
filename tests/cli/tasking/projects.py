"""Projects that keep tasks, and the commands about them, typed in this process or in one of their own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.main import main

Out = pytest.CaptureFixture[str]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository in which the commands are typed, by somebody with a name."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@localhost")
    (root / "README.md").write_text("a project\n")
    git(root, "add", "README.md")
    git(root, "commit", "-qm", "begin")
    monkeypatch.chdir(root)
    return root


def git(root: Path, *words: str) -> str:
    """What git says."""
    return subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True, text=True).stdout


def task(*words: str) -> int:
    """Type `planrail task …`; the exit code."""
    return main(["task", *words])


def told(capsys: Out, *words: str) -> Any:
    """The JSON that a command prints, where it succeeds."""
    capsys.readouterr()
    assert task(*words, "--json") == 0
    return json.loads(capsys.readouterr().out)


def committed(root: Path, commit: str = "HEAD") -> list[str]:
    """The paths that a commit changed."""
    return git(root, "show", "--format=", "--name-only", "--no-renames", commit).split()


def typed(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "planrail", "task", *words]
    return subprocess.run(command, cwd=root, capture_output=True, text=True)
