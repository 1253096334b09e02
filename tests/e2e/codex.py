"""Codex as a story uses it: one prompt, or a program as its host, its hooks trusted."""

import json
import subprocess
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from planrail.base.records import record
from planrail.testing.model_server import ModelServer
from tests.e2e.programs import CODEX, installed
from tests.e2e.projects import Project, planrail_hooks

_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
_CONFIG = """
model = "{model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "workspace-write"
check_for_update_on_startup = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[features]
plugins = false
apps = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "NO_REAL_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
"""
# The temporary folders are closed, since a story lies in one: whatever works here works for a project elsewhere.
# Codex offers its patch tool only to models that it knows.
KNOWN_MODEL = "gpt-5.5-codex"


@record
class CodexRun:
    """How a run ended."""

    code: int
    items: list[dict[str, object]]
    errors: str

    @property
    def session(self) -> str:
        """The thread's id, which is the session's."""
        return next(str(item["thread_id"]) for item in self.items if item["type"] == "thread.started")


class Codex:
    """Codex in a project, with planrail's hooks or without."""

    def __init__(self, project: Project, server: ModelServer, *, with_planrail: bool = True) -> None:
        self.project = project
        self.config = project.home / ".codex"
        self.config.mkdir(exist_ok=True)
        (self.config / "config.toml").write_text(_CONFIG.format(model=KNOWN_MODEL, url=server.url))
        hooks: dict[str, list[object]] = {event: [{"hooks": [project.recorder()]}] for event in _EVENTS}
        for event, groups in (planrail_hooks("codex", project) if with_planrail else {}).items():
            hooks.setdefault(event, []).extend(groups)
        (self.config / "hooks.json").write_text(json.dumps({"hooks": hooks}))

    def trust_project(self) -> None:
        """What a person answers when Codex is first started in a project."""
        with open(self.config / "config.toml", "a") as file:
            file.write(f'[projects."{self.project.folder}"]\ntrust_level = "trusted"\n')

    def ask(self, prompt: str, *, resume: str = "") -> CodexRun:
        """`codex exec`: one prompt, in a new session or in one from before."""
        flags = ["--json", "--dangerously-bypass-hook-trust"]
        command = ["exec", *flags, *(["resume", resume] if resume else []), prompt]
        done = subprocess.run(
            [str(installed(CODEX)), *command],
            cwd=self.project.folder,
            env=self.project.environment(CODEX_HOME=str(self.config), NO_REAL_KEY="none"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        items = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return CodexRun(done.returncode, items, done.stderr)


class CodexHost:
    """A program as the host of Codex, with many turns in one thread, each in a mode of its own."""

    def __init__(self, codex: Codex) -> None:
        self.codex = codex
        self.thread = ""
        self._number = 0

    def __enter__(self) -> Self:
        project = self.codex.project
        self._errors = open(project.base / "codex.err", "w")
        self._process = subprocess.Popen(
            [str(installed(CODEX)), "app-server"],
            cwd=project.folder,
            env=project.environment(CODEX_HOME=str(self.codex.config), NO_REAL_KEY="none"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._watchdog = threading.Timer(90, self._process.kill)
        self._watchdog.start()
        client = {"name": "story", "version": "1"}
        self._ask("initialize", clientInfo=client, capabilities={"experimentalApi": True})
        started = self._ask("thread/start", cwd=str(project.folder), config={"bypass_hook_trust": True})
        self.thread = started["thread"]["id"]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._watchdog.cancel()
        self._process.stdout.close()
        self._errors.close()

    def say(self, text: str, *, mode: str = "default") -> None:
        """One turn of the person, in the plan mode that Codex calls a collaboration mode or outside of it."""
        collaboration = {"mode": mode, "settings": {"model": KNOWN_MODEL}}
        said = [{"type": "text", "text": text}]
        self._ask("turn/start", threadId=self.thread, input=said, collaborationMode=collaboration)
        self._hear(lambda message: message.get("method") == "turn/completed")

    def _ask(self, method: str, **parameters: object) -> Any:
        self._number += 1
        number = self._number
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"id": number, "method": method, "params": parameters}) + "\n")
        self._process.stdin.flush()
        return self._hear(lambda message: message.get("id") == number)["result"]

    def _hear(self, is_meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message: dict[str, Any] = json.loads(line)
            if is_meant(message):
                return message
        raise AssertionError("Codex ended in the middle of a turn")
