"""One hook as a process, in a world that is not as it should be: closed where a gate stands, open elsewhere, never mute."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import load, update
from tests.cli.processes import planrail
from tests.hook.crowds import WRAPPER, Crowd, context_of, finish, is_denied
from tests.support.patience import PATIENCE

_WRITE = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """An empty project, and a session "s" that plans in the agent's own plan mode."""
    made = Crowd(tmp_path)
    made.plan_natively("s")
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
        path.write_bytes({"empty": b"", "binary": b"\xff\x00\xfe", "a list": b"[]", "another type": b'{"id":1}'}[how])


_DAMAGE = ["truncated", "empty", "binary", "a list", "another type", "folder", "a circle of links"]


@pytest.mark.parametrize("how", _DAMAGE)
def test_a_damaged_session_denies_tools_with_a_remedy_and_can_be_mended(crowd: Crowd, how: str) -> None:
    _spoil(crowd.session_file("s"), how)
    denied = crowd.ask("PreToolUse", "s", **_WRITE)
    assert is_denied(denied)
    assert "planrail detach --session s" in denied["hookSpecificOutput"]["permissionDecisionReason"]
    repaired = planrail("detach", "--session", "s", PLANRAIL_STATE_DIR=str(crowd.state))
    assert repaired.returncode == 0, repaired.stderr
    assert crowd.ask("PreToolUse", "s", **_WRITE) == {}


@pytest.mark.parametrize("how", _DAMAGE)
@pytest.mark.parametrize("name", ["UserPromptSubmit", "Stop", "PostToolUse", "SessionStart", "SessionEnd"])
def test_a_damaged_session_is_said_to_be_one_at_other_events(crowd: Crowd, how: str, name: str) -> None:
    _spoil(crowd.session_file("s"), how)
    answer = crowd.ask(name, "s", prompt="hello", tool_name="Read")
    assert "planrail detach" in answer["systemMessage"]


def test_a_damaged_session_harms_no_neighbour(crowd: Crowd) -> None:
    _spoil(crowd.session_file("s"), "truncated")
    assert crowd.ask("PreToolUse", "neighbour", **_WRITE) == {}
    assert "Plan mode is on" in context_of(crowd.plan_natively("neighbour"))
    assert is_denied(crowd.ask("PreToolUse", "neighbour", permission_mode="plan", **_WRITE))


