"""Events as Claude Code sends them: the JSON that a hook finds on its standard input."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Speaker:
    """One agent session: what all of its events say about it."""

    session: str
    folder: str
    transcript: str = ""
    mode: str = "default"

    def prompt(self, text: str) -> "Event":
        """Somebody types something."""
        return self._event("UserPromptSubmit", prompt=text)

    def tool(self, name: str, **arguments: str) -> "Event":
        """The agent is about to use a tool."""
        return self._event("PreToolUse", tool_name=name, tool_input=arguments)

    def bash(self, command: str) -> "Event":
        """The agent is about to run a shell command."""
        return self.tool("Bash", command=command, description="Look around")

    def bash_done(self, command: str) -> "Event":
        """A shell command has run."""
        response = {"stdout": "a\nb\nc", "stderr": "", "interrupted": False, "isImage": False}
        return self._event("PostToolUse", tool_name="Bash", tool_input={"command": command}, tool_response=response)

    def stop(self) -> "Event":
        """The agent ends its turn."""
        return self._event("Stop", stop_hook_active=False, last_assistant_message="Done.", background_tasks=[])

    def start(self, source: str) -> "Event":
        """The session begins."""
        return self._event("SessionStart", source=source, model="claude-sonnet-4-5-20250929")

    def end(self, reason: str) -> "Event":
        """The session ends."""
        return self._event("SessionEnd", reason=reason)

    def _event(self, name: str, **more: object) -> "Event":
        about = {
            "session_id": self.session,
            "transcript_path": self.transcript,
            "cwd": self.folder,
            "permission_mode": self.mode,
            "hook_event_name": name,
        }
        return Event(name, json.dumps({**about, **more}, separators=(",", ":")).encode())


@dataclass(frozen=True)
class Event:
    """An event by its name, which the hook gets as an argument, and its JSON."""

    name: str
    data: bytes
