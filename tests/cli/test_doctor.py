"""`planrail doctor` says what works, what is protected, and what to type; it changes nothing."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from planrail.hook.sessions.state import PROPOSED, Session
from planrail.hook.sessions.store import update
from planrail.install.checks import check_approval, describe
from planrail.install.findings import BAD, NOTE, WELL
from tests.cli.processes import call, planrail


class Machine:
    """A project, a home and planrail's state, each of their own."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home = folder / "project", folder / "home"
        self.state = Path(os.environ["PLANRAIL_STATE_DIR"])
        self.home.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        places = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / "config")}
        return call(*arguments, cwd=self.root, **places, **environment)

    def examine(self, **environment: str) -> tuple[int, dict[str, dict[str, str]]]:
        """The exit code, and the last finding of each name."""
        done = self.run("doctor", "--json", **environment)
        report = json.loads(done.stdout)
        assert report["ok"] == (done.returncode == 0)
        assert all(check["remedy"] for check in report["checks"] if check["state"] != "well")
        return done.returncode, {check["name"]: check for check in report["checks"]}

    def keep(self, **fields: object) -> None:
        """Keep a session with these fields."""
        update(str(self.state), "claude", "s1", lambda _: Session("claude", "s1", **fields))  # type: ignore[arg-type]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_after_init_everything_is_well_and_looking_changes_nothing(machine: Machine) -> None:
    done = planrail("doctor", cwd=machine.root, HOME=str(machine.home))
    assert (done.returncode, done.stdout.rstrip().endswith("next: planrail init")) == (0, True)
    machine.run("init", "--agent", "claude,codex,gemini,opencode")
    before = {path: path.stat().st_mtime_ns for path in machine.state.rglob("*") if path.is_file()}
    code, findings = machine.examine()
    assert code == 0
    assert "confine" in findings  # whether that is well depends on the machine
    assert {finding["state"] for name, finding in findings.items() if name != "confine"} == {"well"}
    assert {"claude", "codex", "gemini", "opencode", "hook, idle", "hook, planning", "git"} <= set(findings)
    assert {path: path.stat().st_mtime_ns for path in machine.state.rglob("*") if path.is_file()} == before
    folder = machine.run("doctor", "--plugin-path").stdout.rstrip("\n")
    assert (Path(folder) / ".claude-plugin/plugin.json").is_file()


def test_a_stop_that_an_older_planrail_gave_too_little_time_is_named_with_the_command(machine: Machine) -> None:
    machine.run("init", "--agent", "claude,gemini")
    for name, event, short in (
        (".claude/settings.local.json", "Stop", 60),
        (".gemini/settings.json", "AfterAgent", 60_000),
    ):
        path = machine.root / name
        settings = json.loads(path.read_text())
        settings["hooks"][event][0]["hooks"][0]["timeout"] = short
        path.write_text(json.dumps(settings))
    code, findings = machine.examine()
    assert code == 1
    for agent in ("claude", "gemini"):
        assert "a stop may take 60 s there, too short to run checks in" in findings[agent]["text"]
        assert findings[agent]["remedy"] == "planrail init"
    machine.run("init", "--agent", "claude,gemini")
    assert machine.examine()[0] == 0


def test_what_is_broken_after_init_is_found_and_init_mends_it(machine: Machine, tmp_path: Path) -> None:
    machine.run("init")
    interpreter, local = machine.state / "interpreter", machine.root / ".claude/settings.local.json"
    well, settings = interpreter.read_text(), local.read_text()
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    interpreter.write_text(f"{broken}\n{well.splitlines()[1]}\n")
    code, findings = machine.examine()
    assert (code, findings["hook, planning"]["state"]) == (1, "bad"), "the hook is really tried"
    interpreter.write_text("/gone/python\n/gone\n")
    local.write_text(settings.replace("planrail-hook", "old-planrail-hook"))
    code, findings = machine.examine()
    assert (code, findings["python"]["remedy"], findings["claude"]["remedy"]) == (1, "planrail init", "planrail init")
    machine.run("init")
    assert machine.examine()[0] == 0
    local.write_text(json.dumps({**json.loads(local.read_text()), "disableAllHooks": True}))
    code, findings = machine.examine()
    assert (code, "nothing is protected" in findings["claude"]["text"]) == (1, True)


