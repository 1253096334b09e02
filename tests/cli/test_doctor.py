"""`planrail doctor` says what works, what is protected, and what to type; it changes nothing."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from planrail.hook.sessions.state import PROPOSED, Session
from planrail.hook.sessions.store import update
from planrail.install.checks import describe
from tests.cli.processes import planrail


class Machine:
    """A project, a home and planrail's state, each of their own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        self.state = Path(os.environ["PLANRAIL_STATE_DIR"])
        self.home.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        places = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config")}
        return planrail(*arguments, cwd=self.root, **places, **environment)  # type: ignore[arg-type]

    def examine(self, **environment: str) -> tuple[int, dict[str, dict[str, str]]]:
        """The exit code, and the last finding of each name."""
        done = self.run("doctor", "--json", **environment)
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0)
        return done.returncode, {check["name"]: check for check in report["checks"]}

    def keep(self, **fields: object) -> None:
        """Keep a session with these fields."""
        update(str(self.state), "claude", "s1", lambda _: Session("claude", "s1", **fields))  # type: ignore[arg-type]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_after_init_everything_is_well(machine: Machine) -> None:
    machine.run("init", "--agent", "claude,codex,gemini,opencode")
    code, findings = machine.examine()
    assert code == 0
    assert {finding["state"] for finding in findings.values()} == {"well"}
    assert {"claude", "codex", "gemini", "opencode", "hook, idle", "hook, planning", "git"} <= set(findings)


def test_a_project_without_planrail_is_told_how_to_connect_it(machine: Machine) -> None:
    done = machine.run("doctor")
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith("next: planrail init")


def test_the_hook_is_really_tried(machine: Machine, tmp_path: Path) -> None:
    machine.run("init")
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    package = (machine.state / "interpreter").read_text().splitlines()[1]
    (machine.state / "interpreter").write_text(f"{broken}\n{package}\n")
    code, findings = machine.examine()
    assert (code, findings["hook, planning"]["state"]) == (1, "bad")


def test_a_python_that_is_gone_is_found_and_init_mends_it(machine: Machine) -> None:
    machine.run("init")
    (machine.state / "interpreter").write_text("/gone/python\n/gone\n")
    code, findings = machine.examine()
    assert (code, findings["python"]["remedy"]) == (1, "planrail init")
    machine.run("init")
    assert machine.examine()[0] == 0


def test_hooks_that_lead_elsewhere_are_found_and_init_mends_them(machine: Machine) -> None:
    machine.run("init")
    local = machine.root / ".claude/settings.local.json"
    local.write_text(local.read_text().replace("planrail-hook", "old-planrail-hook"))
    code, findings = machine.examine()
    assert (code, findings["claude"]["remedy"]) == (1, "planrail init")
    machine.run("init")
    assert machine.examine()[0] == 0


def test_hooks_that_are_switched_off_are_said_to_protect_nothing(machine: Machine) -> None:
    machine.run("init")
    local = machine.root / ".claude/settings.local.json"
    local.write_text(json.dumps({**json.loads(local.read_text()), "disableAllHooks": True}))
    code, findings = machine.examine()
    assert (code, "nothing is protected" in findings["claude"]["text"]) == (1, True)


@pytest.mark.parametrize(
    ("name", "is_well"),
    [("XDG_CONFIG_HOME", True), ("AI_AGENT", False), ("LD_PRELOAD", False), ("FOO", True), ("NODE_ENV", None)],
)
def test_what_a_projects_settings_set_for_the_hook_is_named(
    machine: Machine, name: str, *, is_well: bool | None
) -> None:
    machine.run("init", "--agent", "claude")
    settings = machine.root / ".claude/settings.json"
    settings.write_text(json.dumps({"env": {name: "x"}}))
    check = machine.examine()[1].get("project")
    assert (None if check is None else check["state"] != "bad") == is_well
    assert check is None or (name in check["text"] and str(settings) in check["text"])


def test_an_agent_that_asks_twice_is_found(machine: Machine) -> None:
    machine.run("init", "--agent", "codex")
    machine.run("init", "--agent", "codex", "--user")
    code, findings = machine.examine()
    assert (code, "twice" in findings["codex"]["text"]) == (1, True)


@pytest.mark.parametrize("text", ["[guard]\nblock = 3\n", "[", "[context]\nwarn = 70\nhold = 60\n"])
def test_settings_that_make_no_sense_are_found(machine: Machine, text: str) -> None:
    (machine.root / "planrail.toml").write_text(text)
    code, findings = machine.examine()
    assert (code, findings["settings"]["state"]) == (1, "bad")
    assert findings["settings"]["remedy"]


