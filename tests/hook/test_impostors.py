"""Prompts that no person typed, and plans that belong to somebody: asked of the hook as a process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planrail.hook import wires
from planrail.hook.disk_world import DiskWorld
from planrail.hook.sessions import events
from planrail.hook.sessions.events import Event
from planrail.hook.sessions.state import APPROVED, DRAFT, Session
from planrail.hook.sessions.store import update
from tests.hook.crowds import Crowd, context_of, finish

_SHELL = "claude-code_2-1-325_agent"  # what Claude Code tells the programs that its agent starts


@pytest.fixture
def crowd(tmp_path: Path) -> Crowd:
    """A project with a plan, and a session "s" that is to approve it."""
    made = Crowd(tmp_path)
    (made.project / "plans").mkdir()
    (made.project / "plans/herons.md").write_text("# Herons\n- [ ] count them\n")
    _keep(made, "s", planning=True, own_mode=True, stage=DRAFT)
    return made


def _keep(crowd: Crowd, identity: str, **fields: Any) -> None:
    plan = str(crowd.project / "plans/herons.md")
    session = Session("claude", identity, project=str(crowd.project), plan=plan, **fields)
    update(str(crowd.state), "claude", identity, lambda _: session)


def _type(crowd: Crowd, prompt: str, session: str = "s", **environment: str) -> dict[str, Any]:
    data = crowd.event("UserPromptSubmit", session, prompt=prompt)
    return finish(crowd.start(data, name="UserPromptSubmit", **environment))


@pytest.mark.parametrize("prompt", ["/planrail:approve", "/plan off", "/plan block off", "approve the plan", "go on"])
def test_a_prompt_out_of_the_agents_own_shell_changes_nothing(crowd: Crowd, prompt: str) -> None:
    before = crowd.session_file("s").read_bytes()
    assert _type(crowd, prompt, AI_AGENT=_SHELL) == {}
    assert crowd.session_file("s").read_bytes() == before


@pytest.mark.parametrize("mark", ["", "claude-code_2-1-325"])
def test_a_prompt_out_of_the_agent_program_is_heard(crowd: Crowd, mark: str) -> None:
    _type(crowd, "/planrail:approve", AI_AGENT=mark)
    assert json.loads(crowd.session_file("s").read_text())["stage"] == APPROVED


def test_a_tool_is_judged_wherever_its_event_comes_from(crowd: Crowd) -> None:
    data = crowd.event("PreToolUse", "s", tool_name="Write", tool_input={"file_path": "a.py"})
    assert "deny" in json.dumps(finish(crowd.start(data, name="PreToolUse", AI_AGENT=_SHELL)))


def _process_of(pid: int) -> str:
    event = wires.read("claude", {"hook_event_name": "Stop", "session_id": "s"}, {"CLAUDE_PID": str(pid)})
    assert event is not None
    return event.process


def _gone() -> str:
    """A process that was there, and is not any more."""
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    process = _process_of(program.pid)
    program.communicate(b"\n")
    return process


def _load_plan(crowd: Crowd) -> str:
    return context_of(_type(crowd, "!load-plan herons", "other"))


def _has_plan(crowd: Crowd) -> bool:
    path = crowd.session_file("other")
    return path.exists() and "herons" in json.loads(path.read_text()).get("plan", "")


def test_the_plan_of_an_agent_that_runs_is_not_loaded(crowd: Crowd) -> None:
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    _keep(crowd, "s", planning=True, process=_process_of(program.pid))
    said = _load_plan(crowd)
    program.communicate(b"\n")
    assert "belongs to another session" in said
    assert not _has_plan(crowd)


def test_the_plan_of_an_agent_that_nobody_can_look_for_is_not_loaded(crowd: Crowd) -> None:
    """Not every agent tells its process: as long as the session is kept, it counts."""
    assert "belongs to another session" in _load_plan(crowd)
    assert not _has_plan(crowd)


def test_the_plan_of_an_agent_that_is_gone_is_loaded(crowd: Crowd) -> None:
    _keep(crowd, "s", planning=True, process=_gone())
    assert "count them" in _load_plan(crowd)
    assert _has_plan(crowd)


def test_a_process_that_has_only_the_number_of_a_dead_agent_keeps_no_plan(crowd: Crowd) -> None:
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    _keep(crowd, "s", planning=True, process=f"{program.pid}:1")
    said = _load_plan(crowd)
    program.communicate(b"\n")
    assert "count them" in said


def test_a_session_does_not_take_its_own_plan_from_itself(crowd: Crowd) -> None:
    plan = str(crowd.project / "plans/herons.md")
    for identity, is_taken in (("s", False), ("other", True)):
        event = Event("claude", events.PROMPT, identity, cwd=str(crowd.project))
        assert DiskWorld(event, str(crowd.state), Session("claude", identity), now=0).is_taken(plan) == is_taken
