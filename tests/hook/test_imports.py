"""What a hook may import: an agent waits for it at each event."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.sessions.state import DRAFT, Session
from tests.hook.driving import Host, write_transcript
from tests.house.hot_modules import DEAR_TO_HOOKS, run_bare

_PROGRAM = "from planrail.hook.idle import run\nassert run(['claude', sys.argv[1]]) == 0"


def _run(values: dict[str, Any], state: Path) -> tuple[dict[str, Any], set[str]]:
    """The answer of the hook, and every module that it loaded."""
    places = {"PLANRAIL_STATE_DIR": str(state), "HOME": str(state)}
    said, loaded = run_bare(_PROGRAM, values["hook_event_name"], data=json.dumps(values), environment=places)
    return json.loads(said or "{}"), loaded


@pytest.fixture
def planning(tmp_path: Path) -> Host:
    """A session that plans, with a plan and a transcript of a nearly full window."""
    host = Host(tmp_path / "state")
    plan = tmp_path / "plan.md"
    plan.write_text("# A plan\n\n- [ ] a step\n", "utf-8")
    session = Session("claude", "s", planning=True, project=str(tmp_path), plan=str(plan), stage=DRAFT)
    host.change("s", lambda _: session)
    write_transcript(tmp_path / "transcript.jsonl", [{"input": 130_000, "model": "claude-sonnet-4-5"}] * 100)
    return host


def _event(name: str, place: Path, **fields: Any) -> dict[str, Any]:
    transcript = str(place / "transcript.jsonl")
    known = {"session_id": "s", "cwd": str(place), "transcript_path": transcript, "permission_mode": "plan"}
    return {**known, "hook_event_name": name, **fields}


def _assert_cheap(loaded: set[str]) -> None:
    assert "planrail.hook.process" in loaded  # it did look at the session
    assert loaded.isdisjoint(DEAR_TO_HOOKS)


@pytest.mark.parametrize("command", ["rm -rf build", "git log --oneline | head -5", "for f in *; do cat $f; done"])
def test_judging_a_shell_command_imports_nothing_dear(planning: Host, tmp_path: Path, command: str) -> None:
    event = _event("PreToolUse", tmp_path, tool_name="Bash", tool_input={"command": command})
    answer, loaded = _run(event, Path(planning.folder))
    _assert_cheap(loaded)
    assert ("hookSpecificOutput" in answer) == command.startswith("rm")


def test_judging_a_write_imports_nothing_dear(planning: Host, tmp_path: Path) -> None:
    event = _event("PreToolUse", tmp_path, tool_name="Write", tool_input={"file_path": str(tmp_path / "a.py")})
    answer, loaded = _run(event, Path(planning.folder))
    _assert_cheap(loaded)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_reminder_imports_nothing_dear(planning: Host, tmp_path: Path) -> None:
    answer, loaded = _run(_event("UserPromptSubmit", tmp_path, prompt="go on"), Path(planning.folder))
    _assert_cheap(loaded)
    assert "Plan mode is on" in answer["hookSpecificOutput"]["additionalContext"]


def test_measuring_the_window_imports_nothing_dear(planning: Host, tmp_path: Path) -> None:
    planning.change("s", lambda session: replace(session, planning=False))
    event = _event("UserPromptSubmit", tmp_path, prompt="go on", permission_mode="default")
    answer, loaded = _run(event, Path(planning.folder))
    _assert_cheap(loaded)
    assert "CONTEXT WARNING: 65%" in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"])
def test_a_session_without_a_plan_loads_the_first_look_alone(tmp_path: Path, name: str) -> None:
    values = {"session_id": "other", "cwd": str(tmp_path), "permission_mode": "default", "hook_event_name": name}
    answer, loaded = _run({**values, "prompt": "hello", "source": "startup"}, tmp_path)
    assert answer == {}
    assert {module for module in loaded if module.startswith("planrail")} == {
        "planrail",
        "planrail.hook",
        "planrail.hook.idle",
    }
