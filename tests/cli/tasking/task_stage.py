"""A repository with tasks and a person who types: plans have `sh run` blocks, so that no model is needed."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.patience import PATIENCE
from tests.support.typed_here import type_here

PHASE = """
### Phase {number}: Part {name} [NOT STARTED]

- **Goal:** there is a file {name}.txt

- [ ] write {name}.txt

```sh run
{before}echo {name} >> '{starts}'
echo {name} > {name}.txt
```

```sh check
{check}
```
"""
HEAD = """# Implementation Plan: {title}

- **Task**: {number} - {title}
- **Status**: [NOT STARTED]
- **Effort**: 1 hour
- **Dependencies**: None
- **Research Inputs**: None
- **Artifacts**: {path}
- **Standards**: plan-format.md
- **Type**: general

## Overview

Write some files.

## Goals & Non-Goals

- **Goals**: the files are there

## Risks & Mitigations

- None.

## Implementation Phases
{phases}
## Testing & Validation

- [ ] the checks pass

## Artifacts & Outputs

- the files

## Rollback/Contingency

Remove the files.
"""


class TaskStage:
    """Everything lies below `place`."""

    def __init__(self, place: Path, settings: str = "[approval]\nrequired = false\n") -> None:
        self.place, self.root, self.starts = place, place / "project", place / "starts.txt"
        self.root.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")
        self.name_person()
        self.write("planrail.toml", settings)
        self.write("README.md", "a project\n")
        self.write(".gitignore", "reports/\n")
        self.commit("begin")

    # ---- the repository ----

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def name_person(self) -> None:
        for name, value in (("user.name", "me"), ("user.email", "me@localhost")):
            self.git("config", name, value)

    def write(self, name: str, text: str) -> None:
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def commit(self, message: str) -> None:
        self.git("add", ".")
        self.git("commit", "--quiet", "--message", message)

    def subjects(self, ref: str = "main") -> list[str]:
        """The first lines of all commits, the oldest first."""
        return self.git("log", "--reverse", "--format=%s", ref).splitlines()

    def landed(self, ref: str = "main") -> list[str]:
        return sorted(self.git("log", "--format=%(trailers:key=Planrail-Phase,valueonly)", ref).split())

    def count_starts(self) -> list[str]:
        return self.starts.read_text().split() if self.starts.exists() else []

    # ---- planrail ----

    @property
    def environment(self) -> dict[str, str]:
        given = {**os.environ, "HOME": str(self.place), "XDG_STATE_HOME": str(self.place / "state"), "NO_COLOR": "1"}
        given["PLANRAIL_CONFINE"] = "off"  # checks look at files of the stage
        given.pop("PLANRAIL_STATE_DIR", None)
        return given

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "planrail", *words],
            cwd=self.root,
            env={**self.environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def type(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        """In a process of its own: runs watch over it, and it may be killed."""
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def task(self, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
        return self.type("task", *words, **more)

    # ---- tasks ----

    def here(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """`planrail task …` in this process, for what runs no plan."""
        return type_here(self.root, self.environment, "task", *words)

    def new(self, title: str, *words: str) -> int:
        """A new task; its number."""
        done = self.here("new", title, *words, "--json")
        assert done.returncode == 0, done.stderr
        return int(str(self.entries()[0]["project_number"]))

    def write_plan(self, number: int, *names: str, **more: str) -> Path:
        """A plan by a person's own hand, outside of the repository. `more` are checks, or what goes before, by name."""
        title = str(self.entry(number)["title"])
        phases = "".join(self.phase(at, one, more) for at, one in enumerate(names, 1))
        source = self.place / f"plan-{number}.md"
        source.write_text(HEAD.format(title=title, number=number, path="plans", phases=phases))
        return source

    def plan(self, number: int, *names: str, **more: str) -> str:
        """Give a task a plan of a person's own; its path."""
        done = self.here("plan", str(number), "--from", str(self.write_plan(number, *names, **more)))
        assert done.returncode == 0, (done.stdout, done.stderr)
        return self.artifact(number, "plan")

    def phase(self, number: int, name: str, more: dict[str, str]) -> str:
        check = more.get(f"check_{name}", f"grep -qx {name} {name}.txt")
        before = more.get(f"before_{name}", "")
        return PHASE.format(
            number=number, name=name, starts=self.starts, check=check, before=f"{before}\n" if before else ""
        )

    def entries(self) -> list[dict[str, object]]:
        """The tasks as the view has them, the highest number first."""
        found = json.loads((self.root / "specs/state.json").read_text())["active_projects"]
        return sorted(found, key=lambda entry: -entry["project_number"])

    def entry(self, number: int) -> dict[str, object]:
        return next(one for one in self.entries() if one["project_number"] == number)

    def status(self, number: int) -> str:
        return str(self.entry(number)["status"])

    def artifacts(self, number: int, type_: str) -> list[str]:
        found = self.entry(number)["artifacts"]
        assert isinstance(found, list)
        return [str(one["path"]) for one in found if one["type"] == type_]

    def artifact(self, number: int, type_: str) -> str:
        return self.artifacts(number, type_)[-1]

    def show(self, number: int) -> dict[str, object]:
        told: dict[str, object] = json.loads(self.here("show", str(number), "--json").stdout)
        return told
