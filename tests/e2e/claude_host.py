"""A program as the host of Claude Code: it talks JSON over the standard streams and answers for the person."""

import json
import subprocess
import threading
from types import TracebackType
from typing import IO, Self

from tests.e2e.claude import LONGEST, Claude

Message = dict[str, object]


def deny(message: str) -> Message:
    """The person says no, and why."""
    return {"behavior": "deny", "message": message}


class Host:
    """A conversation with many turns. Whatever the agent asks is allowed, unless `answers` has something else to say."""

    def __init__(self, claude: Claude, *flags: str) -> None:
        streams = ("--input-format", "stream-json", "--output-format", "stream-json", "--verbose")
        self._command = claude.command("-p", *streams, "--permission-prompt-tool", "stdio", *flags)
        self._claude = claude
        self.answers: dict[str, list[Message]] = {}
        self.asked: list[str] = []
        self.modes: list[str] = []
        self.notices: list[str] = []  # what the person is told beside the conversation
        self.session = ""

    def __enter__(self) -> Self:
        self._errors = open(self._claude.project.base / "host.err", "w")
        self._process = subprocess.Popen(
            self._command,
            cwd=self._claude.project.folder,
            env=self._claude.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._watchdog = threading.Timer(LONGEST, self._process.kill)
        self._watchdog.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._input.close()
        self._process.wait()
        self._watchdog.cancel()
        self._output.close()
        self._errors.close()

    @property
    def _input(self) -> IO[str]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[str]:
        assert self._process.stdout is not None
        return self._process.stdout

    def say(self, text: str) -> str:
        """One turn of the person; the agent's last words."""
        message = {"role": "user", "content": text}
        self._send({"type": "user", "message": message, "parent_tool_use_id": None, "session_id": "default"})
        for line in self._output:
            heard: Message = json.loads(line)
            self._notice(heard)
            if heard["type"] == "result":
                return str(heard.get("result", ""))
        raise AssertionError(f"the agent ended in the middle of: {text}")

    def _notice(self, heard: Message) -> None:
        self.session = str(heard.get("session_id") or self.session)
        if heard.get("permissionMode"):
            self.modes.append(str(heard["permissionMode"]))
        if heard.get("subtype") == "informational":
            self.notices.append(str(heard["content"]))
        if heard["type"] == "control_request":
            self._answer(heard)

    def _answer(self, asked: Message) -> None:
        request = asked["request"]
        assert isinstance(request, dict)
        tool = str(request.get("tool_name"))
        self.asked.append(tool)
        prepared = self.answers.get(tool)
        answer = prepared.pop(0) if prepared else {"behavior": "allow", "updatedInput": request["input"]}
        response = {"subtype": "success", "request_id": asked["request_id"], "response": answer}
        self._send({"type": "control_response", "response": response})

    def _send(self, message: Message) -> None:
        self._input.write(json.dumps(message) + "\n")
        self._input.flush()
