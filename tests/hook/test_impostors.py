"""Prompts that no person typed, and plans that belong to somebody."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from planrail.base.records import replace
from planrail.hook import wires
from planrail.hook.idle import field_of
from planrail.hook.process import answer
from planrail.hook.sessions.state import APPROVED, DRAFT
from tests.hook.driving import Host

_SHELL = "claude-code_2-1-325_agent"  # what Claude Code tells the programs that its agent starts


@pytest.fixture(autouse=True)
def _planning(host: Host, project: Path) -> None:
    """A session "s" that is to approve the project's plan."""
    (project / "plans").mkdir()
    (project / "plans/herons.md").write_text("# Herons\n- [ ] count them\n")
    kept = {"project": str(project), "plan": str(project / "plans/herons.md")}
    host.change("s", lambda session: replace(session, planning=True, own_mode=True, stage=DRAFT, **kept))


@pytest.mark.parametrize(("mark", "is_heard"), [("", True), ("claude-code_2-1-325", True), (_SHELL, False)])
def test_a_prompt_out_of_the_agents_own_shell_changes_nothing(
    host: Host, project: Path, monkeypatch: pytest.MonkeyPatch, mark: str, is_heard: bool
) -> None:
    monkeypatch.setenv("AI_AGENT", mark)
    before = host.file("s").read_bytes()
    said = {"session_id": "s", "cwd": str(project), "hook_event_name": "UserPromptSubmit"}
    for prompt in ("go on", "/planrail:approve"):
        data = json.dumps({**said, "prompt": prompt}).encode()
        assert answer("claude", "UserPromptSubmit", data, host.folder, field_of) == 0
    after = host.session("s")
    assert after is not None
    assert (after.stage == APPROVED, host.file("s").read_bytes() != before) == (is_heard, is_heard)


@pytest.fixture
def running() -> Iterator[int]:
    """The number of a process that lives as long as the test."""
    program = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield program.pid
    program.communicate(b"\n")


def _process_of(pid: int) -> str:
    event = wires.read("claude", {"hook_event_name": "Stop", "session_id": "s"}, {"CLAUDE_PID": str(pid)})
    assert event is not None
    return event.process


@pytest.mark.parametrize("holder", ["runs", "tells no process", "is gone", "has the number of another"])
def test_a_plan_is_loaded_by_another_session_only_when_the_agent_that_has_it_is_gone(
    host: Host, project: Path, running: int, holder: str
) -> None:
    """Not every agent tells its process: as long as such a session is kept, it counts."""
    process = {"runs": _process_of(running), "is gone": "4194304999:7", "has the number of another": f"{running}:1"}
    host.change("s", lambda session: replace(session, process=process.get(holder, "")))
    said = host.send("UserPromptSubmit", "other", project, prompt="!load-plan herons").context
    is_taken = holder in ("runs", "tells no process")
    assert ("belongs to another session" in said, "count them" in said) == (is_taken, not is_taken)
    loaded = host.session("other")
    assert (loaded is not None and loaded.plan.endswith("herons.md")) is not is_taken
    own = host.send("UserPromptSubmit", "s", project, prompt="!load-plan herons").context
    assert "belongs to another session" not in own
