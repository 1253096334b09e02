"""Agents in their policies: what each may write, where it finds its login, and when another sandbox has to give way."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from planrail.agents.acp_wire import AcpWire
from planrail.agents.drivers import load_driver
from planrail.agents.model import AgentConfinement, Assignment
from planrail.agents.processes.processes import Clock
from planrail.agents.starting import ProgramDriver
from planrail.agents.wires import Permissions
from planrail.base.settings.agent_table import AgentSettings
from planrail.confine.backends import BUBBLEWRAP, NONE
from planrail.confine.policies import HIDDEN, ON, PRIVATE, READ, WRITE, Confinement, agent_policy, settle
from tests.confine.outside import BOTH, need


def _make(top: Path, *names: str) -> None:
    for name in names:
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(exist_ok=True) if name.endswith("/") else path.write_text("as it was\n")


def _rules(top: Path, *, is_reader: bool) -> dict[str, str]:
    environment = {"HOME": str(top / "home"), "PATH": f"{top}/rooms/work/.venv/bin:{top}/home/.cargo/bin"}
    hidden, login = (str(top / name) for name in ("state", "home/.codex/auth.json"))
    more = Confinement(str(top / "scratch"), (login,), hidden=(hidden,), network=ON)
    policy = agent_policy(more, str(top / "rooms/work"), environment, is_reader=is_reader, has_stores=True)
    assert not policy.is_sealed
    return {os.path.relpath(rule.path, top): rule.access for rule in settle(policy) if rule.path.startswith(f"{top}/")}


def test_an_agent_writes_its_workspace_and_its_login_and_a_verifier_only_its_login(tmp_path: Path) -> None:
    _make(
        tmp_path, "rooms/work/.venv/bin/", "rooms/other/", "scratch/", "state/x", "home/.ssh/", "home/.codex/auth.json"
    )
    _make(
        tmp_path, "home/.codex/sessions/", "home/.cargo/bin/", "home/.cargo/registry/", "home/.cargo/credentials.toml"
    )
    shared = {
        "home": PRIVATE,
        "home/.cargo": READ,
        "home/.cargo/credentials.toml": HIDDEN,
        "home/.cargo/registry": PRIVATE,
        "home/.codex/auth.json": WRITE,
        "scratch": WRITE,
    }
    assert _rules(tmp_path, is_reader=False) == {**shared, "rooms/work": WRITE}
    assert _rules(tmp_path, is_reader=True) == {**shared, "rooms/work": READ}


def _driver(name: str, top: Path, program: str = "/bin/sh", **variables: str) -> ProgramDriver:
    given = {"HOME": str(top / "home"), "PATH": os.defpath, **variables}
    driver = load_driver(name, given, AgentSettings({name: program}))
    assert isinstance(driver, ProgramDriver)
    return driver


def _assignment(top: Path, backend: str, **more: object) -> Assignment:
    _make(top, "work/", "job/", "scratch/", "home/.ssh/id", "home/.claude/.credentials.json", "home/.claude.json")
    _make(top, "home/.codex/auth.json", "home/.codex/config.toml", "home/.codex/sessions/old", "else/auth.json")
    confinement = AgentConfinement(backend, need(backend).program, scratch=str(top / "scratch"), **more)  # type: ignore[arg-type]
    return Assignment(
        "author", "Do it.", str(top / "work"), read_only=False, log=str(top / "job/log"), confinement=confinement
    )


def _run(driver: ProgramDriver, assignment: Assignment, script: str) -> str:
    argv, environment = driver.enclose(["/bin/sh", "-c", script], assignment)
    done = subprocess.run(
        argv, cwd=assignment.folder, env=dict(environment), capture_output=True, text=True, timeout=60
    )
    return done.stdout


@BOTH
def test_a_login_is_written_and_settings_are_copies(tmp_path: Path, name: str) -> None:
    assignment, driver = _assignment(tmp_path, name), _driver("codex", tmp_path)
    script = "cd ~/.codex; echo new >auth.json; echo new >config.toml; cat auth.json config.toml; echo x >log; ls -A ~"
    assert _run(driver, assignment, script) == "new\nnew\n.codex\n"
    assert (tmp_path / "home/.codex/auth.json").read_text() == "new\n"
    assert (tmp_path / "home/.codex/config.toml").read_text() == "as it was\n"
    assert sorted(os.listdir(tmp_path / "home/.codex")) == ["auth.json", "config.toml", "sessions"]
    assert _run(driver, assignment, "cat ~/.codex/config.toml ~/.codex/log") == "as it was\nx\n"  # it goes on there


@BOTH
def test_a_login_elsewhere_is_found_by_its_variable(tmp_path: Path, name: str) -> None:
    assignment, driver = _assignment(tmp_path, name), _driver("codex", tmp_path, CODEX_HOME=str(tmp_path / "else"))
    assert (
        _run(driver, assignment, 'cd "$CODEX_HOME"; cat auth.json; echo new >auth.json; echo x >log') == "as it was\n"
    )
    assert (tmp_path / "else/auth.json").read_text() == "new\n"
    assert os.listdir(tmp_path / "else") == ["auth.json"]


@BOTH
def test_an_agent_has_its_own_login_and_no_other(tmp_path: Path, name: str) -> None:
    assignment, driver = (
        _assignment(tmp_path, name, writable=(str(tmp_path / "home/.my/agent"),)),
        _driver("claude", tmp_path),
    )
    _make(tmp_path, "home/.my/agent")
    assert (
        _run(driver, assignment, "cd; find . -type f -o -type l | sort")
        == "./.claude.json\n./.claude/.credentials.json\n./.my/agent\n"
    )


def test_a_provider_brings_its_login_and_its_variables(tmp_path: Path) -> None:
    assignment = _assignment(tmp_path, BUBBLEWRAP)
    _make(tmp_path, "home/.aws/credentials")
    script = 'cat ~/.aws/credentials; echo "$AWS_PROFILE $XDG_RUNTIME_DIR"'
    variables = {"AWS_PROFILE": "work", "XDG_RUNTIME_DIR": "/run/user/1"}
    assert _run(_driver("claude", tmp_path, **variables), assignment, script) == " \n"
    told = _run(_driver("claude", tmp_path, CLAUDE_CODE_USE_BEDROCK="1", **variables), assignment, script)
    assert told == "as it was\nwork \n"


@pytest.mark.parametrize(("name", "variables"), [("gemini", {"GEMINI_SANDBOX": "docker"}), ("codex", {})])
def test_a_sandbox_that_cannot_be_nested_makes_the_outer_one_give_way(
    tmp_path: Path, name: str, variables: dict[str, str]
) -> None:
    driver = _driver(name, tmp_path, "/bin/false", **variables)
    needed = _assignment(tmp_path, BUBBLEWRAP, is_required=True)
    outcome = driver.start(needed, None, lambda *_: None).wait()
    assert (outcome.ok, "[run] confine requires" in outcome.error) == (False, True)
    outcome = driver.start(_assignment(tmp_path, BUBBLEWRAP), None, lambda *_: None).wait()
    assert name == "codex" or outcome.confined.startswith(f"{NONE}, because GEMINI_SANDBOX")


def test_where_the_outer_one_gives_way_programs_of_the_workspace_come_last(tmp_path: Path) -> None:
    """Else an agent could leave a `node` there that says that its sandbox does not work."""
    path = os.pathsep.join((str(tmp_path / "work/bin"), os.defpath))
    driver = _driver("gemini", tmp_path, "/bin/false", GEMINI_SANDBOX="docker", PATH=path)
    driver.start(_assignment(tmp_path, BUBBLEWRAP), None, lambda *_: None).wait()
    assert driver.environment["PATH"] == os.pathsep.join((os.defpath, str(tmp_path / "work/bin")))


def test_planrail_reads_and_writes_no_files_for_a_confined_agent(tmp_path: Path) -> None:
    permissions = Permissions(None, lambda *_: None, Clock(9))
    wire = AcpWire("x", _assignment(tmp_path, BUBBLEWRAP), permissions)
    assert '"readTextFile":false,"writeTextFile":false' in str(next(iter(wire.open()))).replace(" ", "")
    asked = {"jsonrpc": "2.0", "id": 7, "method": "fs/read_text_file", "params": {"path": str(tmp_path / "work/x")}}
    assert "planrail offers no fs/read_text_file" in str(next(iter(wire.hear(json.dumps(asked).encode()))))
