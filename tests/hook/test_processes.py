"""One hook as a process, in a world that is not as it should be: closed where a gate stands, open elsewhere, never mute."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.sessions.events import DENY
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import update
from tests.cli.processes import planrail
from tests.hook.crowds import WRAPPER, Crowd, finish, is_denied
from tests.hook.driving import Host
from tests.support.patience import PATIENCE

_WRITE: dict[str, Any] = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """An empty project, and a session "s" that plans in the agent's own plan mode."""
    made = Crowd(tmp_path)
    session = Session("claude", "s", project=str(made.project), planning=True, mode="plan", turns=1)
    update(str(made.state), "claude", "s", lambda _: session)
    return made


def _spoil(path: Path, how: str) -> None:
    if how == "truncated":
        path.write_bytes(path.read_bytes()[:-7])
    elif how == "folder":
        path.unlink()
        path.mkdir()
    elif how == "a circle of links":
        path.unlink()
        path.symlink_to(path)
    else:
        path.write_bytes({"binary": b"\xff\x00\xfe", "another type": b'{"id":1}'}[how])


@pytest.mark.parametrize("how", ["truncated", "binary", "another type", "folder", "a circle of links"])
def test_a_damaged_session_denies_tools_with_a_remedy_is_said_elsewhere_and_harms_no_neighbour(
    crowd: Crowd, how: str
) -> None:
    host = Host(crowd.state)
    _spoil(crowd.session_file("s"), how)
    denied = host.send("PreToolUse", "s", crowd.project, **_WRITE)
    assert denied.decision == DENY
    assert "planrail detach --session s" in denied.reason
    for name in ("UserPromptSubmit", "Stop", "PostToolUse", "SessionStart", "SessionEnd"):
        assert "planrail detach" in host.send(name, "s", crowd.project, prompt="hello", tool_name="Read").message
    assert host.send("PreToolUse", "neighbour", crowd.project, **_WRITE).decision == ""
    assert host.send("PreToolUse", "neighbour", crowd.project, permission_mode="plan", **_WRITE).decision == DENY


@pytest.mark.parametrize("how", ["truncated", "folder"])
def test_a_damaged_session_can_be_let_go(crowd: Crowd, how: str) -> None:
    _spoil(crowd.session_file("s"), how)
    assert is_denied(crowd.ask("PreToolUse", "s", **_WRITE))
    repaired = planrail("detach", "--session", "s", PLANRAIL_STATE_DIR=str(crowd.state))
    assert repaired.returncode == 0, repaired.stderr
    assert crowd.ask("PreToolUse", "s", **_WRITE) == {}