def test_what_a_projects_settings_set_for_the_hook_is_named(machine: Machine) -> None:
    machine.run("init", "--agent", "claude")
    settings = machine.root / ".claude/settings.json"
    for name, is_well in (("XDG_CONFIG_HOME", True), ("LD_PRELOAD", False), ("AI_AGENT", False), ("NODE_ENV", None)):
        settings.write_text(json.dumps({"env": {name: "x"}}))
        check = machine.examine()[1].get("project")
        assert (None if check is None else check["state"] != "bad") == is_well, name
        assert check is None or (name in check["text"] and str(settings) in check["text"])


def test_settings_that_make_no_sense_are_found(machine: Machine, tmp_path: Path) -> None:
    own = machine.home / "config/planrail/planrail.toml"
    own.parent.mkdir(parents=True)
    (machine.root / "link").symlink_to(tmp_path)
    for place, text, said in (
        (machine.root / "planrail.toml", "[guard]\nblock = 3\n", "block"),
        (machine.root / "planrail.toml", "[", ""),
        (machine.root / "planrail.toml", "[context]\nwarn = 70\nhold = 60\n", ""),
        (machine.root / "planrail.toml", "[gaurd]\nblock = true\n", "[gaurd]"),
        (machine.root / "planrail.toml", '[plans]\ndirectory = "../out"\n', "../out"),
        (machine.root / "planrail.toml", '[plans]\ndirectory = "/out"\n', "/out"),
        (machine.root / "planrail.toml", '[plans]\ndirectory = "link/plans"\n', "link/plans"),
        (own, "[gaurd]\nblock = true\n", "[gaurd]"),
    ):
        place.write_text(text)
        code, findings = machine.examine()
        assert (code, findings["settings"]["state"]) == (1, "bad"), text
        assert said in findings["settings"]["text"]
        (machine.root / "planrail.toml").unlink(missing_ok=True)
    own.write_text("[guard]\nblock = false\n")
    code, findings = machine.examine()
    assert (code, findings["guard"]["state"]) == (0, "note"), "a guard that the user switched off"
    code, findings = machine.examine(PLAN_CONTEXT_WARNING_PCT="60%")
    assert (code, "PLAN_CONTEXT_WARNING_PCT" in findings["settings"]["text"]) == (1, True)


def test_it_says_whether_it_fails_open_or_closed(machine: Machine) -> None:
    assert machine.examine()[1]["sessions"]["text"].startswith("fails open")
    machine.keep(is_fork=True)
    code, findings = machine.examine()
    assert (code, findings["session"]["text"].startswith("fails closed: claude s1 was branched off")) == (0, True)
    machine.keep(planning=True, own_mode=True)
    code, findings = machine.examine()
    assert (code, findings["session"]["text"].startswith("fails closed: claude s1 plans (since ")) == (0, True)


def test_an_agent_that_asks_twice_is_found(machine: Machine) -> None:
    machine.run("init", "--agent", "codex")
    machine.run("init", "--agent", "codex", "--user")
    code, findings = machine.examine()
    assert (code, "twice" in findings["codex"]["text"]) == (1, True)


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


@pytest.mark.parametrize(
    ("settings", "state", "says"),
    [
        ("", WELL, "headless: terminal"),
        ('[approval]\nlead = "lena"\n', WELL, "the approval of lena is needed"),
        ("[approval]\nrequired = false\n", NOTE, "required = false"),
        ('[approval]\nauto = "key"\n', BAD, "no key can count"),
        ("[approval]\nwhat = 1\n", NOTE, "cannot be read"),
    ],
)
def test_doctor_says_what_a_yes_must_be(tmp_path: Path, settings: str, state: str, says: str) -> None:
    place = tmp_path / "planrail" / "planrail.toml"
    place.parent.mkdir()
    place.write_text(settings)
    finding = check_approval(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert finding.state == state
    assert says in finding.text
    assert finding.remedy or state == WELL
