"""Claude Code as a story uses it: one prompt, a program as its host, or a person at its screen."""

import json
import subprocess
from pathlib import Path

from planrail.base.records import record
from planrail.testing.model_server import ModelServer
from tests.e2e.programs import CLAUDE, Program, installed
from tests.e2e.projects import PLUGIN, Project

_KEY = "no-real-key-for-tests"
_EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "SessionEnd",
)
LONGEST = 120  # seconds that any one wait may take


@record
class Finished:
    """How a run ended."""

    code: int
    result: dict[str, object]
    errors: str

    @property
    def text(self) -> str:
        """The last message."""
        return str(self.result.get("result", ""))

    @property
    def session(self) -> str:
        """The session's id."""
        return str(self.result.get("session_id", ""))


class Claude:
    """Claude Code in a project, with planrail's plugin or without."""

    def __init__(
        self,
        project: Project,
        server: ModelServer,
        program: Program = CLAUDE,
        *,
        plugin: Path | None = PLUGIN,
        settings: dict[str, object] | None = None,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.project, self.server, self.program = project, server, program
        self.plugin, self.settings = plugin, settings or {}
        self.config = project.home / ".claude"
        self.config.mkdir(exist_ok=True)
        self.more = environment or {}

    @staticmethod
    def wrapper() -> Path:
        """The program that the hooks call."""
        return PLUGIN / "hooks" / "planrail-hook"

    def environment(self, **more: str) -> dict[str, str]:
        """Everything that Claude Code needs to talk to nobody but the scripted model."""
        return self.project.environment(
            CLAUDE_CONFIG_DIR=str(self.config),
            CLAUDE_CODE_TMPDIR=str(self.project.temporary),
            ANTHROPIC_BASE_URL=self.server.url,
            ANTHROPIC_API_KEY=_KEY,
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            CLAUDE_CODE_DISABLE_BACKGROUND_TASKS="1",
            CLAUDE_CODE_MAX_RETRIES="1",
            DISABLE_TELEMETRY="1",
            DISABLE_ERROR_REPORTING="1",
            DISABLE_AUTOUPDATER="1",
            **{**self.more, **more},
        )

    def command(self, *flags: str) -> list[str]:
        """The command line: every event is also written down, beside what planrail's plugin does with it."""
        hooks = {event: [{"hooks": [self.project.recorder()]}] for event in _EVENTS}
        # Offline there is no classifier for the automatic mode, which would deny each command before a guard is asked.
        settings = {"useAutoModeDuringPlan": False, "hooks": hooks, **self.settings}
        plugin = ["--plugin-dir", str(self.plugin)] if self.plugin else []
        return [str(installed(self.program)), "--settings", json.dumps(settings), *plugin, *flags]

    def ask(self, prompt: str, *flags: str) -> Finished:
        """`claude -p`: one prompt, nobody there to approve anything."""
        done = subprocess.run(
            self.command("-p", prompt, "--output-format", "json", *flags),
            cwd=self.project.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        result = json.loads(done.stdout) if done.stdout.startswith("{") else {"result": done.stdout}
        return Finished(done.returncode, result, done.stderr)

    def accept_terms(self) -> None:
        """What a person has clicked away on the first day."""
        project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        known = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": self.program.version,
            "theme": "dark",
            "customApiKeyResponses": {"approved": [_KEY[-20:]], "rejected": []},
            "projects": {str(self.project.folder): project},
        }
        (self.config / ".claude.json").write_text(json.dumps(known))
