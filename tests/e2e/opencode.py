"""opencode as a story uses it: one prompt, planrail's plugin file in the project."""

import json
import subprocess

from planrail.base.records import record
from planrail.install.targets import InstallPlace, make_target
from planrail.testing.model_server import ModelServer
from tests.e2e.programs import OPENCODE, installed
from tests.e2e.projects import Project


@record
class OpencodeRun:
    """How a run ended."""

    code: int
    output: str
    errors: str


class Opencode:
    """opencode in a project, with planrail's plugin or without."""

    def __init__(self, project: Project, server: ModelServer, *, with_planrail: bool = True) -> None:
        self.project = project
        scripted = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{server.url}/v1", "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted"}},
        }
        settings = {
            "provider": {"scripted": scripted},
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "autoupdate": False,
            "share": "disabled",
        }
        config = project.home / ".config" / "opencode"
        config.mkdir(parents=True)
        (config / "opencode.json").write_text(json.dumps(settings))
        if with_planrail:
            target = make_target("opencode", InstallPlace(str(project.folder), is_user=True), project.environment())
            (config / "plugins").mkdir()
            (config / "plugins" / "planrail.js").write_text(target.text)

    def ask(self, prompt: str, *, is_next: bool = False) -> OpencodeRun:
        """`opencode run`: one prompt; the next one goes on with the last session."""
        command = [str(installed(OPENCODE)), "run", "--format", "json"]
        done = subprocess.run(
            [*command, "--continue", prompt] if is_next else [*command, prompt],
            cwd=self.project.folder,
            env=self.project.environment(
                OPENCODE_DISABLE_AUTOUPDATE="1",
                OPENCODE_DISABLE_MODELS_FETCH="1",
                OPENCODE_DISABLE_LSP_DOWNLOAD="1",
                OPENCODE_DISABLE_DEFAULT_PLUGINS="1",
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        return OpencodeRun(done.returncode, done.stdout, done.stderr)
