"""The Gemini CLI and opencode as a story uses them: one prompt, everything allowed by itself. Both take long to start."""

import json
import subprocess

from planrail.base.records import record
from planrail.base.settings.agent_table import AgentSettings
from planrail.install.targets import InstallPlace, make_target
from planrail.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.plan_files import told_plan_file
from tests.e2e.programs import GEMINI, OPENCODE, Program, installed
from tests.e2e.projects import Project, planrail_hooks

_SETTINGS: dict[str, object] = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
}


@record
class SlowRun:
    """How a run ended."""

    code: int
    output: str
    errors: str


class SlowAgent:
    """What the two share: their names, their prompts, and the turns that make them do something."""

    name, model, plan = "", "", "/plan"
    program: Program
    tools = ("", "", "")  # to write a file, to edit one, to run a command
    words = ("", "", "")  # how they call a path, an old text and a new one

    def __init__(self, project: Project, server: ModelServer) -> None:
        self.project, self.server = project, server

    def variables(self) -> dict[str, str]:
        """What the program needs to talk to nobody but the scripted model."""
        raise NotImplementedError

    def command(self, prompt: str, *, is_next: bool) -> list[str]:
        raise NotImplementedError

    def settings(self) -> AgentSettings:
        return AgentSettings({self.name: str(installed(self.program))})

    def ask(self, prompt: str, *, is_next: bool = False, **variables: str) -> SlowRun:
        """One prompt, with every tool approved; the next prompt goes on with the last session."""
        done = subprocess.run(
            [str(installed(self.program)), *self.command(prompt, is_next=is_next)],
            cwd=self.project.folder,
            env=self.project.environment(**self.variables(), **variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        return SlowRun(done.returncode, done.stdout, done.stderr)

    def write(self, path: str, content: str = "written") -> Turn:
        """The model writes a file: its plan file where no path is given."""

        def fill(request: ModelRequest) -> dict[str, object]:
            return {self.words[0]: path or told_plan_file(request), "content": content}

        return call(self.tools[0], fill)

    def edit(self, path: str, old: str, new: str) -> Turn:
        given: dict[str, object] = dict(zip(self.words, (path, old, new), strict=True))
        return call(self.tools[1], given | ({"instruction": "x"} if self.name == "gemini" else {}))

    def run(self, command: str) -> Turn:
        return call(self.tools[2], command=command, description="as asked")


class Gemini(SlowAgent):
    """The Gemini CLI in a project, with planrail's hooks or without."""

    name, model, plan = "gemini", "gemini-2.5-pro", "/planrail:plan"  # a fixed model; /plan is the program's own
    program = GEMINI
    tools = ("write_file", "replace", "run_shell_command")
    words = ("file_path", "old_string", "new_string")

    def __init__(self, project: Project, server: ModelServer, *, with_planrail: bool = True) -> None:
        super().__init__(project, server)
        folder = project.home / ".gemini"
        folder.mkdir(exist_ok=True)
        hooks = planrail_hooks("gemini", project) if with_planrail else {}
        (folder / "settings.json").write_text(json.dumps({**_SETTINGS, "hooks": hooks}))

    def variables(self) -> dict[str, str]:
        return {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": self.server.url,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def command(self, prompt: str, *, is_next: bool) -> list[str]:
        words = ["-p", prompt, "--approval-mode", "yolo", "-m", self.model, "-o", "json"]
        return [*words, "--resume", "latest"] if is_next else words


class Opencode(SlowAgent):
    """opencode in a project, with planrail's plugin file or without."""

    name, program = "opencode", OPENCODE
    tools = ("write", "edit", "bash")
    words = ("filePath", "oldString", "newString")

    def __init__(self, project: Project, server: ModelServer, *, with_planrail: bool = True) -> None:
        super().__init__(project, server)
        scripted = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{server.url}/v1", "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted"}},
        }
        models = {"model": "scripted/scripted", "small_model": "scripted/scripted"}
        settings = {"provider": {"scripted": scripted}, **models, "autoupdate": False, "share": "disabled"}
        config = project.home / ".config" / "opencode"
        config.mkdir(parents=True)
        (config / "opencode.json").write_text(json.dumps(settings))
        if with_planrail:
            target = make_target("opencode", InstallPlace(str(project.folder), is_user=True), project.environment())
            (config / "plugins").mkdir()
            (config / "plugins" / "planrail.js").write_text(target.text)

    def variables(self) -> dict[str, str]:
        off = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
        return {f"OPENCODE_DISABLE_{name}": "1" for name in off}

    def command(self, prompt: str, *, is_next: bool) -> list[str]:
        return ["run", "--format", "json", *(["--continue"] if is_next else []), prompt]


SLOW_AGENTS = (Gemini, Opencode)