def _wrapped(data: bytes, crowd: Crowd, name: str, **how: Any) -> dict[str, Any]:
    """The answer of the wrapper, started in this way."""
    process = subprocess.run(
        ["sh", str(WRAPPER), "claude", name],
        input=data,
        env={**crowd.environment, "PLANRAIL_PYTHON": sys.executable},
        capture_output=True,
        check=False,
        **how,
    )
    assert (process.returncode, process.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(process.stdout) if process.stdout.strip() else {}
    return answer


def _without_space() -> None:
    """Not a byte can be written into any file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def test_a_full_disk_denies_while_planning_and_leaves_everything_as_it_was(crowd: Crowd) -> None:
    # A proposal: the next tool changes something that has to be written.
    update(str(crowd.state), "claude", "s", lambda current: current and replace(current, proposing=True))
    before = crowd.session_file("s").read_bytes()
    data = crowd.event("PreToolUse", "s", permission_mode="plan", tool_name="Read", tool_input={"file_path": "a"})
    answer = _wrapped(data, crowd, "PreToolUse", preexec_fn=_without_space)
    assert is_denied(answer)
    assert "planrail:" in answer["systemMessage"]
    data = crowd.event("UserPromptSubmit", "s", permission_mode="plan", prompt="go on")
    assert "planrail" in _wrapped(data, crowd, "UserPromptSubmit", preexec_fn=_without_space)["systemMessage"]
    assert crowd.session_file("s").read_bytes() == before
    names = os.listdir(crowd.session_file("s").parent)
    assert [name for name in names if not name.endswith((".lock", "s.json"))] == []


def test_a_full_disk_stops_nobody_who_does_not_plan_and_lets_no_plan_command_through(crowd: Crowd) -> None:
    """The prompt asked for plan mode: without it, it must not reach the agent."""
    data = crowd.event("PreToolUse", "new", **_WRITE)
    assert _wrapped(data, crowd, "PreToolUse", preexec_fn=_without_space) == {}
    data = crowd.event("UserPromptSubmit", "new", prompt="/plan a cache")
    assert _wrapped(data, crowd, "UserPromptSubmit", preexec_fn=_without_space)["decision"] == "block"
    assert not crowd.session_file("new").exists()


def test_a_state_folder_that_cannot_be_written_or_read_still_denies() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can run a hook as somebody else")
    somebody: dict[str, Any] = {"user": 65_534, "group": 65_534, "extra_groups": []}
    with tempfile.TemporaryDirectory() as place:
        crowd = Crowd(Path(place) / "x")
        crowd.plan_natively("s")
        for path in [Path(place), *Path(place).rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        data = crowd.event("PreToolUse", "s", permission_mode="plan", **_WRITE)
        assert is_denied(_wrapped(data, crowd, "PreToolUse", **somebody))
        data = crowd.event("UserPromptSubmit", "new", prompt="/plan a cache")
        assert _wrapped(data, crowd, "UserPromptSubmit", **somebody)["decision"] == "block"
        crowd.session_file("s").chmod(0o600)
        data = crowd.event("PreToolUse", "s", permission_mode="default", **_WRITE)
        assert is_denied(_wrapped(data, crowd, "PreToolUse", **somebody))


@pytest.mark.parametrize("name", ["PreToolUse", "SessionStart"])
def test_a_hook_works_without_a_home(crowd: Crowd, name: str) -> None:
    del crowd.environment["HOME"]
    data = crowd.event(name, "s", permission_mode="plan", source="resume", **_WRITE)
    assert is_denied(_wrapped(data, crowd, name)) == (name == "PreToolUse")


def test_a_large_event_is_read_whole(crowd: Crowd) -> None:
    call = {"tool_name": "Write", "tool_input": {"content": "é" * 5_000_000, "file_path": "a.py"}}
    assert is_denied(crowd.ask("PreToolUse", "s", permission_mode="plan", **call))
    assert crowd.ask("PreToolUse", "neighbour", **call) == {}


def test_an_event_that_cannot_be_read_denies_only_while_its_session_plans(crowd: Crowd) -> None:
    # Where nobody can tell whose it is, it may be that of the one that plans.
    for session, code in (("s", 2), ("neighbour", 0), ("", 2)):
        process = crowd.start(b"[" * 100_000, name="PreToolUse", CLAUDE_CODE_SESSION_ID=session)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (code, b"")
        assert b"planrail" in err


@pytest.mark.parametrize("agent", ["nobody", "", "../claude"])
def test_an_unknown_agent_is_a_mistake_in_the_call(crowd: Crowd, agent: str) -> None:
    process = crowd.start(crowd.event("PreToolUse", "s"), agent=agent, name="PreToolUse")
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert b"claude, codex, gemini, opencode" in err


def test_the_command_answers_as_the_wrapper_does(crowd: Crowd) -> None:
    data = crowd.event("PreToolUse", "s", permission_mode="plan", **_WRITE)
    done = subprocess.run(
        [sys.executable, "-m", "planrail", "hook", "claude", "PreToolUse"],
        input=data,
        env={**os.environ, **crowd.environment},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == finish(crowd.start(data, name="PreToolUse"))


def test_a_session_that_ended_is_resumed_where_it_was_and_an_old_one_is_forgotten(crowd: Crowd) -> None:
    """One from tomorrow, where the clock has jumped back, is not old."""
    host = Host(crowd.state)
    for age, is_kept in ((-86_400, True), (90_000, False)):
        host.send("SessionEnd", "s", crowd.project, reason="prompt_input_exit")
        assert host.session("s") is None
        host.send("SessionStart", "s", crowd.project, source="resume")
        resumed = host.session("s")
        assert resumed is not None
        assert resumed.planning
        os.utime(host.file("s"), (time.time() - age,) * 2)
        host.send("SessionStart", "neighbour", crowd.project, source="startup")
        assert host.file("s").exists() == is_kept
