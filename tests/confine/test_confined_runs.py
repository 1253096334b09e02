"""`planrail run` with checks that are confined: honest work lands, a check reaches nothing else, and each is recorded."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from planrail.base.errors import ToolFailed, UsageError
from planrail.base.settings import RunSettings
from planrail.confine.backends import BUBBLEWRAP, LANDLOCK, NONE, Backend
from planrail.runs.checks import enclosures
from planrail.runs.checks.enclosures import Enclosure, choose_enclosure
from tests.cli.processes import call
from tests.confine.outside import need

_PLAN = """# Plan

## Phase 1 — Greet

- [ ] write hello.txt

```sh run
echo hello > hello.txt
```
```sh check
grep -q hello hello.txt
git log --oneline | grep -q Work
python3 -c 'import tempfile; print(open(tempfile.mkstemp()[1], "w").write("x"))'
echo mine > "$HOME/.note"
if cat {top}/canary; then exit 8; fi
echo planted > {top}/package.json || true
```
"""


class Project:
    """A repository with a plan whose check looks around, and a home folder beside it."""

    def __init__(self, top: Path, settings: str) -> None:
        self.top, self.root = top, top / "repository"
        self.root.mkdir()
        (top / "home").mkdir()
        (top / "canary").write_text("secret")
        (self.root / "planrail.toml").write_text(f"[approval]\nrequired = false\n[run]\n{settings}\n")
        (self.root / "PLAN.md").write_text(_PLAN.format(top=top))
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "-m", "Work")

    def git(self, *words: str) -> str:
        return subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=True).stdout

    def type(self, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        given = {"HOME": str(self.top / "home"), "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "e@example.org"}
        given |= {"GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "e@example.org"}
        return call(*words, cwd=self.root, **given, **variables)

    def checks(self) -> list[dict[str, object]]:
        told = json.loads(self.type("report", "PLAN.md", "--json").stdout)
        return [check for attempt in told["attempts"] for check in attempt["evidence"]["checks"]]


def test_confined_checks_land_honest_work_and_reach_nothing_else(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, 'confine = "required"')
    done = project.type("run", "PLAN.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("show", "HEAD:hello.txt") == "hello\n"
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP]
    assert not (tmp_path / "home" / ".note").exists()
    assert not (tmp_path / "package.json").exists()


def test_the_same_check_fails_where_nothing_confines_it_and_that_is_on_record(tmp_path: Path) -> None:
    project = Project(tmp_path, "")
    assert project.type("run", "PLAN.md").returncode != 0
    assert [check["confined"] for check in project.checks()] == [NONE]


def test_a_variable_overrules_the_setting(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, "")
    assert project.type("run", "PLAN.md", PLANRAIL_CONFINE="auto").returncode == 0
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP]


@pytest.fixture
def root(tmp_path: Path) -> str:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("mode", "found", "told"),
    [
        ("off", BUBBLEWRAP, "none, because [run] confine is off"),
        ("auto", BUBBLEWRAP, BUBBLEWRAP),
        ("auto", LANDLOCK, "none, because why"),
        ("auto", NONE, "none, because why"),
        ("required", LANDLOCK, LANDLOCK),
    ],
)
def test_the_setting_chooses(root: str, monkeypatch: pytest.MonkeyPatch, mode: str, found: str, told: str) -> None:
    monkeypatch.setattr(enclosures, "find_backend", lambda: Backend(found, "", "why", "do"))
    assert choose_enclosure(root, RunSettings(confine=mode), {"HOME": root}).told == told


def test_what_is_required_and_cannot_be_had_is_refused(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enclosures, "find_backend", lambda: Backend(NONE, "", "why", "apt install it"))
    with pytest.raises(ToolFailed) as told:
        choose_enclosure(root, RunSettings(confine="required"), {"HOME": root})
    assert told.value.remedy == "apt install it"
    with pytest.raises(UsageError):
        choose_enclosure(root, RunSettings(), {"HOME": root, "PLANRAIL_CONFINE": "perhaps"})


def test_planrails_own_records_are_hidden_and_the_objects_of_the_repository_readable(
    root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enclosures, "find_backend", lambda: Backend(BUBBLEWRAP, "/usr/bin/bwrap"))
    chosen = choose_enclosure(root, RunSettings(confine="auto", network="off"), {"HOME": root})
    git = os.path.join(os.path.realpath(root), ".git")
    assert isinstance(chosen, Enclosure)
    assert (chosen.readable, chosen.network) == ((f"{git}/objects",), "off")
    assert chosen.hidden == (f"{root}/.local/state/planrail", f"{git}/planrail")
