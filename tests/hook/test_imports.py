"""What a hook may import: an agent waits for it at each event."""

import json
from pathlib import Path
from typing import Any

import pytest

from planrail.base.primed import UNMARKED, find_place, primed_path
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


_BASH, _DENIED = {"tool_name": "Bash"}, '"permissionDecision":"deny"'
_ANSWERS: list[tuple[str, dict[str, Any], str]] = [
    ("PreToolUse", {**_BASH, "tool_input": {"command": "rm -rf build"}}, _DENIED),
    ("PreToolUse", {**_BASH, "tool_input": {"command": "git log --oneline | head -5"}}, ""),
    ("PreToolUse", {**_BASH, "tool_input": {"command": "for f in *; do cat $f; done"}}, ""),
    ("PreToolUse", {"tool_name": "Write", "tool_input": {"file_path": "a.py"}}, _DENIED),
    ("UserPromptSubmit", {"prompt": "go on"}, "Plan mode is on"),
    ("UserPromptSubmit", {"prompt": "go on", "permission_mode": "default"}, "CONTEXT WARNING: 65%"),
    ("SessionStart", {"source": "clear", "session_id": "next", "permission_mode": "default"}, "the tasks of a project"),
]


@pytest.mark.parametrize(("name", "fields", "said"), _ANSWERS)
def test_judging_reminding_measuring_and_telling_import_nothing_dear(
    planning: Host, tmp_path: Path, name: str, fields: dict[str, Any], said: str
) -> None:
    if said.startswith("the tasks"):
        planning.file("s").unlink()
        path = Path(primed_path(planning.folder, find_place(str(tmp_path))))
        path.parent.mkdir()
        path.write_text(f"{UNMARKED}\n{said}\n", "utf-8")
    answer, loaded = _run(_event(name, tmp_path, **fields), Path(planning.folder))
    assert "planrail.hook.process" in loaded  # it did look at the session
    assert loaded.isdisjoint(DEAR_TO_HOOKS)
    assert said in json.dumps(answer, separators=(",", ":")) if said else answer == {}


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
