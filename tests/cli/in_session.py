"""A project in which somebody works through a plan by hand: a repository, a plan with checks, and planrail's commands."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from planrail.cli.main import main

PLAN = """# Greeter

## Phase 1: Write

- [ ] write hello.txt
- [ ] say hello in it

```sh check
grep -q hello hello.txt
```

### Acceptance Criteria

- `test -s hello.txt` passes

## Phase 2: More

Depends on: Phase 1

- [ ] write more.txt

```sh check
grep -q more more.txt
```

## Phase 3: Talk

- [ ] tell people
"""
UNAPPROVED = "[approval]\nrequired = false\n"


class Project:
    """The repository, with the person standing in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root, self._capsys = root, capsys
        self.plan = root / "plan.md"
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Lena")
        self.git("config", "user.email", "lena@example.org")
        self.plan.write_text(PLAN)
        (root / "planrail.toml").write_text(UNAPPROVED)
        (root / "own.txt").write_text("mine\n")
        self.commit("Begin")

    def git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def commit(self, message: str) -> None:
        self.git("add", ".")
        self.git("commit", "-q", "-m", message)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text)
        return path

    def planrail(self, *words: str) -> tuple[int, str, str]:
        """The exit code, and what was printed."""
        self._capsys.readouterr()
        code = main(list(words))
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def ask(self, *words: str) -> dict[str, Any]:
        """What a command answers in JSON, whatever its exit code."""
        answer: dict[str, Any] = json.loads(self.planrail(*words, "--json")[1])
        return answer

    def phase(self, name: str) -> dict[str, Any]:
        """A phase, as `planrail show` describes it."""
        phases = self.ask("show", "plan.md")["phases"]
        return next(phase for phase in phases if phase["id"] == name)


def make_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Project:
    """A project whose settings let an unapproved plan be carried out."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Project(root, capsys)