@pytest.mark.parametrize("is_users", [True, False])
def test_a_table_that_nobody_reads_is_found_by_its_name(machine: Machine, *, is_users: bool) -> None:
    folder = machine.home / "config/planrail" if is_users else machine.root
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "planrail.toml").write_text("[gaurd]\nblock = true\n")
    code, findings = machine.examine()
    assert (code, findings["settings"]["state"]) == (1, "bad")
    assert "[gaurd]" in findings["settings"]["text"]
    assert findings["settings"]["remedy"]


@pytest.mark.parametrize("directory", ["../out", "/out", "link/plans"])
def test_a_folder_for_plans_outside_the_project_is_found(machine: Machine, tmp_path: Path, directory: str) -> None:
    (machine.root / "link").symlink_to(tmp_path)
    (machine.root / "planrail.toml").write_text(f'[plans]\ndirectory = "{directory}"\n')
    code, findings = machine.examine()
    assert (code, findings["settings"]["state"]) == (1, "bad")
    assert directory in findings["settings"]["text"]
    assert findings["settings"]["remedy"]


def test_a_branch_of_nobody_knows_whom_fails_closed(machine: Machine) -> None:
    machine.keep(is_fork=True)
    code, findings = machine.examine()
    assert code == 0
    assert findings["session"]["text"].startswith("fails closed: claude s1 was branched off")


def test_nonsense_in_the_environment_is_found(machine: Machine) -> None:
    code, findings = machine.examine(PLAN_CONTEXT_WARNING_PCT="60%")
    assert (code, "PLAN_CONTEXT_WARNING_PCT" in findings["settings"]["text"]) == (1, True)


def test_a_guard_that_the_user_switched_off_is_mentioned(machine: Machine) -> None:
    (machine.home / "config/planrail").mkdir(parents=True)
    (machine.home / "config/planrail/planrail.toml").write_text("[guard]\nblock = false\n")
    code, findings = machine.examine()
    assert (code, findings["guard"]["state"]) == (0, "note")


def test_without_a_plan_it_fails_open(machine: Machine) -> None:
    assert machine.examine()[1]["sessions"]["text"].startswith("fails open")


def test_a_session_that_plans_fails_closed(machine: Machine) -> None:
    machine.keep(planning=True, own_mode=True)
    code, findings = machine.examine()
    assert (code, findings["session"]["text"].startswith("fails closed: claude s1 plans (since ")) == (0, True)


@pytest.mark.parametrize(
    ("session", "start"),
    [
        (Session("claude", "s", plan="/p.md", stage="approved"), "fails open"),
        (Session("claude", "s", planning=True), "fails closed"),
        (Session("claude", "s", planning=True, blocking=False), "fails open"),
        (Session("claude", "s", plan="/p.md", stage=PROPOSED), "fails closed"),
        (Session("claude", "s", held=True, intent="no-plan"), "fails closed"),
    ],
)
def test_what_fails_closed_is_what_the_session_says(session: Session, start: str) -> None:
    assert describe(session, "since 10:00").text.startswith(start)


def test_a_damaged_session_is_found_and_the_remedy_mends_it(machine: Machine) -> None:
    machine.keep(planning=True)
    (machine.state / "sessions/claude/s1.json").write_text("{")
    code, findings = machine.examine()
    assert (code, findings["session"]["state"]) == (1, "bad")
    command = shlex.split(findings["session"]["remedy"])
    assert command[:4] == ["planrail", "detach", "--session", "s1"]
    assert machine.run(*command[1:]).returncode == 0
    assert machine.examine()[0] == 0


def test_it_changes_nothing(machine: Machine) -> None:
    machine.run("init")
    machine.keep(planning=True)
    before = {path: path.stat().st_mtime_ns for path in machine.state.rglob("*") if path.is_file()}
    machine.run("doctor")
    assert {path: path.stat().st_mtime_ns for path in machine.state.rglob("*") if path.is_file()} == before


def test_every_finding_that_is_not_well_says_what_to_do(machine: Machine) -> None:
    machine.keep(planning=True)
    (machine.root / "planrail.toml").write_text("[")
    for finding in machine.examine(PATH=os.environ["PATH"])[1].values():
        assert finding["state"] == "well" or finding["remedy"]


def test_the_plugins_folder_can_be_asked_for(machine: Machine) -> None:
    folder = machine.run("doctor", "--plugin-path").stdout.rstrip("\n")
    assert (Path(folder) / ".claude-plugin/plugin.json").is_file()
