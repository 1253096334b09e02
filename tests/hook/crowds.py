"""Hooks as processes of their own, one or many at once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.patience import PATIENCE

SOURCE = Path(__file__).parents[2] / "src"
WRAPPER = SOURCE / "planrail" / "plugin" / "hooks" / "planrail-hook"
_PROGRAM = "import sys;sys.path.insert(0,sys.argv.pop(1));from planrail.hook.idle import main;main()"


class Crowd:
    """A state folder, and agents that send their events to it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.state = place / "state"
        self.project = place / "project"
        self.project.mkdir(parents=True)
        self.environment = {"HOME": str(place), "PLANRAIL_STATE_DIR": str(self.state), "PATH": os.environ["PATH"]}

    def event(self, name: str, session: str, **fields: Any) -> bytes:
        known = {"session_id": session, "cwd": str(self.project), "permission_mode": "default"}
        return json.dumps({**known, "hook_event_name": name, **fields}).encode()

    def start(
        self, data: bytes, *, agent: str = "claude", name: str = "", **environment: str
    ) -> "subprocess.Popen[bytes]":
        """A hook that has its event and has not answered yet."""
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(SOURCE), agent, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**self.environment, **environment},
        )
        assert process.stdin is not None
        process.stdin.write(data)
        process.stdin.close()
        process.stdin = None
        return process

    def ask(self, name: str, session: str, **fields: Any) -> dict[str, Any]:
        """One event, and the answer to it."""
        return finish(self.start(self.event(name, session, **fields), name=name))

    def session_file(self, session: str) -> Path:
        return self.state / "sessions" / "claude" / f"{session}.json"

    def plan_natively(self, session: str) -> dict[str, Any]:
        """Put a session into the agent's own plan mode, as its first prompt there does."""
        return self.ask("UserPromptSubmit", session, prompt="go", permission_mode="plan")


def finish(process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """The answer of a hook that has to work."""
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err.decode()
    answer: dict[str, Any] = json.loads(out) if out.strip() else {}
    return answer


def context_of(answer: dict[str, Any]) -> str:
    """What the agent is told."""
    text: str = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    return text


def is_denied(answer: dict[str, Any]) -> bool:
    """Whether a tool is refused."""
    return bool(answer.get("hookSpecificOutput", {}).get("permissionDecision") == "deny")