def _without_space(data: bytes, crowd: Crowd, name: str) -> dict[str, Any]:
    """The answer of a hook that cannot write a byte into any file."""
    process = subprocess.run(
        ["sh", str(WRAPPER), "claude", name],
        input=data,
        env={**crowd.environment, "PLANRAIL_PYTHON": sys.executable},
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert process.returncode == 0, process.stderr
    answer: dict[str, Any] = json.loads(process.stdout) if process.stdout.strip() else {}
    return answer


def test_a_full_disk_denies_while_planning(crowd: Crowd) -> None:
    update(str(crowd.state), "claude", "s", lambda current: current and _proposing(current))
    before = crowd.session_file("s").read_bytes()
    data = crowd.event("PreToolUse", "s", permission_mode="plan", tool_name="Read", tool_input={"file_path": "a"})
    answer = _without_space(data, crowd, "PreToolUse")
    assert is_denied(answer)
    assert "planrail:" in answer["systemMessage"]
    assert crowd.session_file("s").read_bytes() == before


def _proposing(session: Session) -> Session:
    """A session in which the next tool changes something that has to be written."""
    return replace(session, proposing=True)


def test_a_full_disk_does_not_let_a_plan_command_through(crowd: Crowd) -> None:
    """The prompt asked for plan mode: without it, it must not reach the agent."""
    answer = _without_space(crowd.event("UserPromptSubmit", "new", prompt="/plan a cache"), crowd, "UserPromptSubmit")
    assert answer["decision"] == "block"
    assert not crowd.session_file("new").exists()


def test_a_full_disk_stops_nobody_who_does_not_plan(crowd: Crowd) -> None:
    assert _without_space(crowd.event("PreToolUse", "new", **_WRITE), crowd, "PreToolUse") == {}


def test_a_full_disk_leaves_nothing_half_written(crowd: Crowd) -> None:
    data = crowd.event("UserPromptSubmit", "s", permission_mode="plan", prompt="go on")
    answer = _without_space(data, crowd, "UserPromptSubmit")
    assert "planrail" in answer["systemMessage"]
    names = os.listdir(crowd.session_file("s").parent)
    assert [name for name in names if not name.endswith((".lock", "s.json"))] == []


@pytest.fixture
def locked_crowd() -> Iterator[Crowd]:
    """A session that plans, whose files the hook's user may read and not write."""
    if os.geteuid() != 0:
        pytest.skip("only root can run a hook as somebody else")
    with tempfile.TemporaryDirectory() as place:
        made = Crowd(Path(place) / "x")
        made.plan_natively("s")
        for path in [Path(place), *Path(place).rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield made


def _as_nobody(data: bytes, crowd: Crowd, name: str) -> dict[str, Any]:
    process = subprocess.run(
        ["sh", str(WRAPPER), "claude", name],
        input=data,
        env={**crowd.environment, "PLANRAIL_PYTHON": sys.executable},
        capture_output=True,
        check=False,
        user=65_534,
        group=65_534,
        extra_groups=[],
    )
    assert process.returncode == 0, process.stderr
    answer: dict[str, Any] = json.loads(process.stdout) if process.stdout.strip() else {}
    return answer


def test_a_state_folder_that_cannot_be_written_still_denies(locked_crowd: Crowd) -> None:
    data = locked_crowd.event("PreToolUse", "s", permission_mode="plan", **_WRITE)
    assert is_denied(_as_nobody(data, locked_crowd, "PreToolUse"))


def test_a_state_folder_that_cannot_be_written_does_not_let_a_plan_command_through(locked_crowd: Crowd) -> None:
    data = locked_crowd.event("UserPromptSubmit", "new", prompt="/plan a cache")
    assert _as_nobody(data, locked_crowd, "UserPromptSubmit")["decision"] == "block"


def test_a_session_that_cannot_be_read_denies(locked_crowd: Crowd) -> None:
    locked_crowd.session_file("s").chmod(0o600)
    data = locked_crowd.event("PreToolUse", "s", permission_mode="default", **_WRITE)
    assert is_denied(_as_nobody(data, locked_crowd, "PreToolUse"))


def test_a_clock_that_jumps_back_forgets_nothing(crowd: Crowd) -> None:
    """The file is from tomorrow: it is not old, and a ticket from tomorrow is still good."""
    tomorrow = time.time() + 86_400
    os.utime(crowd.session_file("s"), (tomorrow, tomorrow))
    crowd.ask("SessionStart", "neighbour", source="resume")
    assert is_denied(crowd.ask("PreToolUse", "s", permission_mode="plan", **_WRITE))


@pytest.mark.parametrize("name", ["PreToolUse", "UserPromptSubmit", "Stop", "SessionStart"])
def test_a_hook_works_without_a_home(crowd: Crowd, name: str) -> None:
    environment = {key: value for key, value in crowd.environment.items() if key != "HOME"}
    data = crowd.event(name, "s", permission_mode="plan", prompt="go on", source="resume", **_WRITE)
    process = subprocess.run(
        ["sh", str(WRAPPER), "claude", name],
        input=data,
        env={**environment, "PLANRAIL_PYTHON": sys.executable},
        capture_output=True,
        check=True,
    )
    assert process.stderr == b""
    assert (b"deny" in process.stdout) == (name == "PreToolUse")


def test_a_large_event_is_read_whole(crowd: Crowd) -> None:
    call = {"tool_name": "Write", "tool_input": {"content": "é" * 5_000_000, "file_path": "a.py"}}
    assert is_denied(crowd.ask("PreToolUse", "s", permission_mode="plan", **call))
    assert crowd.ask("PreToolUse", "neighbour", **call) == {}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"nonsense", b"\xff\xfe", b'{"session_id":"s"', b"[" * 100_000])
def test_an_event_that_cannot_be_read_denies_only_while_its_session_plans(crowd: Crowd, data: bytes) -> None:
    # Where nobody can tell whose it is, it may be that of the one that plans.
    for session, code in (("s", 2), ("neighbour", 0), ("", 2)):
        process = crowd.start(data, name="PreToolUse", CLAUDE_CODE_SESSION_ID=session)
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out) == (code, b"")
        assert b"planrail" in err


@pytest.mark.parametrize("agent", ["nobody", "", "../claude", "Claude"])
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


def test_a_session_that_ended_is_resumed_where_it_was(crowd: Crowd) -> None:
    crowd.ask("SessionEnd", "s", reason="prompt_input_exit")
    assert load(str(crowd.state), "claude", "s") is None
    crowd.ask("SessionStart", "s", source="resume")
    resumed = load(str(crowd.state), "claude", "s")
    assert resumed is not None
    assert resumed.planning


def test_old_sessions_are_forgotten_when_another_begins(crowd: Crowd) -> None:
    os.utime(crowd.session_file("s"), (time.time() - 90_000,) * 2)
    crowd.ask("SessionStart", "neighbour", source="startup")
    assert not crowd.session_file("s").exists()
