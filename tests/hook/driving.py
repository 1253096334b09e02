"""An agent's events, sent the way the hook gets them: the first look, the translation, the answer, real files."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from planrail.hook import wires
from planrail.hook.idle import is_idle
from planrail.hook.process import respond
from planrail.hook.sessions.endings import list_tickets
from planrail.hook.sessions.events import SILENCE, HookAnswer
from planrail.hook.sessions.state import Session
from planrail.hook.sessions.store import load, session_path, update
from planrail.hook.sessions.world import Ticket


class Host:
    """An agent that is Claude Code, with its sessions in one state folder."""

    def __init__(self, state: Path) -> None:
        self.folder = str(state)

    def send(self, name: str, session: str, cwd: Path, *, pid: str = "", **fields: Any) -> HookAnswer:
        """One event. What the first look calls idle is answered with silence, as the real hook does."""
        values = {"session_id": session, "cwd": str(cwd), "permission_mode": "default", "hook_event_name": name}
        values |= fields
        environment = {**os.environ, "CLAUDE_PID": pid} if pid else dict(os.environ)
        encoded = {os.fsencode(key): os.fsencode(value) for key, value in environment.items()}
        if is_idle("claude", json.dumps(values).encode(), self.folder, encoded):
            return SILENCE
        event = wires.read("claude", values, environment)
        return respond(event, self.folder) if event is not None else SILENCE

    def clear(self, session: str, following: str, cwd: Path) -> HookAnswer:
        """`/clear`: the old session ends, and a new one begins."""
        self.send("SessionEnd", session, cwd, reason="clear")
        return self.send("SessionStart", following, cwd, source="clear")

    def session(self, identity: str) -> Session | None:
        return load(self.folder, "claude", identity)

    def change(self, identity: str, change: Callable[[Session], Session]) -> None:
        """Put a session into a state, as earlier events would have done."""
        update(self.folder, "claude", identity, lambda current: change(current or Session("claude", identity)))

    def file(self, identity: str) -> Path:
        return Path(session_path(self.folder, "claude", identity))

    def tickets(self, now: int) -> list[Ticket]:
        return list_tickets(self.folder, "claude", now=now, lifetime=3_600)


def write_transcript(path: Path, entries: list[dict[str, Any]]) -> None:
    """A transcript of Claude Code: one line for each answer, with its count of tokens."""
    lines: list[dict[str, Any]] = [{"type": "user", "message": {"role": "user", "content": "hello"}}]
    for entry in entries:
        if "raw_user_line_bytes" in entry:
            lines.append({"type": "user", "message": {"role": "user", "content": "x" * entry["raw_user_line_bytes"]}})
            continue
        usage = {"input_tokens": entry["input"], "cache_read_input_tokens": 0, "output_tokens": 5}
        message = {"role": "assistant", "model": entry.get("model", ""), "usage": usage}
        lines.append({"type": "assistant", "isSidechain": False, "message": message})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
