"""The import budget binds the hot modules, and these alone: what is quick loads nothing else, the rest is plain Python."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from planrail.hook.sessions.state import DRAFT, Session
from tests.hook.driving import Host
from tests.house.hot_modules import DEAR, HOT, imports_at_top, is_hot, list_sources, loaded_by_command, run_bare

_PLAN = "# Rooms\n\n| Phase | Status |\n|---|---|\n| 1 — A | ✅ |\n| 2 — B | ⬚ |\n"
_TRICK = "TYPE_CHECKING = False"
_QUICK = [
    ("--version",),
    ("next", "PLAN.md"),
    ("show", "PLAN.md"),
    ("set", "PLAN.md", "2", "in_progress"),
    ("plans",),
    ("guard", "for f in *; do cat $f; done"),
    ("statusline",),
]
_EVENTS = [
    {"hook_event_name": "SessionStart", "source": "clear"},
    {"hook_event_name": "UserPromptSubmit", "prompt": "go on"},
    {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "rm -rf build"}},
    {"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"file_path": "/a.py"}},
    {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {}},
    {"hook_event_name": "Stop"},
    {"hook_event_name": "SessionEnd", "reason": "clear"},
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "PLAN.md").write_text(_PLAN, "utf-8")
    monkeypatch.setenv("PLANRAIL_STATE_DIR", str(tmp_path / ".git" / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _not_listed(loaded: set[str]) -> list[str]:
    """The modules of planrail that are loaded and not hot, without packages above a hot one."""
    above = {name[:end] for name in HOT for end, sign in enumerate(name) if sign == "."}
    return sorted(name for name in loaded - above if name.startswith("planrail") and not is_hot(name))


@pytest.mark.parametrize("command", _QUICK, ids=" ".join)
def test_a_quick_command_loads_hot_modules_only(project: Path, command: tuple[str, ...]) -> None:
    loaded = loaded_by_command(*command, data='{"session_id": "s"}')
    assert "planrail.cli.main" in loaded
    assert _not_listed(loaded) == []
    assert not loaded & (DEAR - {"argparse", "subprocess"})  # a second opinion is that of another program


@pytest.mark.parametrize("event", _EVENTS, ids=lambda event: str(event["hook_event_name"]))
def test_an_event_of_an_agent_loads_hot_modules_only(project: Path, event: dict[str, object]) -> None:
    host = Host(Path(os.environ["PLANRAIL_STATE_DIR"]))
    plan = str(project / "PLAN.md")
    host.change("s", lambda _: Session("claude", "s", planning=True, project=str(project), plan=plan, stage=DRAFT))
    known = {"session_id": "s", "cwd": str(project), "permission_mode": "plan"}
    program = "from planrail.hook.idle import run\nrun(['claude', sys.argv[1]])"
    _, loaded = run_bare(program, str(event["hook_event_name"]), data=json.dumps({**known, **event}))
    assert "planrail.hook.process" in loaded
    assert _not_listed(loaded) == []
    assert not loaded & DEAR


def test_the_job_of_a_confined_agent_loads_hot_modules_only() -> None:
    names = ("jobs.runner_process", "runbook", "command", "confining")
    _, loaded = run_bare("\n".join(f"import planrail.agents.{name}" for name in names))
    assert _not_listed(loaded) == []
    assert not loaded & (DEAR | {"re", "enum"})


def test_a_hot_module_imports_at_its_top_nothing_dear_and_no_cold_one() -> None:
    imported = {name: imports_at_top(path) for name, path in list_sources() if is_hot(name)}
    dear = {name: [*(found & DEAR), *_not_listed(found)] for name, found in imported.items()}
    assert {name: found for name, found in dear.items() if found} == {}


def test_a_cold_module_is_plain_python() -> None:
    assert [name for name, path in list_sources() if not is_hot(name) and _TRICK in path.read_text("utf-8")] == []


def test_the_list_names_what_there_is() -> None:
    modules = {name for name, _ in list_sources()}
    assert [name for name in HOT if name not in modules] == []
