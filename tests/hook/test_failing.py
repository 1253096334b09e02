"""What a failure of the hook comes to: a denial while somebody plans, a message elsewhere."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planrail.base.records import replace
from planrail.hook.idle import field_of
from planrail.hook.process import DENIED, _describe, answer
from planrail.hook.sessions.events import DENY, GO_ON, REFUSE
from planrail.hook.sessions.state import Session
from tests.hook.driving import Host

_WRITE: dict[str, Any] = {"tool_name": "Write", "tool_input": {"file_path": "a.py", "content": "x"}}


@pytest.fixture(autouse=True)
def _broken(project: Path) -> None:
    """Nothing can be judged: the settings cannot be read."""
    (project / "planrail.toml").write_text("[")


def _plan(host: Host, project: Path, identity: str) -> None:
    def plan(session: Session) -> Session:
        return replace(session, planning=True, own_mode=True, project=str(project))

    host.change(identity, plan)


def test_in_the_agents_own_plan_mode_it_denies_for_a_session_that_nobody_knows(host: Host, project: Path) -> None:
    told = host.send("PreToolUse", "unknown", project, permission_mode="plan", **_WRITE)
    assert told.decision == DENY
    assert "could not judge" in told.reason


def test_it_denies_tools_alone_and_for_a_session_that_plans(host: Host, project: Path) -> None:
    _plan(host, project, "s")
    assert host.send("PreToolUse", "s", project, **_WRITE).decision == DENY
    told = host.send("UserPromptSubmit", "s", project, prompt="hello")
    assert (told.decision, "Nothing was blocked" in told.message) == (GO_ON, True)


@pytest.mark.parametrize(
    ("prompt", "mode", "decision"),
    [("/plan greet", "default", REFUSE), ("/plan greet", "plan", GO_ON), ("plan status", "default", GO_ON)],
)
def test_a_prompt_that_asks_for_plan_mode_is_not_sent_without_it(
    host: Host, project: Path, prompt: str, mode: str, decision: str
) -> None:
    told = host.send("UserPromptSubmit", "s", project, prompt=prompt, permission_mode=mode)
    assert told.decision == decision
    assert "planrail" in told.reason + told.message


@pytest.mark.parametrize("session", ["s", "another", ""])
@pytest.mark.parametrize("name", ["PreToolUse", "", "Stop"])
@pytest.mark.parametrize("mode", ["plan", "default"])
def test_an_event_that_cannot_be_read_is_denied_where_it_may_be_a_tool_of_one_that_plans(
    host: Host, project: Path, capfd: pytest.CaptureFixture[str], session: str, name: str, mode: str
) -> None:
    _plan(host, project, "s")
    said = {"session_id": session, "permission_mode": mode, "tool_name": "Write"}
    code = answer("claude", name, json.dumps(said).encode()[:-1], host.folder, field_of)
    assert code == (DENIED if name != "Stop" and (mode == "plan" or session != "another") else 0)
    assert "cannot be read" in capfd.readouterr().err


def test_an_event_that_cannot_be_read_stops_nobody_where_nobody_plans(host: Host, project: Path) -> None:
    host.change("s", lambda session: replace(session, plan=str(project / "plan.md"), project=str(project)))
    for data in (b"{", b'{"session_id": "s"'):
        assert answer("claude", "PreToolUse", data, host.folder, field_of) == 0


_UNREADABLE = (b"", b"[]", b"nonsense", b"\xff\xfe", b"[" * 100_000, b'{"session_id": "s", "k": ' + b"9" * 5_000 + b"}")


@pytest.mark.parametrize("data", _UNREADABLE, ids=range(len(_UNREADABLE)))
def test_whatever_cannot_be_read_is_denied_while_a_session_plans(host: Host, project: Path, data: bytes) -> None:
    _plan(host, project, "s")
    assert answer("claude", "PreToolUse", data, host.folder, field_of) == DENIED


@pytest.mark.parametrize("data", [b"{", b'{"session_id": "s"'])
def test_a_session_file_that_cannot_be_read_may_be_a_gate(host: Host, project: Path, data: bytes) -> None:
    _plan(host, project, "s")
    host.file("s").write_text("{")
    assert answer("claude", "PreToolUse", data, host.folder, field_of) == DENIED
    told = host.send("PreToolUse", "s", project, **_WRITE)
    assert (told.decision, "planrail detach --session s" in told.reason) == (DENY, True)


@pytest.mark.parametrize(
    ("name", "mode", "plans", "code"),
    [
        ("PreToolUse", "default", "claude", DENIED),
        ("PreToolUse", "default", "gemini", 0),
        ("PreToolUse", "default", "", 0),
        ("PreToolUse", "plan", "", DENIED),
        ("Stop", "plan", "claude", 0),
    ],
)
def test_a_call_without_a_session_may_be_that_of_any_which_plans(
    host: Host, project: Path, capfd: pytest.CaptureFixture[str], name: str, mode: str, plans: str, code: int
) -> None:
    if plans:
        _plan(host, project, "s")
        if plans != "claude":
            (Path(host.folder) / "sessions" / "claude").rename(Path(host.folder) / "sessions" / plans)
    said = {"hook_event_name": name, "permission_mode": mode, "cwd": str(project), **_WRITE}
    assert answer("claude", name, json.dumps(said).encode(), host.folder, field_of) == code
    told = capfd.readouterr()
    assert (told.out, "names no session" in told.err) == ("", code == DENIED)


@pytest.mark.parametrize("mark", ["AI_AGENT", "CODEX_CI"])
def test_an_event_from_an_agents_own_shell_is_judged_where_it_is_a_tool_and_is_no_persons_word(
    host: Host, project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], mark: str
) -> None:
    (project / "planrail.toml").unlink()
    _plan(host, project, "s")
    monkeypatch.setenv(mark, "claude-code_1_agent")
    before = host.session("s")
    said = {"session_id": "s", "cwd": str(project), "permission_mode": "default"}

    def send(name: str, **fields: object) -> str:
        event = {**said, "hook_event_name": name, **fields}
        assert answer("claude", name, json.dumps(event).encode(), host.folder, field_of) == 0
        return capfd.readouterr().out

    assert send("UserPromptSubmit", prompt="approve") == ""
    assert host.session("s") == before
    assert json.loads(send("PreToolUse", **_WRITE))["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (FileNotFoundError(2, "No such file", "a.md"), "No such file (a.md)"),
        (OSError(28, "No space left"), "No space left"),
        (OSError("odd"), "OSError: odd"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_a_failure_names_the_cause_and_the_file(error: Exception, told: str) -> None:
    assert _describe(error) == told


def test_who_keeps_a_session_keeps_its_settings_and_tells_the_wrapper_where_python_is(
    host: Host, project: Path
) -> None:
    (project / "planrail.toml").write_text('[guard]\nallow_tools = ["Ping"]\n')
    note = Path(host.folder) / "interpreter"
    host.send("PreToolUse", "s", project, **_WRITE)
    assert not note.exists()
    host.send("UserPromptSubmit", "s", project, prompt="hello", permission_mode="plan")
    kept = host.session("s")
    assert kept is not None
    assert (kept.planning, "stamp" in kept.settings) == (True, True)
    assert note.read_text().splitlines()[0] == sys.executable
    host.send("UserPromptSubmit", "s", project, prompt="go on", permission_mode="plan")
    assert getattr(host.session("s"), "settings", None) == kept.settings
    note.write_text("as it was")
    host.send("UserPromptSubmit", "t", project, prompt="hello", permission_mode="plan")
    assert note.read_text() == "as it was"
