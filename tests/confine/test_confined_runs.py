"""`planrail run` with checks that are confined: honest work lands, a check reaches nothing else, and each is recorded."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from planrail.base.crash_points import VARIABLE as CRASHES
from planrail.base.errors import ToolFailed, UsageError
from planrail.base.run_model import CheckRun
from planrail.base.settings import RunSettings
from planrail.confine.backends import BUBBLEWRAP, LANDLOCK, NONE, Backend
from planrail.runs.checks import enclosures
from planrail.runs.checks.enclosures import Enclosure, choose_enclosure
from planrail.runs.checks.surroundings import Surroundings
from planrail.runs.evidence.judging import why_out_of_reach
from tests.cli.processes import call, planrail
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

    def __init__(self, top: Path, settings: str, plan: str = _PLAN) -> None:
        self.top, self.root = top, top / "repository"
        self.root.mkdir()
        (top / "home").mkdir()
        (top / "canary").write_text("secret")
        (self.root / "planrail.toml").write_text(f"[approval]\nrequired = false\n[run]\n{settings}\n")
        (self.root / "PLAN.md").write_text(plan.replace("{top}", str(top)))
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

    def agents(self, **variables: str) -> list[str]:
        told = json.loads(self.type("report", "PLAN.md", "--json", **variables).stdout)
        return [agent["confined"] for attempt in told["attempts"] for agent in attempt["agents"]]


def test_confined_checks_land_honest_work_and_reach_nothing_else(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, 'confine = "required"')
    done = project.type("run", "PLAN.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("show", "HEAD:hello.txt") == "hello\n"
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP]
    assert project.agents() == [BUBBLEWRAP]
    assert not (tmp_path / "home" / ".note").exists()
    assert not (tmp_path / "package.json").exists()


def test_the_same_check_fails_where_nothing_confines_it_and_that_is_on_record(tmp_path: Path) -> None:
    project = Project(tmp_path, 'confine = "off"')
    assert project.type("run", "PLAN.md").returncode != 0
    assert [check["confined"] for check in project.checks()] == [NONE]


def test_a_variable_overrules_the_setting(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, 'confine = "off"')
    assert project.type("run", "PLAN.md", PLANRAIL_CONFINE="auto").returncode == 0
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP]


_SMALL = """# Plan

## Phase 1 — Greet

- [ ] write hello.txt

