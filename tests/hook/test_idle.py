"""The first look, in `sh` and in Python: it may look twice too often, and never once too little."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from planrail.hook import wires
from planrail.hook.idle import is_idle
from planrail.hook.process import respond
from planrail.hook.sessions.endings import retire
from planrail.hook.sessions.events import SILENCE
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import file_name, update
from planrail.hook.sessions.transcript import measure
from planrail.hook.sessions.windows import HOLD_NAME, WARN, WARN_NAME, WINDOW_NAME, decide_window, percent_of
from tests.hook.driving import write_transcript
from tests.hook.phrases import ASKING, EXECUTING, LOADING
from tests.hook.situations import Built, Situation, build, situations, transcript_lines, write_lines

_SOURCE = Path(__file__).parents[2] / "src"
_WRAPPER = _SOURCE / "planrail" / "plugin" / "hooks" / "planrail-hook"


def _starts_python(agent: str, name: str, built: Built) -> bool:
    """Whether the wrapper hands an event on: here to a program that only leaves a mark."""
    mark = built.state.parent / "python-was-started"
    program = built.state.parent / "python"
    program.write_text(f"#!/bin/sh\n: > '{mark}'\n", "utf-8")
    program.chmod(0o755)
    (built.state / "interpreter").write_text(f"{program}\n{_SOURCE}\n", "utf-8")
    environment = {"PATH": os.environ["PATH"], **built.environment}
    subprocess.run(["sh", str(_WRAPPER), agent, name], input=built.data, env=environment, check=True)
    return mark.exists()


def _is_idle(agent: str, built: Built) -> bool:
    return is_idle(
        agent, built.data, str(built.state), {os.fsencode(k): v.encode() for k, v in built.environment.items()}
    )


def _files(folder: Path) -> dict[str, bytes]:
    """Everything that is kept; locks are not."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path): path.read_bytes() for path in paths}


