"""Events of all agents in all sorts of surroundings, for the property of the first look."""

import json
import os
import time
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from planrail.base.primed import find_place, primed_path
from planrail.base.records import record, replace
from planrail.hook import wires
from planrail.hook.sessions.endings import leave_ticket
from planrail.hook.sessions.state import DRAFT, PLAN_PENDING, Session
from planrail.hook.sessions.store import file_name, update
from planrail.hook.sessions.world import Ticket

_CLAUDE = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop"]
_NAMES = {
    "claude": [
        *_CLAUDE,
        "SessionEnd",
        "PostToolUseFailure",
        "PermissionRequest",
        "Notification",
        "PreCompact",
        "StopFailure",
        "TaskCompleted",
    ],
    "codex": [*_CLAUDE, "SessionEnd", "PreModelRequest"],
    "gemini": ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd", "BeforeModel"],
    "opencode": ["chat.message", "tool.execute.before", "tool.execute.after", "session.idle", "session.created"],
}
_TOOLS = ["Bash", "Write", "Read", "EnterPlanMode", "enter_plan_mode", "ExitPlanMode", "exit_plan_mode", "mcp__a__b"]
_PROMPTS = [
    "hello",
    "fix the parser",
    "/plan",
    "/PLAN x",
    "/approve",
    "reload",
    "Reload!",
    "show progress",
    "!plan x",
    "",
]
_PROMPTS += [
    "execute the plan",
    "EXECUTE THE PLAN",
    "approve the plan",
    "enter plan mode",
    "<task-notification>",
    "語",
    '"',
]
_SETTINGS = [
    "",
    "[context]\nwarn = 5\n",
    "context.warn = 5\n",
    '[planning]\npropose = "eager"\n',
    "[guard]\nblock = true\n",
]


_KEPT = ["own", "other", "old", "ticket", "ended", "ended-other", "primed", "primed-other", "before", "left"]
_AGENT = {"CLAUDE_PID": str(os.getpid())}  # a process that lives


@record
class Situation:
    """One event and everything around it. Built on the disk by `build`."""

    agent: str
    name: str
    fields: dict[str, Any]
    spacing: tuple[str, str] | None
    kept: list[str]
    settings: str
    settings_place: str
    environment: dict[str, str]
    transcript: list[dict[str, Any]] | None


@record
class Built:
    """The event's bytes, the state folder, and the environment of the hook."""

    data: bytes
    state: Path
    environment: dict[str, str]


def _claude_line(tokens: tuple[int, int, int], **more: Any) -> dict[str, Any]:
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    message = {"role": "assistant", "model": "claude-sonnet-4-5", "usage": dict(zip(names, tokens, strict=True))}
    return {"type": "assistant", "message": {**message, **more.pop("message", {})}, **more}


def _codex_line(tokens: int, window: int) -> dict[str, Any]:
    info = {"last_token_usage": {"total_tokens": tokens}, "model_context_window": window}
    return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}


def _turn_line(turn: str, kind: str) -> dict[str, Any]:
    """How Codex begins a turn in its record."""
    payload = {"type": "task_started", "turn_id": turn, "started_at": 1, "collaboration_mode_kind": kind}
    return {"timestamp": "2026-11-16T00:09:00.565Z", "ordinal": 1, "type": "event_msg", "payload": payload}


def _quoting_line(quoted: dict[str, Any]) -> dict[str, Any]:
    """What a tool returned, as an object and as text: it is no line of the record."""
    output = {"structured": quoted, "text": json.dumps(quoted, separators=(",", ":"))}
    return {"timestamp": "2026-11-16T00:09:00.565Z", "ordinal": 2, "type": "response_item", "payload": output}


