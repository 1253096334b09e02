"""The Gemini CLI as a story uses it: one prompt, everything allowed by itself."""

import json
import subprocess

from planrail.base.records import record
from planrail.testing.model_server import ModelServer
from tests.e2e.programs import GEMINI, installed
from tests.e2e.projects import Project, planrail_hooks

_SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


@record
class GeminiRun:
    """How a run ended."""

    code: int
    output: str
    errors: str


class Gemini:
    """The Gemini CLI in a project, with planrail's hooks."""

    def __init__(
        self,
        project: Project,
        server: ModelServer,
        *,
        with_planrail: bool = True,
        environment: dict[str, str] | None = None,
    ) -> None:
        self.project, self.server, self.more = project, server, environment or {}
        folder = project.home / ".gemini"
        folder.mkdir(exist_ok=True)
        hooks = planrail_hooks("gemini", project) if with_planrail else {}
        (folder / "settings.json").write_text(json.dumps({**_SETTINGS, "hooks": hooks}))

    def ask(self, prompt: str, *, is_next: bool = False) -> GeminiRun:
        """`gemini -p`, with every tool approved; the next prompt goes on with the last session."""
        # A fixed model keeps the router from asking first.
        command = [
            str(installed(GEMINI)),
            "-p",
            prompt,
            "--approval-mode",
            "yolo",
            "-m",
            "gemini-2.5-pro",
            "-o",
            "json",
        ]
        done = subprocess.run(
            [*command, "--resume", "latest"] if is_next else command,
            cwd=self.project.folder,
            env=self.project.environment(
                GEMINI_API_KEY="none",
                GOOGLE_GEMINI_BASE_URL=self.server.url,
                GEMINI_CLI_TRUST_WORKSPACE="true",
                **self.more,
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
        )
        return GeminiRun(done.returncode, done.stdout, done.stderr)