```sh run
echo hello > hello.txt
```
```sh check
{check}
```
"""
_HONEST = "grep -q hello hello.txt"


def test_tests_that_need_what_is_hidden_open_the_checks_of_a_run_and_that_is_on_record(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, f"[testing]\ncommand = 'cat {tmp_path}/canary'", _SMALL.format(check=_HONEST))
    done = project.type("run", "PLAN.md")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [check["confined"] for check in project.checks()] == [NONE, NONE]
    assert project.agents() == [NONE]  # it runs the tests, too
    assert (
        "confined: none, because on the base the project's tests fail"
        in project.type("report", "PLAN.md", "--full").stdout
    )


def test_a_run_that_was_opened_stays_so_when_it_is_resumed(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, f"[testing]\ncommand = 'cat {tmp_path}/canary'", _SMALL.format(check=_HONEST))
    # on the base both, the tests outside, both again: the sixth is the first on the work
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CRASHES, "check.begun:6")
        assert planrail("run", "PLAN.md", cwd=project.root, HOME=str(tmp_path / "home")).returncode < 0
    assert project.type("resume").returncode == 0
    assert [check["confined"] for check in project.checks()] == [NONE, NONE]


@pytest.mark.parametrize("settings", ['confine = "required"', 'network = "off"'])
def test_what_a_person_wants_confined_is_not_opened(tmp_path: Path, settings: str) -> None:
    need(BUBBLEWRAP)
    text = f"{settings}\n[testing]\ncommand = 'cat {tmp_path}/canary'"
    project = Project(tmp_path, text, _SMALL.format(check=_HONEST))
    project.type("run", "PLAN.md")
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP, BUBBLEWRAP]


def test_tests_that_fail_outside_as_well_open_nothing(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    project = Project(tmp_path, "[testing]\ncommand = 'exit 3'", _SMALL.format(check=_HONEST))
    project.type("run", "PLAN.md")
    assert [check["confined"] for check in project.checks()] == [BUBBLEWRAP, BUBBLEWRAP]


def test_what_the_settings_open_is_reached(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    (tmp_path / "cache").mkdir()
    settings = f'confine = "required"\nreadable = ["{tmp_path}/canary"]\nwritable = ["{tmp_path}/cache"]'
    check = f"grep -q hello hello.txt\ncat {tmp_path}/canary > {tmp_path}/cache/kept"
    project = Project(tmp_path, settings, _SMALL.format(check=check))
    assert project.type("run", "PLAN.md").returncode == 0
    assert (tmp_path / "cache" / "kept").read_text() == "secret"


def test_a_confined_check_that_fails_says_what_opens_what_it_needs(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    check = "grep -q hello hello.txt\ntouch /usr/made-by-a-check"
    project = Project(tmp_path, "", _SMALL.format(check=check))
    done = project.type("run", "PLAN.md")
    assert done.returncode != 0
    assert "a person can open what it needs by [run] readable and writable" in done.stdout + done.stderr


_PLANTED = {"above": "state/rooms/package.json", "home": "home/.npmrc", "program": "home/.local/bin/grep"}


@pytest.mark.parametrize("planted", _PLANTED)
def test_an_agent_is_confined_by_default_and_plants_nothing(tmp_path: Path, planted: str) -> None:
    need(BUBBLEWRAP)
    plant = f"mkdir -p {tmp_path}/{os.path.dirname(_PLANTED[planted])}; echo planted > {tmp_path}/{_PLANTED[planted]}"
    plan = _SMALL.format(check=_HONEST).replace("echo hello >", f"( {plant} ) || true\necho hello >")
    project = Project(tmp_path, "", plan)
    for name in ("home/.local/bin", "state/rooms"):
        (tmp_path / name).mkdir(parents=True)
    path = os.pathsep.join((str(tmp_path / "home/.local/bin"), os.environ["PATH"]))
    done = project.type("run", "PLAN.md", PATH=path, PLANRAIL_STATE_DIR=str(tmp_path / "state"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / _PLANTED[planted]).exists()
    assert "Planrail-Confined: bubblewrap\n" in project.git("log", "-2", "--format=%B")


@pytest.mark.parametrize(("settings", "rests"), [("", True), ('confine = "required"', False)])
def test_what_a_person_changes_meanwhile_is_asked_about_where_an_agent_might_have(
    tmp_path: Path, settings: str, rests: bool
) -> None:
    need(BUBBLEWRAP)
    settings += f"\nprovision = 'echo true >> {tmp_path}/home/.bashrc'"
    done = Project(tmp_path, settings, _SMALL.format(check=_HONEST)).type("run", "PLAN.md")
    assert done.stdout.startswith("paused: changed outside" if rests else "complete: "), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("planted", "is_certain", "is_seen"),
    [
        *(("above", False, True), ("above", True, False), ("home", False, True), ("home", True, False)),
        *(("program", False, True), ("program", True, True)),
    ],
)
def test_what_no_check_can_see_is_not_watched_where_nothing_opens_confinement(
    tmp_path: Path, root: str, planted: str, is_certain: bool, is_seen: bool
) -> None:
    """For agents that are not confined, because they have a sandbox of their own."""
    for name in ("home/.local/bin", "state/rooms"):
        (tmp_path / name).mkdir(parents=True)
    given = {"HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "home/.local/bin")}
    rooms = str(tmp_path / "state/rooms")
    view = Enclosure(need(BUBBLEWRAP), may_open=not is_certain).make_view(rooms, given)
    watching = Surroundings(root, given, str(tmp_path / "record"), lambda _: True, rooms, view)
    assert watching.judge() == []
    (tmp_path / _PLANTED[planted]).write_text("planted\n")
    (tmp_path / _PLANTED[planted]).chmod(0o700)
    assert bool(watching.judge()) == is_seen


def test_an_agent_in_the_users_own_checkout_leaves_its_git_folder_as_it_is(tmp_path: Path) -> None:
    need(BUBBLEWRAP)
    work = f"git log --oneline\n( echo x > .git/hooks/pre-commit; echo x > {tmp_path}/planted ) || true\necho hello >"
    direct = _SMALL.format(check=_HONEST).replace("- [ ] write", "### Execution: direct\n\n- [ ] write")
    project = Project(tmp_path, "", direct.replace("echo hello >", work))
    state = {"PLANRAIL_STATE_DIR": str(tmp_path / "state")}
    done = project.type("run", "PLAN.md", **state)
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.agents(**state) == [BUBBLEWRAP]
    assert not (project.root / ".git/hooks/pre-commit").exists()
    assert sorted(os.listdir(tmp_path)) == ["canary", "home", "repository", "state"]


@pytest.mark.parametrize(
    ("confined", "said", "told"),
    [
        ("bubblewrap, network off", "curl: (6) Could not resolve host: example.org", "planrail config run.network on"),
        ("bubblewrap, network loopback", "connect ECONNREFUSED 127.0.0.1:5432", "planrail config run.network on"),
        ("bubblewrap", "connect ECONNREFUSED 127.0.0.1:5432", ""),
        ("bubblewrap", "OSError: [Errno 30] Read-only file system: 'x'", "planrail config run.confine off"),
        ("bubblewrap, network off", "EACCES: permission", "planrail config run.confine off"),
        ("none, because it is off", "Read-only file system", ""),
        ("", "Read-only file system", ""),
        ("bubblewrap", "AssertionError", ""),
    ],
)
def test_the_words_of_a_check_tell_what_is_out_of_reach(confined: str, said: str, told: str) -> None:
    found = why_out_of_reach(CheckRun("make", "block", 1, "t", 1, 0.1, "", "", said, confined), said)
    assert bool(found) == bool(told)
    assert told in found


@pytest.mark.parametrize(("settings", "confined"), [('confine = "required"', BUBBLEWRAP), ("", NONE)])
def test_checks_of_a_session_are_confined_where_that_is_required(tmp_path: Path, settings: str, confined: str) -> None:
    need(BUBBLEWRAP)
    check = f"git log -1 --format=%s\nif cat {tmp_path}/canary; then echo seen; fi\ngrep -q hello hello.txt"
    project = Project(tmp_path, settings, _SMALL.format(check=check))
    project.git("worktree", "add", "-q", str(tmp_path / "beside"))
    (tmp_path / "beside" / "hello.txt").write_text("hello\n")
    project.root = tmp_path / "beside"
    done = project.type("check", "PLAN.md", "1", PLANRAIL_STATE_DIR=str(tmp_path / "state"))
    assert done.returncode == 0, done.stdout + done.stderr
    outputs = [path.read_text() for path in tmp_path.rglob("01.log")]
    assert len(outputs) == 2
    assert all("Work" in text and ("seen" in text) == (confined == NONE) for text in outputs)


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