turn_lines = st.builds(_turn_line, st.sampled_from(["t0", "t1"]), st.sampled_from(["plan", "default"]))
_tokens = st.sampled_from([0, 3, 900, 29_999, 33_000, 34_000, 60_000, 99_999, 130_000])
transcript_lines = (
    st.builds(_claude_line, st.tuples(_tokens, _tokens, _tokens))
    | st.builds(_claude_line, st.tuples(_tokens, st.just(0), st.just(0)), isSidechain=st.just(True))
    | st.just(_claude_line((0, 0, 0), message={"model": "<synthetic>"}))
    | st.builds(_codex_line, _tokens, st.sampled_from([32_000, 128_000, 272_000]))
    | st.builds(lambda count: {"type": "gemini", "tokens": {"input": count}, "model": "gemini-3"}, _tokens)
    | st.sampled_from([100, 300_000]).map(lambda size: {"type": "user", "length": size})
    | st.just({"type": "system", "subtype": "compact_boundary"})
    | turn_lines
    | turn_lines.map(_quoting_line)
)


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Any event in any surroundings."""
    agent = draw(st.sampled_from(list(_NAMES)))
    identity = draw(st.sampled_from(["one", "00000001-0000-4000-8000-000000000000", "a b", "../x", "é", "x" * 130]))
    fields: dict[str, Any] = {"session_id": identity}
    if draw(st.booleans()):
        fields["permission_mode"] = draw(st.sampled_from(["default", "plan", "auto", "bypassPermissions"]))
    if agent == "codex":
        fields["turn_id"] = "t1"
    fields["hook_event_name"] = name = draw(st.sampled_from(_NAMES[agent]))
    if "ool" in name:
        fields |= {"tool_name": draw(st.sampled_from(_TOOLS)), "tool_input": {"command": "touch a", "file_path": "a"}}
    if name in ("UserPromptSubmit", "BeforeAgent", "chat.message"):
        fields["prompt"] = draw(st.sampled_from(_PROMPTS) | st.text(max_size=20))
    if name in ("SessionStart", "session.created"):
        fields["source"] = draw(st.sampled_from(["startup", "resume", "clear", "compact"]))
        fields["model"] = draw(st.sampled_from(["", "claude-sonnet-4-5", "claude-sonnet-4-5[1m]", "Sonnet[1M]"]))
    if name == "SessionEnd":
        fields["reason"] = draw(st.sampled_from(["clear", "other"]))
    return Situation(
        agent,
        name,
        fields,
        draw(st.sampled_from([(",", ":"), (", ", ": "), None])),
        draw(st.lists(st.sampled_from(_KEPT), max_size=3)),
        draw(st.sampled_from(_SETTINGS)),
        draw(st.sampled_from(["user", "project", "above"])),
        draw(st.sampled_from([{}, {}, _AGENT, {"PLAN_CONTEXT_WARNING_PCT": "1"}])),
        draw(st.none() | st.lists(transcript_lines, max_size=8)),
    )


def build(situation: Situation, place: Path) -> Built:
    """Put everything on the disk."""
    state, cwd = place / "state", place / "above" / "project"
    state.mkdir()
    cwd.mkdir(parents=True)
    fields = {**situation.fields, "cwd": str(cwd)}
    if situation.settings:
        homes = {"user": place / ".config" / "planrail", "project": cwd, "above": cwd.parent}
        folder = homes[situation.settings_place]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "planrail.toml").write_text(situation.settings, "utf-8")
    for kind in situation.kept:
        _keep(kind, situation.agent, fields["session_id"], state, cwd)
    if situation.transcript is not None:
        path = place / "transcript.jsonl"
        write_lines(path, situation.transcript)
        fields["transcript_path"] = str(path)
    indent = 2 if situation.spacing is None else None
    data = json.dumps(fields, separators=situation.spacing, indent=indent, ensure_ascii=False)
    environment = {"HOME": str(place), "PLANRAIL_STATE_DIR": str(state), **situation.environment}
    return Built(data.encode("utf-8", "surrogatepass"), state, environment)


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """A transcript. The content of a line that has a `length` is that long."""
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            if "timestamp" in line:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
                continue
            message = {"content": "x" * line["length"]} if "length" in line else line.get("message", {})
            file.write(json.dumps({**line, "message": message}) + "\n")


def _process() -> str:
    event = wires.read("claude", {"hook_event_name": "Stop"}, _AGENT)
    assert event is not None
    return event.process


def _keep(kind: str, agent: str, identity: str, state: Path, cwd: Path) -> None:
    name = identity if kind in ("own", "ended") else "another"
    if kind.startswith("primed"):
        path = Path(primed_path(str(state), find_place(str(cwd if kind == "primed" else state))))
        path.parent.mkdir(exist_ok=True)
        path.write_text("the tasks of a project\n", "utf-8")
        return
    if kind in ("ticket", "left"):
        ticket = Ticket(agent, "cleared", str(cwd), at=int(time.time()), plan=str(cwd / "plan.md"), intent=PLAN_PENDING)
        leave_ticket(str(state), replace(ticket, process=_process()) if kind == "left" else ticket)
        return
    session = Session(agent, name, project=str(cwd), plan=str(cwd / "plan.md"), stage=DRAFT, planning=kind == "own")
    if kind == "before":
        session = replace(session, process=_process())
    update(str(state), agent, name, lambda _: session)
    path = state / "sessions" / agent / f"{file_name(name)}.json"
    if kind == "old":
        os.utime(path, (time.time() - 90_000,) * 2)
    if kind.startswith("ended"):
        (state / "ended" / agent).mkdir(parents=True, exist_ok=True)
        path.rename(state / "ended" / agent / path.name)