def _changes_nothing(agent: str, built: Built) -> bool:
    """Whether the whole hook would have nothing to say about an event, and nothing to keep."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "CLAUDE_PID", "CLAUDE_CONFIG_DIR"):
            patch.delenv(name, raising=False)
        for name, value in built.environment.items():
            patch.setenv(name, value)
        before = _files(built.state)
        read = wires.read(agent, json.loads(built.data), os.environ)
        said = SILENCE if read is None else respond(read, str(built.state))
        return said == SILENCE and _files(built.state) == before


@pytest.mark.full
@given(situations())
def test_the_wrapper_hands_on_whatever_matters(situation: Situation) -> None:
    identity = situation.fields["session_id"]
    with tempfile.TemporaryDirectory() as place:
        built = build(situation, Path(place))
        if _starts_python(situation.agent, situation.name, built):
            return
        event("the wrapper is idle")
        # An id with a file name of its own is never idle to Python; the wrapper knows that there are no files at all.
        assert _is_idle(situation.agent, built) or file_name(identity) != identity
        assert _changes_nothing(situation.agent, built)


@pytest.mark.full
@given(situations())
def test_an_idle_event_is_one_that_changes_and_says_nothing(situation: Situation) -> None:
    with tempfile.TemporaryDirectory() as place:
        built = build(situation, Path(place))
        if _is_idle(situation.agent, built):
            event("Python is idle")
            assert _changes_nothing(situation.agent, built)


def _event(name: str, place: Path, **fields: Any) -> Built:
    values = {"session_id": "s", "cwd": str(place), "permission_mode": "default", "hook_event_name": name, **fields}
    state = place / "state"
    state.mkdir(exist_ok=True)
    environment = {"HOME": str(place), "PLANRAIL_STATE_DIR": str(state)}
    return Built(json.dumps(values).encode(), state, environment)


_EVERYDAY: list[tuple[str, dict[str, Any]]] = [
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf build"}}),
    ("PostToolUse", {"tool_name": "Write", "tool_input": {"file_path": "a"}}),
    ("UserPromptSubmit", {"prompt": "fix the parser"}),
    ("Stop", {"stop_hook_active": False}),
    ("SessionStart", {"source": "startup"}),
    ("SessionStart", {"source": "clear"}),
    ("SubagentStart", {"agent_id": "a"}),
    ("SessionEnd", {"reason": "clear"}),
]


@pytest.mark.parametrize(("name", "fields"), _EVERYDAY)
def test_an_everyday_event_is_idle_where_nobody_plans_and_beside_a_neighbour_that_does(
    name: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    write_transcript(tmp_path / "t.jsonl", [{"input": 20_000, "model": "claude-sonnet-4-5"}] * 50)
    built = _event(name, tmp_path, transcript_path=str(tmp_path / "t.jsonl"), **fields)
    assert not _starts_python("claude", name, built)
    assert _is_idle("claude", built)
    update(str(built.state), "claude", "neighbour", lambda _: Session("claude", "neighbour", planning=True))
    assert _is_idle("claude", built)


_COMMANDS = [
    *LOADING,
    *EXECUTING,
    *ASKING,
    "/plan x",
    "/approve",
    "approve the plan",
    "Enter Plan mode",
    "leave plan mode",
]
_BUSY: list[tuple[str, dict[str, Any]]] = [
    *(("UserPromptSubmit", {"prompt": command}) for command in _COMMANDS),
    *(("UserPromptSubmit", {"prompt": command.upper()}) for command in (LOADING[0], EXECUTING[0], ASKING[1])),
    *(("PreToolUse", {"tool_name": tool}) for tool in ("EnterPlanMode", "enter_plan_mode")),
    *((name, {"permission_mode": "plan", "prompt": "go", "tool_name": "Read"}) for name in ("PreToolUse", "Stop")),
    *((name, {"permission_mode": "plan", "prompt": "go"}) for name in ("PostToolUse", "UserPromptSubmit")),
    *(("SessionStart", {"source": source}) for source in ("startup", "resume", "compact")),
]


@pytest.mark.parametrize(("name", "fields"), _BUSY)
def test_a_command_a_wish_to_plan_plan_mode_and_a_session_that_comes_back_are_never_idle(
    name: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    built = _event(name, tmp_path, **fields)
    if name == "SessionStart":
        update(str(built.state), "claude", "s", lambda _: Session("claude", "s", planning=True))
        retire(str(built.state), "claude", "s")
    assert _starts_python("claude", name, built)
    assert not _is_idle("claude", built)


@pytest.mark.parametrize("name", [WARN_NAME, HOLD_NAME, WINDOW_NAME, ""])
def test_neither_thresholds_in_the_environment_nor_a_full_window_before_a_giant_line_are_idle(
    name: str, tmp_path: Path
) -> None:
    entries: list[dict[str, Any]] = [{"input": 5_000 if name else 150_000, "model": "claude-sonnet-4-5"}]
    write_transcript(tmp_path / "t.jsonl", entries if name else [*entries, {"raw_user_line_bytes": 400_000}])
    built = _event("Stop", tmp_path, transcript_path=str(tmp_path / "t.jsonl"))
    if name:
        built.environment[name] = "1"
    assert _starts_python("claude", "Stop", built)
    assert not _is_idle("claude", built)


@pytest.mark.full
@settings(max_examples=5 * settings().max_examples)
@given(st.lists(transcript_lines, max_size=12))
def test_a_window_that_is_half_full_is_never_idle(lines: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "t.jsonl"
        write_lines(path, lines)
        usage = measure(str(path))
        window = decide_window(statusline=None, setting=None, codex=usage.window, model=usage.model) if usage else 1
        if usage is None or percent_of(usage.tokens, window) < WARN:
            return
        event("half full")
        built = _event("Stop", Path(place), transcript_path=str(path))
        assert not _is_idle("claude", built)
        assert _starts_python("claude", "Stop", built)


def _with_broken_python(place: Path, built: Built, name: str) -> subprocess.CompletedProcess[bytes]:
    program = place / "broken"
    program.write_text("#!/bin/sh\ncat > /dev/null\nexit 1\n", "utf-8")
    program.chmod(0o755)
    (built.state / "interpreter").write_text(f"{program}\n{_SOURCE}\n", "utf-8")
    environment = {"PATH": os.environ["PATH"], **built.environment}
    return subprocess.run(
        ["sh", str(_WRAPPER), "claude", name], input=built.data, env=environment, capture_output=True, check=False
    )


@pytest.mark.parametrize("is_known", [True, False])
def test_a_broken_python_denies_in_plan_mode(tmp_path: Path, is_known: bool) -> None:
    built = _event("PreToolUse", tmp_path, permission_mode="plan", tool_name="Write")
    if is_known:
        update(str(built.state), "claude", "s", lambda _: Session("claude", "s", planning=True))
    done = _with_broken_python(tmp_path, built, "PreToolUse")
    assert done.returncode == 2
    assert b"denied" in done.stderr


def test_a_broken_python_stops_nothing_else_and_says_so(tmp_path: Path) -> None:
    for name in ("UserPromptSubmit", "Stop", "SessionStart"):
        built = _event(name, tmp_path, permission_mode="plan", prompt="/plan x")
        done = _with_broken_python(tmp_path, built, name)
        assert done.returncode == 0
        assert "planrail doctor" in json.loads(done.stdout)["systemMessage"]
    built = _event("PreToolUse", tmp_path, tool_name="Write")
    built.environment["CLAUDE_CODE_SESSION_ID"] = "s"
    update(str(built.state), "claude", "neighbour", lambda _: Session("claude", "neighbour", planning=True))
    assert _with_broken_python(tmp_path, built, "PreToolUse").returncode == 0
